#include "extract/save.h"

#include <fmt/core.h>

#include <sstream>

#include "extract/record_file.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"

namespace platter::extract {
namespace {

std::optional<std::string> save_samples(const Record& record, const std::string& path,
                                        model::GrowingFile* kept) {
  if (kept != nullptr) try {
      std::ostringstream end;
      write_end(end, record, kept->lines());
      kept->append(end.view());
      kept->become(path);
      return std::nullopt;
    } catch (const Error& error) {
      if (error.status() != ExitStatus::output) throw;  // else somebody took it away
    }
  std::ostringstream text;
  write_record(text, record);
  model::write_file(path, text.view());
  return kept != nullptr ? kept->remove() : std::nullopt;
}

}  // namespace

std::optional<std::string> save(const Run& run, const std::string& model_path,
                                const std::string& samples_path, model::GrowingFile* kept) {
  Record record = run.record;
  // Which the caller knew only once the run was over.
  record.ending.date = run.model.provenance.date;
  record.ending.wall_seconds = run.model.provenance.wall_seconds;
  std::optional<std::string> stays;
  std::optional<Error> lost;
  try {
    stays = save_samples(record, samples_path, kept);
  } catch (const Error& error) {
    lost = error;
  }
  try {
    model::save_model(run.model, model_path);
  } catch (const Error& error) {
    throw Error(
        error.status(),
        fmt::format("{}; {}", error.what(),
                    lost ? lost->what() : "the run's raw samples are kept, in " + samples_path));
  }
  if (lost) throw Error(lost->status(), fmt::format("{}; {} is written", lost->what(), model_path));
  return stays;
}

}  // namespace platter::extract
