#include "extract/save.h"

#include <fstream>

#include "catch.h"
#include "extract/record_file.h"
#include "extract/runs.h"
#include "model/error.h"

using namespace platter;
using namespace platter::extract;

TEST_CASE("save: a model that cannot be written does not take the run's samples with it") {
  const Folder folder;
  const std::string model = folder.path / "m.json", samples = folder.path / "m.samples.jsonl";
  Run run;
  run.record.identity.blocks = 5000;
  run.record.sessions.emplace_back();
  run.record.samples.push_back({.lbn = 4711, .issued_ns = 10, .completed_ns = 20});
  run.model.identity.block_bytes = 0;  // no valid model
  std::string told;
  try {
    static_cast<void>(save(run, model, samples));
  } catch (const Error& error) {
    told = error.what();
  }
  CHECK(told.find("identity.block_bytes") != std::string::npos);
  CHECK(told.find(samples) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(model));
  std::ifstream file(samples);
  const KeptRecord kept = read_record(file, samples);
  CHECK(kept.ended);
  REQUIRE(kept.record.samples.size() == 1);
  CHECK(kept.record.samples.front().lbn == 4711);
}
