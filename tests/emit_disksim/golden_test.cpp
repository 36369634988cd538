// Our engine against the real DiskSim, request by request: both ran the files that we write for the
// five drives, caches off. tests/golden/disksim/README.md says how DiskSim's figures were obtained.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <vector>

#include "emit/disksim/export.h"
#include "emit/disksim/import.h"
#include "engine/engine.h"
#include "folder.h"
#include "virtual_drive/catalogue.h"

namespace platter::emit_disksim {
namespace {

struct Golden {
  engine::Request request;
  Nanoseconds arrival_ns, response_ns;
};

std::vector<Golden> read_golden(const std::string& name) {
  std::ifstream file(PLATTER_SOURCE_DIR "/tests/golden/disksim/" + name + ".csv");
  std::string line;
  std::getline(file, line);
  std::vector<Golden> all;
  while (std::getline(file, line)) {
    long long arrival_us = 0, lbn = 0, blocks = 0, write = 0, response_ns = 0;
    REQUIRE(std::sscanf(line.c_str(), "%lld,%lld,%lld,%lld,%lld", &arrival_us, &lbn, &blocks,
                        &write, &response_ns) == 5);
    Golden golden{};
    golden.request.lbn = static_cast<std::uint64_t>(lbn);
    golden.request.blocks = static_cast<std::uint32_t>(blocks);
    golden.request.write = write != 0;
    golden.arrival_ns = arrival_us * kMicrosecond;
    golden.response_ns = response_ns;
    all.push_back(golden);
  }
  return all;
}

model::DriveModel without_cache(model::DriveModel model) {
  for (model::Parameter* off :
       {&model.cache.read_enabled, &model.cache.write_back_level, &model.cache.read_ahead,
        &model.cache.read_free_blocks, &model.cache.read_ahead_min_blocks,
        &model.cache.read_ahead_max_blocks}) {
    off->value = 0;
  }
  return model;
}

struct Agreement {
  double demerit_ms = 0, within_1us = 0, within_20us = 0;
};

// `follow`: the platter is set back by what DiskSim's rounding has lost so far, as the errors of
// the requests before this one tell it.
Agreement compare(const model::DriveModel& model, const std::vector<Golden>& golden, bool follow) {
  engine::Engine engine(model);
  std::vector<double> theirs, ours;
  double phase_ns = 0, square = 0;
  Agreement result;
  for (const Golden& one : golden) {
    engine::Request request = one.request;
    if (follow) request.disturbance.phase_ns = std::llround(phase_ns);
    const engine::Completion done = engine.service(request, one.arrival_ns);
    const Nanoseconds response = done.completion_ns - done.arrival_ns,
                      error = response - one.response_ns;
    if (std::abs(error) < 2 * kMicrosecond) phase_ns += 0.5 * static_cast<double>(error);
    result.within_1us += std::abs(error) <= kMicrosecond ? 1 : 0;
    result.within_20us += std::abs(error) <= 20 * kMicrosecond ? 1 : 0;
    theirs.push_back(to_ms(one.response_ns));
    ours.push_back(to_ms(response));
  }
  std::sort(theirs.begin(), theirs.end());
  std::sort(ours.begin(), ours.end());
  for (std::size_t i = 0; i < ours.size(); ++i) square += std::pow(ours[i] - theirs[i], 2);
  const auto n = static_cast<double>(ours.size());
  result.demerit_ms = std::sqrt(square / n);
  result.within_1us /= n;
  result.within_20us /= n;
  return result;
}

struct Bar {
  const char* drive;
  double demerit_ms, free_within_20us, followed_within_1us;  // measured, with a small margin
};

constexpr Bar kBars[] = {
    {"quantum-atlas10k", 0.12, 0.985, 0.98},
    {"seagate-cheetah9lp", 0.02, 0.995, 0.985},
    {"seagate-barracuda4lp", 0.06, 0.99, 0.985},
    {"ibm-ultrastar18es", 0.03, 0.99, 0.985},
    {"hp-c2247", 0.05, 0.88, 0.905},
};

TEST_CASE("the engine answers as DiskSim does on the files written for it") {
  for (const Bar& bar : kBars) {
    INFO(bar.drive);
    const std::vector<Golden> golden = read_golden(bar.drive);
    REQUIRE(golden.size() == 2000);
    const Folder folder;
    const model::DriveModel drive =
        without_cache(virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue(bar.drive)));
    const model::DriveModel model =
        import_disksim(export_disksim(drive, folder / "out").files[0]).model;
    const Agreement free = compare(model, golden, false), followed = compare(model, golden, true);
    INFO("demerit " << free.demerit_ms << " ms, within 1 us " << free.within_1us
                    << ", within 20 us " << free.within_20us << "; followed: demerit "
                    << followed.demerit_ms << " ms, within 1 us " << followed.within_1us
                    << ", within 20 us " << followed.within_20us);
    CHECK(free.demerit_ms <= bar.demerit_ms);
    CHECK(free.within_20us >= bar.free_within_20us);
    CHECK(followed.within_1us >= bar.followed_within_1us);
  }
}

}  // namespace
}  // namespace platter::emit_disksim
