// A host that has other things to do just when the rotation is looked for.
#include <random>

#include "catch.h"
#include "extract/late_path.h"
#include "extract/runs.h"
#include "scsi/commands.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

// Sees the completions of the first long row of reads of one block late, by up to a revolution.
class DisturbedHost final : public LatePath {
 public:
  DisturbedHost() : LatePath(without_translation()) {}
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    const bool again = command.cdb == last_.cdb && command.opcode() == 0x28;  // READ(10)
    in_a_row_ = again ? in_a_row_ + 1 : 0;
    last_ = command;
    return LatePath::submit(command, tag);
  }
  int late_completions() const { return late_completions_; }

 private:
  static model::DriveModel without_translation() {
    model::DriveModel drive = drive_named("cache-base");
    if (!drive.firmware) drive.firmware.emplace();
    drive.firmware->address_translation = false;
    return drive;
  }
  std::optional<Nanoseconds> seen_ns(Nanoseconds now_ns) override {
    constexpr int kFirst = 6, kLate = 24;
    constexpr Nanoseconds kMost_ns = 6 * kMillisecond;  // cache-base turns in 6 ms
    if (in_a_row_ < kFirst || late_completions_ == kLate) return std::nullopt;
    ++late_completions_;
    return now_ns + std::uniform_int_distribution<Nanoseconds>(0, kMost_ns)(random_);
  }

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
