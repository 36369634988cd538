#include "extract/save.h"

#include <fmt/core.h>

#include <sstream>
#include <utility>

#include "model/drive_mark.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/json_head.h"

namespace platter::extract {
namespace {

std::string samples_text(const Run& run) {
  std::ostringstream text;
  nlohmann::ordered_json head = model::json_head("platter-samples");
  head["drive"] = model::drive_mark(run.model.identity);
  text << head.dump() << '\n';
  mtbrc::write_samples(text, run.samples);
  cache_probe::write_record(text, run.cache_record);
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
