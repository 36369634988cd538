// Drives whose physical blocks hold eight logical ones: they are written as a whole or not at all,
// and what comes out of such writes is what the drive is.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "catch.h"
#include "estimate/evidence.h"
#include "extract/runs.h"
#include "model/seek_curve.h"
#include "scsi/bytes.h"
#include "scsi/command_table.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

constexpr std::uint32_t kInPhysical = 8;

// A virtual drive that says at which LBN the first of its physical blocks begins, and counts what
// writes cut. Which of them are whole it reckons by itself.
class Emulating512 final : public scsi::Device {
 public:
  Emulating512(const model::DriveModel& model, std::uint32_t lowest_aligned)
      : drive_(model), lowest_aligned_(lowest_aligned) {}

  std::uint64_t writes = 0, partial = 0;

  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    if (command.opcode() == scsi::kWrite10 || command.opcode() == scsi::kWrite16) {
      const auto range = *scsi::addressed_blocks(command);
      ++writes;
      partial += begins_one(range.lbn) && begins_one(range.lbn + range.blocks) ? 0 : 1;
    }
    opcodes_[tag] = command.opcode();
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return told(drive_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return told(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  bool begins_one(std::uint64_t lbn) const {
    return lbn % kInPhysical == lowest_aligned_ % kInPhysical;
  }
  // SBC-3, READ CAPACITY(16): bytes 14 and 15, 14 bits.
  scsi::Expected<std::optional<scsi::Completion>> told(
      scsi::Expected<std::optional<scsi::Completion>> done) {
    constexpr std::uint8_t kServiceActionIn16 = 0x9E;
    if (done && *done && opcodes_[(*done)->tag] == kServiceActionIn16 && (*done)->data.size() >= 16)
      scsi::put_be(&(*done)->data[14], 2, lowest_aligned_);
    return done;
  }

  virtual_drive::VirtualDevice drive_;
  std::uint32_t lowest_aligned_;
  std::map<std::uint32_t, std::uint8_t> opcodes_;
};

model::DriveModel emulating(const std::string& name) {
  model::DriveModel model = drive_named(name);
  model.identity.physical_block_bytes = kInPhysical * model.identity.block_bytes;
  if (!model.firmware) model.firmware.emplace();
  model.firmware->scsi_level = "SPC-4";  // READ CAPACITY(16) is asked
  model.imperfections->seed = 11;
  return model;
}

Run characterized(scsi::Device& device, std::vector<LbnRange> writable) {
  const Folder folder;
  Options options = options_in(folder);
  options.writable = std::move(writable);
  return characterize(device, options);
}

// Within four of its errors and what the host's clock rounds by. Of the 37 quantities told here one
// lies beyond three errors by chance in one of ten sets of seeds.
void require_told(const model::Parameter& found, double truth, const char* what) {
  INFO(what << ": " << found.reason);
  REQUIRE(found);
  REQUIRE(found.error);
  CHECK(*found.value == Approx(truth).margin(4 * *found.error + 0.002));
}

void require_same(const model::Parameter& found, const model::Parameter& truth, const char* what) {
  INFO(what << ": " << found.reason);
  REQUIRE(found);
  CHECK(*found.value == Approx(*truth.value).margin(2 * found.error.value_or(0) + 1e-9));
}

void require_writes_told(const model::DriveModel& found, const model::DriveModel& truth) {
  require_told(found.write_settle, *truth.write_settle.value, "write settle");
  require_told(found.head_switch, *truth.head_switch.value, "head switch");
  const model::Overheads &o = found.overheads, &t = truth.overheads;
  require_told(o.write_hit_after_read, *t.write_hit_after_read.value, "write hit after read");
  require_told(o.write_hit_after_write, *t.write_hit_after_write.value, "write hit after write");
  require_told(o.write_miss_after_read, *t.write_miss_after_read.value, "write miss after read");
  require_told(o.write_miss_after_write, *t.write_miss_after_write.value, "write miss after write");
  require_told(o.read_miss_after_write, *t.read_miss_after_write.value, "read miss after write");
  require_told(found.bus.write_block_transfer, *truth.bus.block_transfer.value, "bus time");
  // They hide nothing: no error is as long as a block of the eight takes more than the first.
  CHECK(*o.write_miss_after_read.error < 0.01);
  CHECK(*found.write_settle.error < 0.015);
}

void require_cache_of_writes_told(const model::Cache& found, const model::Cache& truth) {
  require_same(found.write_back_level, truth.write_back_level, "write back");
  require_same(found.segments, truth.segments, "segments");
  require_same(found.zero_latency_write, truth.zero_latency_write, "zero latency");
  require_same(found.read_hit_on_written, truth.read_hit_on_written, "read hit on written");
  require_same(found.destage_behind, truth.destage_behind, "destage behind");
}

// holds: safety.md: A range of `--allow-writes`
TEST_CASE("every write of a characterization is of whole physical blocks", "[.long]") {
  const std::uint32_t lowest_aligned = GENERATE(0U, 1U, 7U);
  CAPTURE(lowest_aligned);
  const model::DriveModel truth = emulating("cache-write-burst");
  Emulating512 device(truth, lowest_aligned);
  const Run run = characterized(device, {{0, 120'002}, {300'005, 400'000}});
  INFO((run.ended_by ? run.ended_by->what() : ""));
  CHECK_FALSE(run.ended_by);
  CHECK(device.writes > 800);
  CHECK(device.partial == 0);
  require_writes_told(run.model, truth);
  require_cache_of_writes_told(run.model.cache, truth.cache);
  require_same(run.model.cache.written_blocks, truth.cache.written_blocks, "written blocks");
  REQUIRE(run.model.validity.demerits.size() == 2);
  CHECK(run.model.validity.writes);
  CHECK(run.model.validity.demerits[0].demerit_percent < 4);
  // The drive's own samples say of what size the smallest writes were.
  CHECK(estimate::Evidence(run.record.samples, nullptr, {}).write_unit() == kInPhysical);
}

// Eight blocks take 0.84 ms on its bus, more than a quarter of a revolution with the rest.
TEST_CASE("cached writes of whole physical blocks over a slow bus are told as such") {
  const model::DriveModel truth = emulating("seagate-cheetah9lp");
  Emulating512 device(truth, 0);
  const Run run = characterized(device, {{0, 200'000}});
  CHECK(device.partial == 0);
  const model::Overheads &o = run.model.overheads, &t = truth.overheads;
  require_told(o.write_hit_after_read, *t.write_hit_after_read.value, "write hit after read");
  require_told(o.write_hit_after_write, *t.write_hit_after_write.value, "write hit after write");
  require_told(o.write_miss_after_read, *t.write_miss_after_read.value, "write miss after read");
  require_told(run.model.write_settle, *truth.write_settle.value, "write settle");
  require_told(run.model.bus.write_block_transfer, *truth.bus.block_transfer.value, "bus time");
}

TEST_CASE("what ends a run of whole physical blocks is not taken for segments") {
  model::DriveModel truth = emulating("cache-write-burst");
  truth.cache.written_blocks.value = 64;  // so many blocks may wait, eight physical ones
  truth.cache.segments.value = truth.cache.write_segments.value = 24;
  Emulating512 device(truth, 0);
  const Run run = characterized(device, {{0, 200'000}});
  CHECK_FALSE(run.ended_by);
  const model::Cache& found = run.model.cache;
  require_same(found.written_blocks, truth.cache.written_blocks, "written blocks");
  require_same(found.segments, truth.cache.segments, "segments");
  CHECK_FALSE(found.write_segments);
  CHECK(found.write_segments.reason.find("as many as there may be dirty blocks") !=
        std::string::npos);
  CHECK_FALSE(found.combine_sequential_writes);
}

TEST_CASE("writes of whole physical blocks show seeks of their own") {
  const model::DriveModel truth = emulating("seeks-apart");
  Emulating512 device(truth, 0);
  const Run run = characterized(device, {{0, 200'000}});
  CHECK_FALSE(run.ended_by);
  CHECK(device.partial == 0);
  require_writes_told(run.model, truth);
  REQUIRE(run.model.write_seek);
  REQUIRE(truth.write_seek);
  for (const model::SeekPoint& point : run.model.write_seek->points) {
    if (!point.error_ms) continue;
    INFO(point.cylinders << " cylinders");
    CHECK(point.time_ms == Approx(model::seek_time_ms(*truth.write_seek, point.cylinders))
                               .margin(4 * *point.error_ms + 0.02));
  }
}

TEST_CASE("a bus that is slower than the media leaves the wait for eight blocks unsure") {
  const model::DriveModel truth = emulating("hp-c2247");
  Emulating512 device(truth, 0);
  const Run run = characterized(device, {{0, 200'000}});
  CHECK_FALSE(run.ended_by);
  CHECK(device.partial == 0);
  const model::Parameter& settle = run.model.write_settle;
  if (settle) CHECK(std::abs(*settle.value - *truth.write_settle.value) < 3 * *settle.error);
}

}  // namespace
}  // namespace platter::extract
