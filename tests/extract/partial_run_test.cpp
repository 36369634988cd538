// Runs that end early, or whose writes fail: nothing is lost on the drive, and what was measured is
// a model that says what it lacks.

#include <algorithm>

#include "catch.h"
#include "model/completeness.h"
#include "model/json.h"
#include "model/parameters.h"
#include "runs.h"
#include "safety/damaged_drive.h"
#include "safety/journal_reader.h"
#include "safety/restore.h"

namespace platter::extract {
namespace {

using platter::testing::DamagedDrive;

struct Attacked {
  Attacked() : inner(drive_named("hp-c2247")), damaged(inner), options(options_in(folder)) {
    options.writable = {{0, 60000}};
  }
  // From which write on, and how many of them.
  void fail_writes(int from, int count, DamagedDrive::Failure how = {}) {
    damaged.write_fails = [=, seen = 0](std::uint64_t, std::uint32_t) mutable {
      ++seen;
      return seen >= from && seen < from + count ? std::optional(how) : std::nullopt;
    };
  }

  Folder folder;
  virtual_drive::VirtualDevice inner;
  DamagedDrive damaged;
  Options options;
};

bool missing(const model::DriveModel& model, const std::string& stage) {
  return std::ranges::any_of(model.provenance.missing,
                             [&](const auto& m) { return m.name == stage; });
}

// A model file that others can read, in which nothing is absent without a reason.
void require_sound(const model::DriveModel& model) {
  const model::DriveModel again = model::from_json_text(model::to_json_text(model), "the model");
  CHECK(again.provenance.complete == model.provenance.complete);
  CHECK(again.provenance.missing == model.provenance.missing);
  if (model.provenance.missing.empty()) return;
  for (const model::NamedParameter& named : model::parameters_of(model)) {
    INFO(named.path);
    CHECK(
        (named.path == "inward_seek_delta" || named.parameter || !named.parameter.reason.empty()));
  }
}

// holds: safety.md: What differs or cannot be read is put
// holds: safety.md: The first write that fails
// holds: safety.md: An error or a signal after the layout
TEST_CASE(
    "a write that fails costs no data: writing ends, the blocks are put back, and reads go on") {
  Attacked t;
  const bool deferred = GENERATE(false, true);
  const int from = deferred ? 40 : 7;
  t.fail_writes(from, 1, {.torn = true, .deferred = deferred});
  const Run run = characterize(t.damaged, t.options);
  CHECK(t.damaged.unreadable.empty());
  REQUIRE(run.ended_by);
  CHECK(run.ended_by->status() == ExitStatus::drive_error);
  CHECK_FALSE(run.not_restored);
  CHECK(std::filesystem::is_empty(t.folder.path));
  CHECK(t.damaged.writes.size() <= static_cast<std::size_t>(from) + 2);  // the one that put it back
  CHECK_FALSE(run.model.provenance.complete);
  CHECK(missing(run.model, "writes"));
  CHECK(run.model.seek.points.size() > 10);
  CHECK_FALSE(run.model.write_settle);
  CHECK_THAT(run.model.write_settle.reason, Catch::Contains("a write failed"));
  CHECK_FALSE(run.model.validity.demerits.empty());
  CHECK(noted(run, "put back: LBN"));
  require_sound(run.model);
}

// holds: safety.md: What differs or cannot be read is put
// holds: safety.md: The journal goes only
TEST_CASE("what cannot be put back is named, kept in the journal, and restored later") {
  Attacked t;
  t.fail_writes(20, 1'000'000);
  const Run run = characterize(t.damaged, t.options);
  REQUIRE(run.ended_by);
  CHECK(run.ended_by->status() == ExitStatus::drive_error);
  REQUIRE(t.damaged.unreadable.size() == 1);
  const std::string lbn = std::to_string(*t.damaged.unreadable.begin());
  CHECK_THAT(run.ended_by->what(),
             Catch::Contains("LBN " + lbn) && Catch::Contains("platter restore"));
  CHECK(missing(run.model, "cache"));
  require_sound(run.model);
  REQUIRE_FALSE(std::filesystem::is_empty(t.folder.path));
  t.damaged.write_fails = nullptr;
  for (const auto& file : std::filesystem::directory_iterator(t.folder.path)) {
    const auto journal = safety::read_journal(file.path().string());
    const auto restored = safety::restore(t.damaged, journal, {.is_the_drive = true});
    CHECK(restored.media.all_well());
    CHECK(restored.settings);
  }
  CHECK(t.damaged.unreadable.empty());
}

// holds: safety.md: An error or a signal after the layout
TEST_CASE("an interrupt from the layout on leaves what was measured, before it nothing") {
  Attacked t;
  t.options.writable.clear();
  std::string stage_now;
  const auto [stage, share] = GENERATE(std::pair{"rotation", 0.5}, std::pair{"angles", 0.3},
                                       std::pair{"seeks", 0.5}, std::pair{"cache", 0.2},
                                       std::pair{"self-validation", 0.2});
  bool reached = false;
  t.options.progress = [&, at = std::string(stage)](const std::string& name, double, double) {
    reached |= name == at;
  };
  t.options.interrupted = [&] { return reached; };
  if (std::string(stage) == "rotation") {
    CHECK_THROWS_AS(characterize(t.damaged, t.options), Error);
    return;
  }
  const Run run = characterize(t.damaged, t.options);
  INFO(stage);
  REQUIRE(run.ended_by);
  CHECK(run.ended_by->status() == ExitStatus::interrupted);
  CHECK(missing(run.model, stage));
  CHECK(missing(run.model, "queue"));
  CHECK_FALSE(missing(run.model, "layout"));
  CHECK_FALSE(run.model.layout.zones.empty());
  CHECK((run.model.seek.points.size() > 10) ==
        (std::string(stage) == "cache" || std::string(stage) == "self-validation"));
  CHECK(std::filesystem::is_empty(t.folder.path));
  require_sound(run.model);
  if (std::string(stage) == "self-validation")
    model::require_what_predicts(run.model, "it", "be used");
  else
    CHECK_THROWS_WITH(model::require_what_predicts(run.model, "it", "be used"),
                      Catch::Contains("characterize"));
}

TEST_CASE("an interrupt before the drive is known is an interrupt") {
  Attacked t;
  t.options.interrupted = [] { return true; };
  try {
    characterize(t.damaged, t.options);
    FAIL("it was not interrupted");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::interrupted);
  }
}

// holds: safety.md: An error or a signal after the layout
TEST_CASE("a drive that vanishes leaves what was measured, and its journal") {
  Attacked t;
  const Run run = [&] {
    t.options.progress = [&](const std::string& name, double, double) {
      if (name == "overheads") t.damaged.gone = true;
    };
    return characterize(t.damaged, t.options);
  }();
  REQUIRE(run.ended_by);
  CHECK(missing(run.model, "overheads"));
  CHECK(run.model.seek.points.size() > 10);
  CHECK_FALSE(std::filesystem::is_empty(t.folder.path));
  require_sound(run.model);
}

TEST_CASE("a journal that cannot be removed costs nothing that was measured") {
  Attacked t;
  t.options.writable.clear();
  t.options.progress = [&](const std::string& stage, double, double) {
    if (stage != "queue") return;  // the last one
    for (const auto& file : std::filesystem::directory_iterator(t.folder.path))
      if (file.is_regular_file()) {
        const std::filesystem::path path = file.path();
        std::filesystem::remove(path);
        std::filesystem::create_directories(path / "held");
      }
  };
  const Run run = characterize(t.damaged, t.options);
  CHECK_FALSE(run.ended_by);
  CHECK(run.model.provenance.complete);
  REQUIRE(run.journal_stays);
  CHECK_THAT(*run.journal_stays, Catch::Contains("cannot be removed"));
}

// Keeps nothing any more once that stage is over.
struct FullDisk final : SamplesKeeper {
  bool due() override { return false; }
  void keep(std::string_view lines) override {
    if (lines.find("\"stage\":{\"name\":\"" + stage) != lines.npos) throw full;
  }
  void synchronize() override {}
  void throw_away() override {}

