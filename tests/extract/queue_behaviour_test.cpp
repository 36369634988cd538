// How many commands a drive takes, and in which order it serves them.
#include "extract/queue_behaviour.h"

#include <catch2/catch.hpp>

#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

struct Found {
  model::Queue queue;
  double took_s = 0;
};

Found queue_of(double policy, std::uint32_t task_set, std::uint64_t seed = 4,
               double busy_share = 0) {
  const auto* entry = virtual_drive::find_in_catalogue("quantum-atlas10k");
  REQUIRE(entry != nullptr);
  model::DriveModel truth = virtual_drive::catalogue_model(*entry);
  truth.imperfections = virtual_drive::default_imperfections(seed);
  truth.imperfections->busy_share = busy_share;
  truth.queue.policy.value = policy;
  if (!truth.firmware) truth.firmware.emplace();
  truth.firmware->task_set = task_set;
  virtual_drive::VirtualDevice device(truth);
  scsi::Guard guard(device, {});
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
  CHECK(many.queue.depth.value == 64);
  CHECK(many.queue.depth.method.find("at least") == 0);
}

TEST_CASE("a drive that is BUSY by chance is no fuller for it") {
  int told = 0;
  for (const double share : {0.02, 0.1})
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      INFO(share << ", seed " << seed);
      const Found few = queue_of(8, 7, seed, share);
      CHECK(few.queue.depth.or_else(0) == 7);
      CHECK(few.queue.depth.method.find("at least") == std::string::npos);
      const Found many = queue_of(8, 0, seed, share);
      CHECK(many.queue.depth.value.value() >= 50);
      CHECK(many.queue.depth.method.find("at least") == 0);
      // Seeks that are about as long come in either order, now and then too many of them.
      if (!many.queue.policy) continue;
      ++told;
      CHECK(many.queue.policy.value == 8);
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
