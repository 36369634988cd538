// Blocks that a run is told to skip: no command reaches them on the media, and what is measured
// beside them is what the drive is.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "catch.h"
#include "extract/runs.h"
#include "extract/watched.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

// Beginning, middle (where the reference block would be), end, a single block, and many small ones.
std::vector<LbnRange> bad_areas(std::uint64_t blocks) {
  std::vector<LbnRange> bad{{0, blocks / 100},
                            {blocks / 2 - 1, blocks / 2 + 5000},
                            {blocks / 3, blocks / 3 + 40},
                            {blocks / 5 * 4 + 3, blocks / 5 * 4 + 3},
                            {blocks - blocks / 200, blocks - 1}};
  for (std::uint64_t i = 1; i < 60; ++i) bad.push_back({i * blocks / 61, i * blocks / 61 + 9 * i});
  return bad;
}

// Of two runs on one drive.
void check_same(const model::Parameter& found, const model::Parameter& other, const char* what) {
  INFO(what << ": " << found.reason);
  REQUIRE(found);
  const double error = std::hypot(found.error.value_or(0), other.error.value_or(0));
  CHECK(*found.value == Approx(*other.value).margin(3 * error + 0.003));
}

model::DriveModel model_without_skips(const model::DriveModel& truth,
                                      const std::vector<LbnRange>& writable) {
  virtual_drive::VirtualDevice drive(truth);
  const Folder folder;
  Options options = options_in(folder);
  options.writable = writable;
  return characterize(drive, options).model;
}

// holds: safety.md: Blocks of [`--skip`]
TEST_CASE("no command of a characterization reaches a skipped block, and its model is right",
          "[.long]") {
  const char* const name = GENERATE("hp-c2247", "cache-base", "spare-zone");
  const bool writes = GENERATE(false, true);
  INFO(name << (writes ? ", with writes" : ""));
  const model::DriveModel truth = drive_named(name);
  const std::uint64_t blocks = truth.identity.blocks;
  const std::vector<LbnRange> bad = bad_areas(blocks);
  const std::vector<LbnRange> writable = writes ? std::vector<LbnRange>{{0, blocks / 2}}
                                                : std::vector<LbnRange>();
  const model::DriveModel whole = model_without_skips(truth, writable);
  Watched drive(truth, bad);
  const Folder folder;
  Options options = options_in(folder);
  options.skip = bad;
  options.writable = writable;
  const Run run = characterize(drive, options);
  for (const auto& [opcode, times] : drive.reached)
    FAIL_CHECK("command " << int{opcode} << " reached skipped blocks " << times << " times");
  CHECK(drive.others[0x28] > 1000);
  CHECK((drive.others[0x2A] > 100) == writes);
  CHECK_FALSE(run.ended_by);
  CHECK_FALSE(run.not_restored);
  CHECK(run.model.provenance.complete);
  CHECK(noted(run, "(--skip)"));
  for (const std::string& note : all_that_was_noted(run)) {
    INFO(note);
    CHECK(note.find("was repeated") == std::string::npos);
  }
  check_same(run.model.head_switch, whole.head_switch, "head switch");
  check_same(run.model.overheads.read_miss_after_read, whole.overheads.read_miss_after_read,
             "read miss");
  check_same(run.model.overheads.read_hit_after_read, whole.overheads.read_hit_after_read,
             "read hit");
  CHECK(*run.model.cache.segments.value == *whole.cache.segments.value);
  if (writes) check_same(run.model.write_settle, whole.write_settle, "write settle");
  REQUIRE_FALSE(run.model.validity.demerits.empty());
  CHECK(run.model.validity.demerits.front().demerit_percent < 2);
}

