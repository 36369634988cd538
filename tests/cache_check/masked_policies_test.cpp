// What is said to change nothing changes nothing: the engine answers alike with and without it.
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "cache_check/check.h"
#include "catch.h"
#include "engine/engine.h"
#include "virtual_drive/open.h"
#include "virtual_drive/random_drive.h"

using namespace platter;
using namespace platter::cache_check;

namespace {

// Misses that break off read-ahead at any time, hits, and writes.
std::vector<Nanoseconds> completions(model::DriveModel model, double stops_in_sector) {
  model.cache.stop_read_ahead_in_sector.value = stops_in_sector;
  engine::Engine engine(model);
  std::mt19937_64 random(7);
  std::vector<Nanoseconds> all;
  Nanoseconds now_ns = 0;
  std::uint64_t behind = 0;
  for (int i = 0; i < 3000; ++i) {
    engine::Request request;
    request.blocks = 1 + static_cast<std::uint32_t>(random() % 16);
    request.write = random() % 4 == 0;
    request.lbn = random() % 3 == 0 ? behind : random() % model.identity.blocks;
    if (request.lbn + request.blocks > model.identity.blocks) request.lbn = 0;
    behind = request.lbn + request.blocks;
    if (random() % 2 == 0) now_ns += static_cast<Nanoseconds>(random() % 3'000'000);
    now_ns = engine.service(request, now_ns).completion_ns;
    all.push_back(now_ns);
  }
  return all;
}

bool said_to_be_hidden(model::DriveModel model) {
  model.cache.stop_read_ahead_in_sector = {};
  explain_masked(model);
  CHECK_FALSE(model.cache.stop_read_ahead_in_sector);
  return model.cache.stop_read_ahead_in_sector.reason.find("does not show") != std::string::npos;
}

}  // namespace

TEST_CASE(
    "whether read-ahead ends within a sector does not show where commands take longer to decode") {
  int hidden = 0, shown = 0;
  for (const std::string name :
       {"hp-c2247", "seagate-barracuda4lp", "quantum-atlas10k", "cache-base"}) {
    CAPTURE(name);
    const model::DriveModel model = virtual_drive::virtual_model("virtual:" + name);
    const bool alike = completions(model, 0) == completions(model, 1);
    CHECK(said_to_be_hidden(model) == alike);
    ++(alike ? hidden : shown);
  }
  CHECK(hidden > 0);
  CHECK(shown > 0);
  for (std::uint64_t i = 1; i <= 300; ++i) {
    CAPTURE(i);
    const model::DriveModel model = virtual_drive::random_drive(i);
    if (!said_to_be_hidden(model)) continue;
    const bool alike = completions(model, 0) == completions(model, 1);
    CHECK(alike);
  }
}

TEST_CASE("what hides is only what is surely longer than a sector") {
  model::DriveModel model = virtual_drive::virtual_model("virtual:hp-c2247");
  REQUIRE(said_to_be_hidden(model));
  model.overheads.read_miss_after_read.error = 0.2;  // of 0.558 ms; a sector has 0.198 ms
  CHECK_FALSE(said_to_be_hidden(model));
  model.overheads.read_miss_after_read = {};  // a run that could not measure it
  CHECK_FALSE(said_to_be_hidden(model));
  model.cache.stop_read_ahead_in_sector.value = 1;  // what was told stays
  explain_masked(model);
  CHECK(model.cache.stop_read_ahead_in_sector.reason.empty());
}
