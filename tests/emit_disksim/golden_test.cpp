// Our engine against the real DiskSim, request by request: both ran the same files, caches off.
// tests/golden/disksim/README.md says how DiskSim's figures were obtained.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "catch.h"
#include "disksim_rounding.h"
#include "emit/disksim/export.h"
#include "emit/disksim/import.h"
#include "engine/engine.h"
#include "folder.h"
#include "source_folder.h"
#include "virtual_drive/catalogue.h"

namespace platter::emit_disksim {
namespace {

struct Golden {
  engine::Request request;
  Nanoseconds arrival_ns, response_ns;
};

std::vector<Golden> read_golden(const std::string& name) {
  std::ifstream file(source_folder() + "/tests/golden/disksim/" + name + ".csv");
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

// Where DiskSim's platter is, from its own completions: each request's error, less what its
// rounding takes off that request, is how far the two platters are apart when the next one comes.
// An error that is none of the platter's is left out, unless the next one says the same.
class PlatterFollower {
 public:
  Nanoseconds phase_ns() const { return std::llround(phase_ns_); }

  void update(double error_ns) {
    const bool small = std::fabs(error_ns) < 1000;
    const bool again = std::fabs(error_ns - before_ns_) < 300 && std::fabs(error_ns) < 20000;
    if (small || again) phase_ns_ += error_ns;
    if (small) drift_ns_ += 0.02 * error_ns;
    before_ns_ = small || again ? kNone : error_ns;
    phase_ns_ += drift_ns_;
  }

 private:
  static constexpr double kNone = 1e12;
  double phase_ns_ = 0, drift_ns_ = 0, before_ns_ = kNone;
};

struct Agreement {
  double demerit_ms = 0, within_1us = 0, within_20us = 0;
  int queued = 0;  // of them arrived while the one in front was in service
};

// What DiskSim does with a parameter set, which is not what its manual says: with layouts g1 and g2
// its mechanics take the answer "all right" (-3) of the layout for an error and never access with
// zero latency; at the second reselection of a write it charges "First reselect overhead" again.
model::DriveModel as_disksim_does(model::DriveModel model) {
  model.cache.zero_latency_read.value = model.cache.zero_latency_write.value = 0;
  if (model.overheads.extra_write_disconnect.value.value_or(0) != 0) {
    model.overheads.other_reselect = model.overheads.first_reselect;
  }
  return model;
}

double demerit_ms(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += std::pow(a[i] - b[i], 2);
  return std::sqrt(square / static_cast<double>(a.size()));
}

// `follow`: DiskSim's platter and rounding are followed, so that what differs is anything else.
Agreement compare(const model::DriveModel& model, const std::vector<Golden>& golden, bool follow,
                  bool layout_g4 = false) {
  engine::Engine engine(model);
  DiskSimRounding rounding(model, engine, layout_g4);
  PlatterFollower platter;
  std::vector<double> theirs, ours;
  Agreement result;
  Nanoseconds busy_ns = -1;
  for (const Golden& one : golden) {
    const bool queued = one.arrival_ns < busy_ns;
    busy_ns = one.arrival_ns + one.response_ns;
    engine::Request request = one.request;
    if (follow) request.disturbance.phase_ns = platter.phase_ns();
    const engine::Completion done = engine.service(request, one.arrival_ns);
    const Nanoseconds response = done.completion_ns - done.arrival_ns;
    const double lost = follow ? rounding.lost_ns(request, done) : 0;
    const double error = static_cast<double>(response - one.response_ns) - lost;
    platter.update(error);
    result.queued += queued ? 1 : 0;
    result.within_1us += std::fabs(error) <= kMicrosecond ? 1 : 0;
    result.within_20us += std::fabs(error) <= 20 * kMicrosecond ? 1 : 0;
    theirs.push_back(to_ms(one.response_ns));
    ours.push_back(to_ms(response));
  }
  const auto n = static_cast<double>(ours.size());
  return {demerit_ms(theirs, ours), result.within_1us / n, result.within_20us / n, result.queued};
}

std::string text_of(const Agreement& free, const Agreement& followed) {
  std::ostringstream text;
  for (const Agreement* one : {&free, &followed}) {
    text << (one == &free ? "free" : "; followed") << ": demerit " << one->demerit_ms
         << " ms, within 1 us " << one->within_1us << ", within 20 us " << one->within_20us
         << ", queued " << one->queued;
  }
  return text.str();
}

struct Bar {
  const char* drive;
  double demerit_ms, free_within_20us, followed_within_1us;  // measured, with a small margin
};

constexpr Bar kBars[] = {
    {"quantum-atlas10k", 0.12, 0.985, 0.999},
    {"seagate-cheetah9lp", 0.02, 0.995, 0.999},
    {"seagate-barracuda4lp", 0.06, 0.99, 0.999},
    {"ibm-ultrastar18es", 0.03, 0.99, 0.999},
    {"hp-c2247", 0.05, 0.88, 0.999},
};

TEST_CASE("the engine answers as DiskSim does on the files written for it") {
  for (const Bar& bar : kBars) {
    INFO(bar.drive);
    const std::vector<Golden> golden = read_golden(bar.drive);
    REQUIRE(golden.size() == 2000);
    const Folder folder;
    model::DriveModel drive =
        without_cache(virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue(bar.drive)));
    drive.queue.preseeking.value = 0;  // as DiskSim ran
    const model::DriveModel model =
        import_disksim(export_disksim(drive, folder / "out").files[0]).model;
    const Agreement free = compare(model, golden, false);
    const Agreement followed = compare(as_disksim_does(model), golden, true);
    INFO(text_of(free, followed));
    CHECK(free.demerit_ms <= bar.demerit_ms);
    CHECK(free.within_20us >= bar.free_within_20us);
    CHECK(followed.within_1us >= bar.followed_within_1us);
  }
}

TEST_CASE("the engine answers as DiskSim does on a g4 layout: a drive made for it") {
  const std::vector<Golden> golden = read_golden("g4-serpentine");
  REQUIRE(golden.size() == 2000);
  const model::DriveModel model =
      import_disksim(source_folder() + "/tests/golden/disksim/g4-serpentine/g4-serpentine.parv")
          .model;
  const Agreement free = compare(model, golden, false, true),
                  followed = compare(model, golden, true, true);
  INFO(text_of(free, followed));
  CHECK(free.demerit_ms <= 0.02);
  CHECK(followed.within_1us >= 0.9985);
}

// A read that goes on to another track disconnects, and pays for the bus once more.
TEST_CASE("bus and controller cost what they cost in DiskSim") {
  const std::vector<Golden> golden = read_golden("g4-serpentine-costs");
  REQUIRE(golden.size() == 1000);
  const model::DriveModel model =
      import_disksim(source_folder() +
                     "/tests/golden/disksim/g4-serpentine/g4-serpentine-costs.parv")
          .model;
  const engine::LayoutMap map(model.layout);
  std::size_t on_one_track = 0;
  for (const Golden& one : golden) {
    const engine::Pbn first = map.pbn_of_lbn(one.request.lbn),
                      last = map.pbn_of_lbn(one.request.lbn + one.request.blocks - 1);
    if (one.request.write || (first.cylinder == last.cylinder && first.head == last.head)) {
      ++on_one_track;
    }
  }
  CHECK(on_one_track > 900);
  const Agreement all = compare(model, golden, true, true);
  INFO(text_of(all, all));
  CHECK(all.within_1us >= 0.95);
  const auto within = all.within_1us * static_cast<double>(golden.size());
  CHECK(within >= static_cast<double>(on_one_track) - 2);
}

TEST_CASE("the engine answers as DiskSim does on a g4 layout: a published drive") {
  const char* set = std::getenv("PLATTER_DATA");
  const std::string data = set != nullptr ? set : source_folder() + "/../shared/data";
  const std::string file = data + "/maxtor-atlas10k4-146g/maxtor146g.parv";
  if (!std::filesystem::exists(file)) {
    std::cout << "skipped: " << file << " is not there (set PLATTER_DATA)\n";
    return;
  }
  const std::vector<Golden> golden = read_golden("maxtor-atlas10k4");
  REQUIRE(golden.size() == 2000);
  const model::DriveModel model = without_cache(import_disksim(file).model);
  const Agreement free = compare(model, golden, false, true),
                  followed = compare(model, golden, true, true);
  INFO(text_of(free, followed));
  CHECK(free.demerit_ms <= 0.05);
  CHECK(followed.within_1us >= 0.9985);
}

}  // namespace
}  // namespace platter::emit_disksim