// holds: safety.md: Blocks of [`--skip`]
TEST_CASE("of a drive with physical blocks all of a skipped one is left alone") {
  model::DriveModel truth = drive_named("cache-base");
  truth.identity.physical_block_bytes = 8 * truth.identity.block_bytes;
  if (!truth.firmware) truth.firmware.emplace();
  truth.firmware->scsi_level = "SPC-4";  // READ CAPACITY(16) is asked
  const std::vector<LbnRange> bad = bad_areas(truth.identity.blocks);
  Watched drive(truth, bad);
  const Folder folder;
  Options options = options_in(folder);
  options.skip = bad;
  options.writable = {{0, truth.identity.blocks / 2}};
  const Run run = characterize(drive, options);
  CHECK(drive.reached.empty());
  CHECK(drive.others[0x2A] > 100);
  CHECK_FALSE(run.ended_by);
}

TEST_CASE("a zone that is skipped has no angles, and the cache is tested in another") {
  const model::DriveModel truth = drive_named("spare-none");
  const std::vector<LbnRange> bad{{0, 3'700'000}};
  Watched drive(truth, bad);
  const Folder folder;
  Options options = options_in(folder);
  options.skip = bad;
  const Run run = characterize(drive, options);
  CHECK(drive.reached.empty());
  CHECK_FALSE(run.ended_by);
  CHECK(noted(run, "the angles of 1 of 16 zones, the first of them zone 0"));
  CHECK(*run.model.cache.segments.value == *truth.cache.segments.value);
}

std::string refusal_of(std::vector<LbnRange> skip, std::vector<LbnRange> writable = {}) {
  virtual_drive::VirtualDevice drive(drive_named("cache-base"));
  const Folder folder;
  Options options = options_in(folder);
  options.skip = std::move(skip);
  options.writable = std::move(writable);
  try {
    characterize(drive, options);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    return error.what();
  }
  return "";
}

TEST_CASE("too little left, nothing left to write, and ranges beyond the end are refused") {
  const std::uint64_t blocks = drive_named("cache-base").identity.blocks;
  CHECK(refusal_of({{0, blocks - 1}}) ==
        "100 % of the blocks of the drive would be skipped, and what is left does not tell of its "
        "mechanics; skip no more than " +
            std::to_string(blocks / 4) + " of its " + std::to_string(blocks) + " blocks");
  CHECK(refusal_of({{7, blocks}}).find("to be skipped is not on the drive, whose last LBN is") !=
        std::string::npos);
  CHECK(refusal_of({{100, 9000}}, {{200, 300}}) ==
        "all blocks of the drive that may be written are to be skipped; give --allow-writes other "
        "ranges, or leave it out");
}

// holds: safety.md: Blocks of [`--skip`]
TEST_CASE("what a run skips holds when it is gone on with, and may grow") {
  const model::DriveModel truth = drive_named("cache-base");
  const std::vector<LbnRange> bad{{1000, 5000}}, more{{700'000, 720'000}};
  KeptLines kept;
  {
    Watched drive(truth, bad);
    const Folder folder;
    Options options = options_in(folder);
    options.skip = bad;
    options.keeper = &kept;
    options.interrupted = [&] { return drive.others[0x28] > 2500; };
    CHECK(characterize(drive, options).ended_by->status() == ExitStatus::interrupted);
  }
  const KeptRecord record = read_lines(kept.text);
  REQUIRE(record.record.sessions.front().skipped.size() == 1);
  CHECK(record.record.sessions.front().skipped.front().last == 5000);
  const auto go_on = [&](const std::vector<LbnRange>& besides, Watched& drive) {
    const Folder folder;
    Options options = options_in(folder);
    options.resumed.emplace(InterruptedRun{record, "kept.jsonl"});
    options.skip = besides;
    return characterize(drive, options);
  };
  Watched as_before(truth, bad);
  CHECK_FALSE(go_on({}, as_before).ended_by);
  CHECK(as_before.reached.empty());
  Watched grown(truth, {bad.front(), more.front()});
  const Run run = go_on(more, grown);
  CHECK_FALSE(run.ended_by);
  CHECK(grown.reached.empty());
  CHECK(run.record.sessions.back().skipped.size() == 2);
  // The block to which all phases refer.
  Watched middle(truth, bad);
  CHECK_THROWS_WITH(go_on({{truth.identity.blocks / 2, truth.identity.blocks / 2}}, middle),
                    Catch::Contains("to which the phases of all that it measured refer"));
}

}  // namespace
}  // namespace platter::extract
