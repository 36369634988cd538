// Drives with two arms: their ranges are believed once reads at depth 2 went on at once, an arm's
// moves are measured within its range, and the model says what another arm's work costs.
#include <cmath>
#include <map>

#include "catch.h"
#include "extract/estimate.h"
#include "extract/runs.h"
#include "model/finding_kinds.h"
#include "model/json.h"
#include "model/validate.h"
#include "scsi/joined_units.h"
#include "virtual_drive/split_units.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

constexpr double kInterference_ms = 0.12;

// The zones of a catalogue drive, the outer half of its blocks for one arm, the inner for another.
model::DriveModel two_arms(std::uint64_t seed) {
  model::DriveModel drive = drive_named("quantum-atlas10k");
  drive.imperfections = virtual_drive::default_imperfections(seed);
  drive.firmware->scsi_level = "SPC-3";
  const std::uint64_t blocks = model::count_blocks(drive.layout);
  drive.arms.emplace();
  drive.arms->ranges = {{0, blocks / 2 - 1, 0}, {blocks / 2, blocks - 1, 1}};
  drive.arms->interference.value = kInterference_ms;
  drive.arms->interference.unit = "ms";
  return drive;
}

// Tells of two ranges in VPD page B9h, and has one arm.
class Boaster final : public scsi::Device {
 public:
  explicit Boaster(const model::DriveModel& boast) : told_(boast), drive_(without_arms(boast)) {}
  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    constexpr std::uint8_t kInquiry = 0x12, kRanges = 0xb9;
    if (command.opcode() == kInquiry && command.cdb[1] == 1 &&
        (command.cdb[2] == kRanges || command.cdb[2] == 0))
      boasts_[tag] = told_.execute(command)->data;
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return seen(drive_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return seen(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  static model::DriveModel without_arms(model::DriveModel drive) {
    drive.arms.reset();
    return drive;
  }
  scsi::Expected<std::optional<scsi::Completion>> seen(
      scsi::Expected<std::optional<scsi::Completion>> reaped) {
    if (!reaped || !*reaped) return reaped;
    const auto boast = boasts_.find((*reaped)->tag);
    if (boast == boasts_.end()) return reaped;
    (*reaped)->status = scsi::Status::good;
    (*reaped)->sense = {};
    (*reaped)->data = boast->second;
    boasts_.erase(boast);
    return reaped;
  }

  virtual_drive::VirtualDevice told_, drive_;
  std::map<std::uint32_t, std::vector<std::uint8_t>> boasts_;
};

// Its answers come later and later by the clock: no one spindle turns both units.
class Slipping final : public scsi::Device {
 public:
  explicit Slipping(std::unique_ptr<scsi::Device> unit) : unit_(std::move(unit)) {}
  const std::string& name() const override { return unit_->name(); }
  scsi::Clock& clock() override { return unit_->clock(); }
  std::uint32_t max_outstanding() const override { return unit_->max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    return unit_->submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return late(unit_->reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return late(unit_->reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return unit_->reset(); }

 private:
  scsi::Expected<std::optional<scsi::Completion>> late(
      scsi::Expected<std::optional<scsi::Completion>> reaped) {
    if (!reaped || !*reaped) return reaped;
    constexpr Nanoseconds kPart = 3000;
    clock().sleep_until_ns((*reaped)->completed_ns + (*reaped)->completed_ns / kPart);
    (*reaped)->completed_ns = clock().now_ns();
    return reaped;
  }

  std::unique_ptr<scsi::Device> unit_;
};

bool says_one_arm(const model::DriveModel& model) {
  return model::finding_of(model.provenance, model::Code::several_arms) != nullptr;
}

}  // namespace

TEST_CASE("Two arms are found, with their interference, and predicted as two") {
  const Folder folder;
  const model::DriveModel truth = two_arms(11);
  virtual_drive::VirtualDevice drive(truth);
  KeptLines kept;
  Options options = options_in(folder);
  options.keeper = &kept;
  const Run run = characterize(drive, options);
  const model::DriveModel& model = run.model;
  REQUIRE(model.arms);
  CHECK(model.arms->ranges == truth.arms->ranges);
  CHECK(*model.arms->overlap.value >= 0.7);
  CHECK(model.arms->overlap.samples == 20);
  const model::Parameter& interference = model.arms->interference;
  REQUIRE(interference);
  INFO("interference " << *interference.value << " +- " << *interference.error);
  CHECK(std::abs(*interference.value - kInterference_ms) < 0.02);
  CHECK_FALSE(says_one_arm(model));
  REQUIRE_FALSE(model.validity.demerits.empty());
  // One request of them that waits a revolution more makes some 2 %.
  const model::Demerit& found = model.validity.demerits.front();
  INFO("demerit " << found.demerit_percent << " %, " << *found.error_ms << " ms unsure");
  CHECK(found.demerit_ms - *found.error_ms < 0.015 * found.drive_mean_ms);
  CHECK(found.folded_phase_share > 0.98);
  const KeptRecord again = read_lines(kept.whole(run));
  CHECK(model::to_json_text(extract::estimate(again.record)) == model::to_json_text(model));
}

TEST_CASE("Two logical units of one target, joined, are two arms on one spindle") {
  const Folder folder;
  model::DriveModel truth = two_arms(13);
  const virtual_drive::SplitUnits units(truth, "units");
  scsi::JoinedUnits drive(units.unit(0, "first"), units.unit(1, "second"));
  Options options = options_in(folder);
  options.map_by_time = MapByTime::none;
  options.unit_blocks = drive.unit_blocks();
  const Run run = characterize(drive, options);
  REQUIRE(run.model.arms);
  CHECK(run.model.identity.blocks == truth.arms->ranges[1].last_lbn + 1);
  CHECK(run.model.arms->ranges == truth.arms->ranges);
  CHECK(*run.model.arms->overlap.value >= 0.7);
  CHECK(run.model.arms->method.starts_with("two logical units on one spindle"));
  CHECK_FALSE(says_one_arm(run.model));
  CHECK_FALSE(run.model.identity.logical_units);
}

TEST_CASE("Two units that do not turn as one spindle does are measured as one with a single arm") {
  const Folder folder;
  const virtual_drive::SplitUnits units(two_arms(13), "units");
  scsi::JoinedUnits drive(units.unit(0, "first"),
                          std::make_unique<Slipping>(units.unit(1, "second")));
  Options options = options_in(folder);
  options.map_by_time = MapByTime::none;
  options.unit_blocks = drive.unit_blocks();
  const Run run = characterize(drive, options);
  CHECK_FALSE(run.model.arms);
  const auto* finding = model::finding_of(run.model.provenance, model::Code::several_arms);
  REQUIRE(finding != nullptr);
  CHECK_THAT(finding->text, Catch::Contains("do not turn as one spindle"));
}

TEST_CASE("Ranges that reads at depth 2 do not confirm are a finding, and the model has one arm") {
  const Folder folder;
  Boaster drive(two_arms(12));
  Options options = options_in(folder);
  options.budget_s = 30;
  const Run run = characterize(drive, options);
  REQUIRE(run.model.identity.positioning_ranges.size() == 2);
  CHECK_FALSE(run.model.arms);
  CHECK(says_one_arm(run.model));
}

}  // namespace platter::extract
