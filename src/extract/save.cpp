#include "extract/save.h"

#include <fmt/core.h>

#include <sstream>
#include <utility>

#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "samples/file.h"

namespace platter::extract {
namespace {

std::string samples_text(const Run& run) {
  std::ostringstream text;
  samples::Writer file(text, run.model.identity);
  mtbrc::write_samples(file, run.samples);
  cache_probe::write_record(file, run.cache_record);
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

RawSamples read_samples(std::istream& in, const std::string& name) {
  RawSamples raw;
  samples::Reader file(in, name);
  file.each([&raw](const samples::Line& line) {
    if (const auto sample = mtbrc::sample_of(line))
      raw.samples.push_back(*sample);
    else
      cache_probe::add_to(raw.cache_record, line);
  });
  raw.drive = file.drive();
  raw.cut = file.cut();
  return raw;
}

}  // namespace platter::extract
