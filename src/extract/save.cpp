#include "extract/save.h"

#include <fmt/core.h>

#include <sstream>

#include "extract/record_file.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"

namespace platter::extract {
namespace {

void save_samples(const Record& record, const std::string& path, model::GrowingFile* kept) {
  if (kept != nullptr) try {
      std::ostringstream end;
      write_end(end, record, kept->lines());
      kept->append(end.view());
      return kept->become(path);
    } catch (const Error& error) {
      if (error.status() != ExitStatus::output) throw;  // else somebody took it away
    }
  std::ostringstream text;
  write_record(text, record);
  model::write_file(path, text.view());
}

}  // namespace

void save(const Run& run, const std::string& model_path, const std::string& samples_path,
          model::GrowingFile* kept) {
  Record record = run.record;
  // Which the caller knew only once the run was over.
  record.ending.date = run.model.provenance.date;
  record.ending.wall_seconds = run.model.provenance.wall_seconds;
  save_samples(record, samples_path, kept);
  try {
    model::save_model(run.model, model_path);
  } catch (const Error& error) {
    throw Error(error.status(), fmt::format("{}; the run's raw samples are kept, in {}",
                                            error.what(), samples_path));
  }
}

}  // namespace platter::extract
