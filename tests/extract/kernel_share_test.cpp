// A host that stamps commands: the model says where their time goes, and so do the samples.
#include <set>

#include "catch.h"
#include "extract/estimate.h"
#include "extract/runs.h"
#include "model/json.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

// Hands a TEST UNIT READY over after a quarter of its time, and has it back after half of it.
class StampedDrive final : public scsi::Device {
 public:
  StampedDrive() : drive_(drive_named("cache-base")) {}
  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    if (command.opcode() == 0) asked_.insert(tag);
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return seen(drive_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return seen(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }
  std::unique_ptr<scsi::Stamping> stamp() override {
    stamps_.clear();
    return std::make_unique<Stamps>(*this);
  }

 private:
  struct Stamps final : scsi::Stamping {
    explicit Stamps(StampedDrive& of) : drive(of) {}
    std::vector<scsi::Stamp> stamps() override { return drive.stamps_; }
    StampedDrive& drive;
  };
  scsi::Expected<std::optional<scsi::Completion>> seen(
      scsi::Expected<std::optional<scsi::Completion>> reaped) {
    if (reaped && *reaped && asked_.erase((*reaped)->tag) > 0) {
      const Nanoseconds issued_ns = (*reaped)->issued_ns, took_ns = (*reaped)->response_ns();
      stamps_.push_back({issued_ns + took_ns / 4, issued_ns + took_ns / 2});
    }
    return reaped;
  }

  virtual_drive::VirtualDevice drive_;
  std::set<std::uint32_t> asked_;
  std::vector<scsi::Stamp> stamps_;
};

}  // namespace

TEST_CASE("The kernel's share is in the model, and the samples tell it again") {
  const Folder folder;
  StampedDrive drive;
  KeptLines kept;
  Options options = options_in(folder);
  options.budget_s = 30;
  options.keeper = &kept;
  const Run run = characterize(drive, options);
  const auto& share = run.model.kernel_share;
  REQUIRE(share);
  CHECK(share->above_median_ms == Approx(3 * share->behind_median_ms).epsilon(0.01));
  CHECK(share->above_p99_ms >= share->above_median_ms);
  CHECK(share->samples > 200);
  const KeptRecord again = read_lines(kept.whole(run));
  CHECK(model::to_json_text(extract::estimate(again.record)) == model::to_json_text(run.model));
}

TEST_CASE("Where nothing stamps, the model has no kernel's share") {
  const Folder folder;
  virtual_drive::VirtualDevice drive(drive_named("cache-base"));
  Options options = options_in(folder);
  options.budget_s = 30;
  CHECK_FALSE(characterize(drive, options).model.kernel_share);
}

}  // namespace platter::extract
