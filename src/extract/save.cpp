#include "extract/save.h"

#include <fmt/core.h>

#include <sstream>
#include <utility>

#include "extract/record_file.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"

namespace platter::extract {
namespace {

std::string samples_text(const Run& run) {
  std::ostringstream text;
  Record record = run.record;
  // Which the caller knew only once the run was over.
  record.ending.date = run.model.provenance.date;
  record.ending.wall_seconds = run.model.provenance.wall_seconds;
  write_record(text, record);
  return std::move(text).str();
}

}  // namespace

void save(const Run& run, const std::string& model_path, const std::string& samples_path) {
  model::write_file(samples_path, samples_text(run));
  try {
    model::save_model(run.model, model_path);
  } catch (const Error& error) {
    throw Error(error.status(), fmt::format("{}; the run's raw samples are kept, in {}",
                                            error.what(), samples_path));
  }
}

}  // namespace platter::extract
