// The target apart from any clock: looks ahead, commands that are told late, aborts and resets.
#include "virtual_drive/target.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <new>
#include <random>

#include "scsi/sense.h"
#include "test_drive.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace {
std::size_t allocations = 0;
}

// All of this program's.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace platter::virtual_drive::testing {
namespace {

model::DriveModel atlas(bool imperfect) {
  model::DriveModel model = catalogue_model(*find_in_catalogue("quantum-atlas10k"));
  model.imperfections.reset();
  if (imperfect) model.imperfections = default_imperfections(5);
  return model;
}

scsi::Command timed(const model::DriveModel& model, std::mt19937_64& random) {
  scsi::Command command = read_10(
      static_cast<std::uint32_t>(random() % (model.identity.blocks - 64)),
      static_cast<std::uint16_t>(1 + random() % 64));
  if (random() % 3 == 0) {
    command.cdb[0] = 0x2a;
    command.direction = scsi::Direction::to_device;
  }
  command.keep_data = false;
  return command;
}

struct Arrival {
  scsi::Command command;
  std::uint32_t tag;
  Nanoseconds issued_ns;
};

// On the average so dense that a few are outstanding.
std::vector<Arrival> workload(const model::DriveModel& model, std::size_t commands,
                              std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Arrival> arrivals;
  Nanoseconds time_ns = kSecond;
  for (std::size_t i = 0; i < commands; ++i) {
    time_ns += static_cast<Nanoseconds>(random() % 24) * kMillisecond + 137;
    arrivals.push_back({timed(model, random), static_cast<std::uint32_t>(i), time_ns});
  }
  return arrivals;
}

using Times = std::map<std::uint32_t, Nanoseconds>;

// How many tags have another time, or none.
std::size_t differences(const Times& a, const Times& b) {
  std::size_t count = 0;
  for (const auto& [tag, time_ns] : a) {
    const auto other = b.find(tag);
    count += other == b.end() || other->second != time_ns ? 1 : 0;
  }
  for (const auto& [tag, time_ns] : b) count += a.contains(tag) ? 0 : 1;
  return count;
}

void take_due(Target& target, Nanoseconds now_ns, Times& times) {
  while (const auto done = target.take(now_ns)) {
    CHECK(done->completed_ns <= now_ns);
    times[done->tag] = done->completed_ns;
  }
}

void take_all(Target& target, Times& times) {
  while (const auto due_ns = target.next_due()) take_due(target, *due_ns, times);
}

// Each command at its time, what is due before it taken before.
Times in_time(Target& target, const std::vector<Arrival>& arrivals) {
  Times times;
  for (const Arrival& arrival : arrivals) {
    take_due(target, arrival.issued_ns, times);
    target.submit(arrival.command, arrival.tag, arrival.issued_ns);
  }
  take_all(target, times);
  return times;
}

}  // namespace

TEST_CASE("target: what the device gives in virtual time, it gives to whoever has a clock") {
  for (const bool imperfect : {false, true}) {
    CAPTURE(imperfect);
    const model::DriveModel model = atlas(imperfect);
    const std::vector<Arrival> arrivals = workload(model, 1500, 3);
    VirtualDevice device(model, "a drive");
    Times by_device;
    for (const Arrival& arrival : arrivals) {
      while (const auto done = *device.reap_until(arrival.issued_ns))
        by_device[done->tag] = done->completed_ns;
      REQUIRE(device.submit(arrival.command, arrival.tag));
    }
    while (const auto done = *device.reap()) by_device[done->tag] = done->completed_ns;
    Target target(model);
    CHECK(differences(in_time(target, arrivals), by_device) == 0);
    CHECK(by_device.size() == arrivals.size());
  }
}

TEST_CASE("target: a look changes nothing, and no completion comes before it") {
  for (const bool imperfect : {false, true}) {
    CAPTURE(imperfect);
    const model::DriveModel model = atlas(imperfect);
    const std::vector<Arrival> arrivals = workload(model, 1500, 4);
    Target looked_at(model), left_alone(model);
    Times times;
    for (const Arrival& arrival : arrivals) {
      for (auto due_ns = looked_at.next_due(); due_ns && *due_ns <= arrival.issued_ns;
           due_ns = looked_at.next_due()) {
        CHECK_FALSE(looked_at.take(*due_ns - 1));
        take_due(looked_at, *due_ns, times);
      }
      looked_at.next_due();
      looked_at.submit(arrival.command, arrival.tag, arrival.issued_ns);
      looked_at.next_due();
    }
    take_all(looked_at, times);
    CHECK(differences(times, in_time(left_alone, arrivals)) == 0);
  }
}

TEST_CASE("target: a look sees the media through before the electronics") {
  Target alone(test_drive()), target(test_drive());
  Times times;
  alone.submit(read_10(300, 8), 1, kSecond);
  take_all(alone, times);
  const Nanoseconds read_ns = times[1];
  target.submit(read_10(300, 8), 1, kSecond);
  target.submit(command({0x00, 0, 0, 0, 0, 0}), 2, read_ns - kMicrosecond);
  CHECK(target.next_due() == read_ns);
  const auto first = target.take(read_ns);
  REQUIRE(first);
  CHECK(first->tag == 1);
  CHECK(target.next_due() > read_ns);
}

