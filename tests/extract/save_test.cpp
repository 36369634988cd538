#include "extract/save.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "extract/runs.h"
#include "model/drive_mark.h"
#include "model/error.h"
#include "virtual_drive/target.h"

using namespace platter;
using namespace platter::extract;

TEST_CASE("save: a model that cannot be written does not take the run's samples with it") {
  const Folder folder;
  const std::string model = folder.path / "m.json", samples = folder.path / "m.samples.jsonl";
  Run run;
  run.samples.push_back({.lbn = 4711, .issued_ns = 10, .completed_ns = 20});
  run.model.identity.block_bytes = 0;  // no valid model
  std::string told;
  try {
    save(run, model, samples);
  } catch (const Error& error) {
    told = error.what();
  }
  CHECK(told.find("identity.block_bytes") != std::string::npos);
  CHECK(told.find(samples) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(model));
  std::ifstream file(samples);
  std::string head, first;
  REQUIRE(std::getline(file, head));
  CHECK(head.find("platter-samples") != std::string::npos);
  REQUIRE(std::getline(file, first));
  CHECK(first.find("4711") != std::string::npos);
  std::istringstream timed(head + "\n" + first + "\n");  // the cache's answers come after them
  CHECK(read_samples(timed, "kept").samples.front().lbn == 4711);
}

TEST_CASE("save: what a whole run measured is read back as it was") {
  const Folder folder;
  virtual_drive::VirtualDevice device(drive_named("cache-base"));
  const Run run = characterize(device, options_in(folder));
  const std::string samples = folder.path / "m.samples.jsonl";
  save(run, folder.path / "m.json", samples);
  std::ifstream file(samples);
  const RawSamples raw = read_samples(file, samples);
  CHECK_FALSE(raw.cut);
  CHECK(raw.drive == model::drive_mark(run.model.identity));
  REQUIRE(raw.samples.size() == run.samples.size());
  CHECK(raw.samples.back().completed_ns == run.samples.back().completed_ns);
  REQUIRE(raw.cache_record.observations.size() == run.cache_record.observations.size());
  CHECK(raw.cache_record.observations.size() > 100);
  const cache_probe::Observation &seen = raw.cache_record.observations.back(),
                                 &was = run.cache_record.observations.back();
  CHECK(seen.question == was.question);
  CHECK(seen.completed_ns == was.completed_ns);
}
