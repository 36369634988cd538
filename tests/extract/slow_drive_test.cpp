// Drives that take very long for a command: what no model can hold is absent from it with its
// reason, and neither the model nor the samples are lost for it.

#include "catch.h"
#include "extract/estimate.h"
#include "model/json.h"
#include "runs.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

// Answers so much later, from its Nth command on.
class SlowDrive final : public scsi::Device {
 public:
  SlowDrive(const model::DriveModel& model, int from, Nanoseconds late_ns)
      : drive_(model), from_(from), late_ns_(late_ns) {}
  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return late(drive_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return late(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  scsi::Expected<std::optional<scsi::Completion>> late(
      scsi::Expected<std::optional<scsi::Completion>> reaped) {
    if (!reaped || !*reaped || ++commands_ < from_) return reaped;
    clock().sleep_until_ns(clock().now_ns() + late_ns_);
    (*reaped)->completed_ns = clock().now_ns();
    return reaped;
  }

  virtual_drive::VirtualDevice drive_;
  int from_, commands_ = 0;
  Nanoseconds late_ns_;
};

constexpr Nanoseconds kHour_ns = 3600 * kSecond;

}  // namespace

// holds: safety.md: An error or a signal after the layout
TEST_CASE("A drive that takes an hour a command has a model, which says what cannot be") {
  const Folder folder;
  const int from = GENERATE(values({1, 50, 500, 2500}));
  INFO("from command " << from << " on");
  SlowDrive drive(drive_named("cache-base"), from, kHour_ns);
  KeptLines kept;
  Options options = options_in(folder);
  options.keeper = &kept;
  const Run run = characterize(drive, options);
  CHECK_FALSE(run.model.layout.zones.empty());
  const std::string text = model::to_json_text(run.model);
  REQUIRE_NOTHROW(model::from_json_text(text, "the model"));
  CHECK(std::filesystem::is_empty(folder.path));
  CHECK(model::to_json_text(estimate(read_lines(kept.whole(run)).record)) == text);
  const model::Parameter& translation = run.model.overheads.address_translation;
  if (from == 50 || from == 500) {
    CHECK_FALSE(translation.value);
    CHECK_THAT(translation.reason, Catch::Contains("which cannot be"));
  }
}

}  // namespace platter::extract