// A front end learns of a command some time after the host issued it.
TEST_CASE("target: commands that are told late are served as if in time") {
  constexpr Nanoseconds kLate_ns = 50 * kMillisecond;
  const model::DriveModel model = atlas(false);
  const std::vector<Arrival> arrivals = workload(model, 1500, 5);
  Target target(model), prompt(model);
  Times times;
  for (const Arrival& arrival : arrivals) {
    take_due(target, arrival.issued_ns, times);
    target.next_due();  // looks past the moment at which the next one comes
    CHECK(target.outstanding() < Target::kMostOutstanding);
    target.submit(arrival.command, arrival.tag, arrival.issued_ns);
  }
  take_all(target, times);
  CHECK(target.late_arrivals() == 0);
  CHECK(differences(times, in_time(prompt, arrivals)) == 0);
  // Where something was taken meanwhile, it counts.
  Target late(model);
  for (const Arrival& arrival : arrivals) {
    take_due(late, arrival.issued_ns + kLate_ns, times);
    late.submit(arrival.command, arrival.tag, arrival.issued_ns);
  }
  CHECK(late.late_arrivals() > 0);
}

TEST_CASE("target: an aborted command that waits leaves no trace") {
  const model::DriveModel model = atlas(false);
  Target target(model), without(model);
  std::mt19937_64 random(6);
  for (std::uint32_t tag = 0; tag < 20; ++tag) {
    const scsi::Command command = timed(model, random);
    target.submit(command, tag, kSecond);
    if (tag % 4 != 3) without.submit(command, tag, kSecond);
  }
  target.next_due();  // looks ahead
  for (std::uint32_t tag = 3; tag < 20; tag += 4) {
    CHECK(target.abort(tag, kSecond + kMicrosecond));
    CHECK_FALSE(target.holds(tag));
    CHECK_FALSE(target.abort(tag, kSecond + kMicrosecond));
  }
  Times times, times_without;
  take_all(target, times);
  take_all(without, times_without);
  CHECK(differences(times, times_without) == 0);
}

TEST_CASE("target: what the media have begun they finish, though nobody is told") {
  const model::DriveModel model = atlas(false);
  Target target(model);
  const scsi::Command first = read_10(17'000'000, 64), second = read_10(5, 1);
  target.submit(first, 1, kSecond);
  target.submit(second, 2, kSecond);
  CHECK(target.abort(1, kSecond + 4 * kMillisecond));
  Times times;
  take_all(target, times);
  REQUIRE(times.size() == 1);
  Target both(model);
  both.submit(first, 1, kSecond);
  both.submit(second, 2, kSecond);
  Times of_both;
  take_all(both, of_both);
  CHECK(times[2] == of_both[2]);
  CHECK_FALSE(target.abort(2, 2 * kSecond));
}

TEST_CASE("target: a reset drops commands and keeps the cache, a power cycle loses it") {
  model::DriveModel model = test_drive();
  const auto read_again = [&](void (Target::*event)(Nanoseconds)) {
    Target target(model);
    Times times;
    target.submit(read_10(10, 8), 1, kSecond);
    take_all(target, times);
    target.submit(read_10(300, 8), 2, 2 * kSecond);
    (target.*event)(2 * kSecond + kMicrosecond);
    CHECK(target.outstanding() == 0);
    CHECK_FALSE(target.next_due());
    target.submit(command({0x00, 0, 0, 0, 0, 0}), 3, 3 * kSecond);
    const auto told = target.take(4 * kSecond);
    REQUIRE(told);
    CHECK(told->status == scsi::Status::check_condition);
    const auto sense = scsi::decode_sense(told->sense);
    REQUIRE(sense);
    CHECK(sense->asc == 0x29);
    target.submit(read_10(10, 8), 4, 5 * kSecond);
    take_all(target, times);
    return times[4] - 5 * kSecond;
  };
  const Nanoseconds hit_ns = read_again(&Target::reset);
  const Nanoseconds miss_ns = read_again(&Target::power_cycle);
  CHECK(hit_ns < kMillisecond);
  CHECK(miss_ns > hit_ns + kMillisecond);
}

TEST_CASE("target: contents are the caller's where the caller has any") {
  class Counting final : public Contents {
   public:
    void read(std::uint64_t lbn, std::span<std::uint8_t> to) const override {
      std::fill(to.begin(), to.end(), static_cast<std::uint8_t>(lbn));
    }
    void write(std::uint64_t lbn, std::span<const std::uint8_t> from) override {
      written_lbn = lbn;
      written_bytes = from.size();
    }
    std::uint64_t written_lbn = 0;
    std::size_t written_bytes = 0;
  } contents;
  Target target(test_drive(), &contents);
  target.submit(read_10(77, 2), 1, kSecond);
  const auto read = target.take(2 * kSecond);
  REQUIRE(read);
  CHECK(read->data == std::vector<std::uint8_t>(1024, 77));
  target.submit(write_10(33, std::vector<std::uint8_t>(512, 9)), 2, 3 * kSecond);
  CHECK(contents.written_lbn == 33);
  CHECK(contents.written_bytes == 512);
  scsi::Command untouched = read_10(77, 2);
  untouched.keep_data = false;
  target.submit(untouched, 3, 4 * kSecond);
  const auto timed_only = target.take(5 * kSecond);
  REQUIRE(timed_only);
  CHECK(timed_only->data.empty());
  CHECK(timed_only->residual == 0);
}

TEST_CASE("target: nothing is allocated on the path of timed reads and writes") {
  const model::DriveModel model = atlas(true);
  const std::vector<Arrival> arrivals = workload(model, 1000, 8);
  Target target(model);
  target.submit(command({0x00, 0, 0, 0, 0, 0}), 0, 0);  // it is told of the power-on
  REQUIRE(target.take(kSecond));
  std::size_t taken = 0;
  const std::size_t before = allocations;
  for (const Arrival& arrival : arrivals) {
    while (target.take(arrival.issued_ns)) ++taken;
    target.submit(arrival.command, arrival.tag, arrival.issued_ns);
    target.next_due();
  }
  const std::size_t after = allocations;
  CHECK(taken > 900);
  CHECK(after == before);
}

}  // namespace platter::virtual_drive::testing
