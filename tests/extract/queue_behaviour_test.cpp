// How many commands a drive takes, and in which order it serves them.
#include "extract/queue_behaviour.h"

#include <limits>
#include <map>
#include <utility>

#include "catch.h"
#include "model/stand_ins.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

// Sends again by itself what the drive refuses, as Linux does, and tells nobody.
class HidingPath final : public scsi::Device {
 public:
  explicit HidingPath(scsi::Device& drive) : drive_(drive) {}
  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  std::uint64_t sent_again() override { return sent_again_; }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    sent_[tag] = {command, clock().now_ns()};
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override {
    return reap_until(std::numeric_limits<Nanoseconds>::max());
  }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    for (;;) {
      auto done = drive_.reap_until(deadline_ns);
      if (!done || !*done) return done;
      const std::uint32_t tag = (*done)->tag;
      if ((*done)->status == scsi::Status::task_set_full || (*done)->status == scsi::Status::busy) {
        refused_.push_back(tag);
        continue;
      }
      (*done)->issued_ns = sent_.at(tag).second;
      for (const std::uint32_t again : std::exchange(refused_, {})) {
        ++sent_again_;
        (void)drive_.submit(sent_.at(again).first, again);
      }
      return done;
    }
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  scsi::Device& drive_;
  std::map<std::uint32_t, std::pair<scsi::Command, Nanoseconds>> sent_;
  std::vector<std::uint32_t> refused_;
  std::uint64_t sent_again_ = 0;
};

struct Found {
  model::Queue queue;
  double took_s = 0;
};

Found queue_of(double policy, std::uint32_t task_set, std::uint64_t seed = 4, double busy_share = 0,
               bool hidden = false) {
  const auto* entry = virtual_drive::find_in_catalogue("quantum-atlas10k");
  REQUIRE(entry != nullptr);
  model::DriveModel truth = virtual_drive::catalogue_model(*entry);
  truth.imperfections = virtual_drive::default_imperfections(seed);
  truth.imperfections->busy_share = busy_share;
  truth.queue.policy.value = policy;
  if (!truth.firmware) truth.firmware.emplace();
  truth.firmware->task_set = task_set;
  virtual_drive::VirtualDevice device(truth);
  HidingPath hiding(device);
  scsi::Guard guard(hidden ? static_cast<scsi::Device&>(hiding) : device, {});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  REQUIRE(drive.settings().set_cache(false, true, true));
  const engine::LayoutMap map(truth.layout);
  mtbrc::Context context(drive, seed);
  context.map = &map;
  context.rotation = truth.rotation;
  const Nanoseconds began_ns = drive.now_ns();
  const QueueSamples samples = queue_samples(guard, context);
  Found found;
  found.took_s = static_cast<double>(drive.now_ns() - began_ns) * 1e-9;
  truth.queue = {};
  found.queue = estimate_queue(samples, truth);
  return found;
}

}  // namespace

TEST_CASE("the depth is where the drive says TASK SET FULL") {
  const Found few = queue_of(1, 5);
  CHECK(few.queue.depth.value == 5);
  CHECK(few.queue.depth.method.find("TASK SET FULL") != std::string::npos);
  const Found many = queue_of(1, 0);
  CHECK(many.queue.depth.at_least == 64);
}

TEST_CASE("the depth is found where the path hides what the drive refuses") {
  for (const std::uint32_t task_set : {2U, 5U, 31U, 63U}) {
    const Found found = queue_of(8, task_set, 4, 0, true);
    CHECK(found.queue.depth.value.value_or(0) == task_set);
    CHECK(found.queue.depth.method.find("TASK SET FULL") != std::string::npos);
    if (task_set > 8) CHECK(found.queue.policy.value.value_or(0) == 8);
  }
  const Found many = queue_of(8, 0, 4, 0, true);
  CHECK(many.queue.depth.at_least == 64);
  // Some that are refused by chance tell nothing.
  const Found by_chance = queue_of(8, 0, 4, 0.002, true);
  CHECK(by_chance.queue.depth.at_least);
}

TEST_CASE("a drive that is BUSY by chance is no fuller for it") {
  int told = 0;
  for (const double share : {0.02, 0.1})
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      INFO(share << ", seed " << seed);
      const Found few = queue_of(8, 7, seed, share);
      CHECK(few.queue.depth.value.value_or(0) == 7);
      const Found many = queue_of(8, 0, seed, share);
      CHECK(many.queue.depth.at_least.value() >= 50);
      // Seeks that are about as long come in either order, now and then too many of them. Then the
      // nearest way acts, not that of a drive that serves in turn.
      CHECK(model::acting(many.queue, many.queue.policy) == 8);
      told += many.queue.policy ? 1 : 0;
    }
  CHECK(told >= 7);
}

TEST_CASE("the order of service is recognized, in a second of the drive's time") {
  // Circular and plain sweeps differ only where a batch spans the turn of the arm.
  for (const double policy : {1.0, 2.0, 3.0, 4.0, 8.0}) {
    const Found found = queue_of(policy, 0);
    INFO(policy << ": " << found.queue.policy.method << found.queue.policy.reason);
    REQUIRE(found.queue.policy.value);
    CHECK(*found.queue.policy.value == policy);
    CHECK(found.took_s < 1.5);
  }
}

TEST_CASE("a path of one command at a time measures no queue, and says so") {
  const model::Queue queue = estimate_queue({}, {});
  CHECK_FALSE(queue.depth);
  CHECK(queue.policy.reason.find("one command at a time") != std::string::npos);
}

}  // namespace platter::extract
