// A host that has other things to do just when the rotation is looked for.
#include <random>

#include "catch.h"
#include "extract/runs.h"
#include "scsi/commands.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

// Sees the completions of the first long row of reads of one block late, by up to a revolution.
class DisturbedHost final : public scsi::Device {
 public:
  DisturbedHost() : drive_(without_translation()) {}
  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    const bool again = command.cdb == last_.cdb && command.opcode() == 0x28;  // READ(10)
    in_a_row_ = again ? in_a_row_ + 1 : 0;
    last_ = command;
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return late(drive_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return late(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }
  int late_completions() const { return late_completions_; }

 private:
  static model::DriveModel without_translation() {
    model::DriveModel drive = drive_named("cache-base");
    if (!drive.firmware) drive.firmware.emplace();
    drive.firmware->address_translation = false;
    return drive;
  }
  scsi::Expected<std::optional<scsi::Completion>> late(
      scsi::Expected<std::optional<scsi::Completion>> reaped) {
    constexpr int kFirst = 6, kLate = 24;
    constexpr Nanoseconds kMost_ns = 6 * kMillisecond;  // cache-base turns in 6 ms
    if (!reaped || !*reaped || in_a_row_ < kFirst || late_completions_ == kLate) return reaped;
    ++late_completions_;
    clock().sleep_until_ns(clock().now_ns() +
                           std::uniform_int_distribution<Nanoseconds>(0, kMost_ns)(random_));
    (*reaped)->completed_ns = clock().now_ns();
    return reaped;
  }

  virtual_drive::VirtualDevice drive_;
  scsi::Command last_;
  int in_a_row_ = 0, late_completions_ = 0;
  std::mt19937_64 random_{7};
};

}  // namespace

TEST_CASE("A host that is disturbed for a moment does not hide the rotation") {
  const Folder folder;
  DisturbedHost host;
  Options options = options_in(folder);
  options.map_by_time = MapByTime::none;
  const Run run = characterize(host, options);
  CHECK(host.late_completions() == 24);
  REQUIRE(run.model.rotation.period.value);
  CHECK(*run.model.rotation.period.value == Approx(6e6).epsilon(1e-5));
  REQUIRE(run.ended_by);
  CHECK(run.ended_by->status() == ExitStatus::incomplete);
}

}  // namespace platter::extract