  std::string stage;
  Error full{ExitStatus::output, "the samples cannot be written: no room"};
};

TEST_CASE("where the layout's samples cannot be kept, its model is there all the same") {
  Attacked t;
  FullDisk disk;
  disk.stage = GENERATE(values<std::string>({"layout", "seeks"}));
  t.options.writable.clear();
  t.options.keeper = &disk;
  const Run run = characterize(t.damaged, t.options);
  REQUIRE(run.ended_by);
  CHECK(run.ended_by->status() == ExitStatus::output);
  CHECK_FALSE(run.model.layout.zones.empty());
  CHECK((run.model.seek.points.size() > 10) == (disk.stage == "seeks"));
  CHECK_FALSE(run.record.samples.empty());
  require_sound(run.model);
}

TEST_CASE("a drive without a map ends incomplete") {
  model::DriveModel model = drive_named("hp-c2247");
  if (!model.firmware) model.firmware.emplace();
  model.firmware->address_translation = false;
  virtual_drive::VirtualDevice device(model);
  Folder folder;
  Options options = options_in(folder);
  options.map_by_time = MapByTime::none;
  const Run run = characterize(device, options);
  REQUIRE(run.ended_by);
  CHECK(run.ended_by->status() == ExitStatus::incomplete);
  CHECK_FALSE(run.model.provenance.complete);
  CHECK(missing(run.model, "seeks"));
  require_sound(run.model);
}

// holds: safety.md: A range of `--allow-writes`
TEST_CASE("ranges for writes are narrowed to whole physical blocks") {
  model::DriveModel model = drive_named("quantum-atlas10k");
  model.identity.physical_block_bytes = 4096;
  if (!model.firmware) model.firmware.emplace();
  model.firmware->scsi_level = "SPC-4";
  virtual_drive::VirtualDevice device(model);
  Folder folder;
  Options options = options_in(folder);
  options.writable = {{1001, 1006}};
  try {
    characterize(device, options);
    FAIL("nothing is left of this range");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
  }
}

}  // namespace
}  // namespace platter::extract
