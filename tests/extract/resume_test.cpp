// A run that is gone on with, from wherever its samples end: the stages that were done are taken
// from them, on a drive whose platter turns by another phase and whose clock began anew.
#include "extract/resume.h"

#include <random>

#include "extract/estimate.h"
#include "extract/runs.h"
#include "extract/stages.h"
#include "model/error.h"
#include "model/json.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

model::DriveModel drive_of_seed(std::uint64_t seed) {
  model::DriveModel model = drive_named("cache-base");
  model.imperfections = virtual_drive::default_imperfections(seed);
  return model;
}

struct Kept {
  KeptLines lines;
  Run run;
};

// The drive was switched on so long before its run.
Kept run_on(std::uint64_t seed, Nanoseconds turned_ns, const Options& how) {
  virtual_drive::VirtualDevice device(drive_of_seed(seed));
  device.clock().sleep_until_ns(turned_ns);
  Kept kept;
  Options options = how;
  options.keeper = &kept.lines;
  kept.run = characterize(device, options);
  return kept;
}

const Kept& whole_run() {
  static const Kept kept = [] {
    const Folder folder;
    return run_on(1, 0, options_in(folder));
  }();
  return kept;
}

Kept resumed(const std::string& text, Nanoseconds turned_ns = 1'234'567'891) {
  const Folder folder;
  const KeptRecord before = read_lines(text);
  Options options = options_in(folder);
  options.resumed.emplace(InterruptedRun{before, "kept.jsonl"});
  return run_on(2, turned_ns, options);
}

void check_whole(const Kept& kept, std::size_t sessions) {
  const Run& run = kept.run;
  CHECK_FALSE(run.ended_by);
  CHECK(run.model.provenance.complete);
  CHECK(run.record.stages.size() == stages_of(false));
  CHECK(run.record.sessions.size() == sessions);
  const KeptRecord again = read_lines(kept.lines.whole(run));
  CHECK(again.record.sessions.size() == sessions);
  CHECK(model::to_json_text(extract::estimate(again.record)) == model::to_json_text(run.model));
}

TEST_CASE("what a run keeps as it goes is what it has at its end") {
  const Kept& kept = whole_run();
  check_whole(kept, 1);
  CHECK(kept.lines.synchronized > 0);
}

TEST_CASE("a run goes on from wherever its samples end", "[.long]") {
  const std::string& text = whole_run().lines.text;
  const model::DriveModel& first = whole_run().run.model;
  std::mt19937_64 random(5);
  const std::size_t begun = text.find("{\"session\"") + 300;
  for (int i = 0; i < 8; ++i) {
    const std::size_t at = begun + (text.size() - begun) / 8 * static_cast<std::size_t>(i) +
                           random() % (text.size() / 8);
    INFO(at);
    const std::string cut = text.substr(0, at);
    const Kept kept = resumed(cut);
    check_whole(kept, 2);
    const KeptRecord before = read_lines(cut);
    // What was done is not done again, but for the cache where its answers were left open.
    const Session& session = kept.run.record.sessions.back();
    CHECK((session.stages_before == before.record.stages.size() ||
           (before.record.stages.size() == kMixedValidation && session.stages_before == kCache)));
    CHECK(noted(kept.run, "interrupted and resumed once; begun anew: "));
    const model::DriveModel& second = kept.run.model;
    CHECK(second.rotation.period.value ==
          Approx(*first.rotation.period.value)
              .margin(4 * std::hypot(*first.rotation.period.error, *second.rotation.period.error)));
    CHECK(second.head_switch.value ==
          Approx(*first.head_switch.value)
              .margin(4 * std::hypot(*first.head_switch.error, *second.head_switch.error)));
    CHECK(second.cache.segments.value == first.cache.segments.value);
    REQUIRE_FALSE(second.validity.demerits.empty());
    CHECK(second.validity.demerits.front().demerit_percent < 3);
  }
}

TEST_CASE("a run that is gone on with may be interrupted again") {
  const std::string& text = whole_run().lines.text;
  const std::size_t angles = text.find("{\"stage\":{\"name\":\"seeks\"");
  const std::string second = resumed(text.substr(0, angles)).lines.text;
  const std::size_t overheads = second.find("{\"stage\":{\"name\":\"overheads\"");
  const Kept third = resumed(second.substr(0, overheads), 77'000'000'000);
  check_whole(third, 3);
  CHECK(noted(third.run, "interrupted and resumed 2 times; begun anew: 'seeks'"));
}

TEST_CASE("what the drive said of its places it is not asked again") {
  const std::string& text = whole_run().lines.text;
  const std::size_t first = text.find("{\"answer\""), last = text.rfind("{\"answer\"");
  REQUIRE(first != std::string::npos);
  const std::string cut = text.substr(0, first + (last - first) / 4 * 3);
  REQUIRE(read_lines(cut).record.stages.size() == kLayout);
  const Kept kept = resumed(cut);
  check_whole(kept, 2);
  const std::uint64_t all = whole_run().run.model.provenance.translations;
  CHECK(static_cast<double>(kept.run.model.provenance.translations) <
        0.5 * static_cast<double>(all));
  CHECK(model::to_json_text(kept.run.model).find("\"zones\"") != std::string::npos);
  CHECK(kept.run.record.facts.layout.zones.size() ==
        whole_run().run.record.facts.layout.zones.size());
}

TEST_CASE("a drive with other settings than at first is refused, and so is a finished run") {
  const Kept& kept = whole_run();
  KeptRecord before = read_lines(kept.lines.text.substr(0, kept.lines.text.size() / 2));
  const Folder folder;
  Options options = options_in(folder);
  options.resumed.emplace(InterruptedRun{before, "kept.jsonl"});
  before.record.sessions.front().settings.pages.front()[2] ^= 0x04;
  CHECK_THROWS_WITH(run_on(1, 0, options), Catch::Contains("the drive's settings"));
  const KeptRecord finished = read_lines(kept.lines.whole(kept.run));
  CHECK_THROWS_WITH(require_unfinished(finished, "kept.jsonl"), Catch::Contains("finished"));
}

TEST_CASE("a run that had no time for its map goes on with the layout") {
  const Folder folder;
  Options options = options_in(folder);
  options.interrupted = [] { return false; };
  KeptRecord before = read_lines(whole_run().lines.whole(whole_run().run));
  Record& record = before.record;
  record.stages.resize(kLayout + 1);
  record.stages.push_back(record.stages[kRotation]);
  record.facts.layout = {};
  const TakenUp taken = take_up(before);
  CHECK(taken.session.stages_before == kLayout);
  CHECK(taken.record.samples.size() == record.stages[kRotation].end.samples);
}

}  // namespace
}  // namespace platter::extract
