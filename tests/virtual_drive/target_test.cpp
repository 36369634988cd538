// The target apart from any clock: looks ahead, commands that are told late, aborts and resets.
#include "virtual_drive/target.h"

#include <map>
#include <random>

#include "catch.h"
#include "counted_allocations.h"
#include "scsi/sense.h"
#include "test_drive.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

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
    bool read(std::uint64_t lbn, std::span<std::uint8_t> to) const override {
      std::fill(to.begin(), to.end(), static_cast<std::uint8_t>(lbn));
      return !fails;
    }
    bool write(std::uint64_t lbn, std::span<const std::uint8_t> from) override {
      written_lbn = lbn;
      written_bytes = from.size();
      return !fails;
    }
    void keep() override { ++kept; }
    std::uint64_t written_lbn = 0;
    std::size_t written_bytes = 0;
    int kept = 0;
    bool fails = false;
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

  CHECK(contents.kept == 0);
  scsi::Command through = write_10(33, std::vector<std::uint8_t>(512, 9));
  through.cdb[1] = 0x08;  // FUA
  target.submit(through, 4, 6 * kSecond);
  CHECK(contents.kept == 1);
  target.submit(command({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 5, 7 * kSecond);  // SYNCHRONIZE CACHE
  CHECK(contents.kept == 2);
  while (target.take(8 * kSecond)) {
  }

  contents.fails = true;
  std::uint32_t tag = 6;
  for (const scsi::Command& failing :
       {read_10(77, 2), write_10(33, std::vector<std::uint8_t>(512, 9))}) {
    target.submit(failing, tag++, 9 * kSecond);
    const auto done = target.take(10 * kSecond);
    REQUIRE(done);
    const auto sense = scsi::decode_sense(done->sense);
    REQUIRE(sense);
    CHECK(sense->key == scsi::SenseKey::hardware_error);
    CHECK(sense->asc == 0x44);
    CHECK(done->residual == failing.transfer_length);
  }
}

TEST_CASE("target: an ordered command waits for all before it, and those behind wait for it") {
  const model::DriveModel model = atlas(false);
  std::mt19937_64 random(12);
  int waited = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<Arrival> arrivals;
    Nanoseconds time_ns = kSecond;
    for (std::uint32_t tag = 0; tag < 24; ++tag) {
      time_ns += static_cast<Nanoseconds>(random() % 12) * kMillisecond + 11;
      arrivals.push_back({timed(model, random), tag, time_ns});
      if (random() % 5 == 0) arrivals.back().command.attribute = scsi::Attribute::ordered;
    }
    Target target(model);
    const Times times = in_time(target, arrivals);
    REQUIRE(times.size() == arrivals.size());

    // A host that holds them back itself, on a drive that knows only simple ones.
    Target simple(model);
    Times held_times;
    Nanoseconds enabled_ns = 0;
    const auto wait_for_all = [&] {
      while (const auto due_ns = simple.next_due()) {
        const auto done = simple.take(*due_ns);
        REQUIRE(done);
        held_times[done->tag] = done->completed_ns;
        enabled_ns = std::max(enabled_ns, done->completed_ns);
      }
    };
    for (Arrival arrival : arrivals) {
      const bool ordered = arrival.command.attribute == scsi::Attribute::ordered;
      arrival.command.attribute = scsi::Attribute::simple;
      if (ordered) wait_for_all();
      const Nanoseconds comes_ns = std::max(arrival.issued_ns, enabled_ns);
      waited += comes_ns > arrival.issued_ns ? 1 : 0;
      take_due(simple, comes_ns, held_times);
      simple.submit(arrival.command, arrival.tag, comes_ns);
      if (ordered) wait_for_all();
    }
    wait_for_all();
    CHECK(differences(times, held_times) == 0);
  }
  CHECK(waited > 100);
}

TEST_CASE("target: an ordered command waits for the media, too") {
  const model::DriveModel model = atlas(false);
  Target target(model);
  scsi::Command seek = command({0x2b, 0, 0, 0xff, 0, 0, 0, 0, 0, 0}),
                ordered = command({0x00, 0, 0, 0, 0, 0});
  target.submit(seek, 1, kSecond);
  target.submit(ordered, 2, kSecond + 1);
  ordered.attribute = scsi::Attribute::ordered;
  target.submit(ordered, 3, kSecond + 2);
  std::vector<std::uint32_t> order;
  while (const auto done = target.take(2 * kSecond)) order.push_back(done->tag);
  CHECK(order == std::vector<std::uint32_t>{2, 1, 3});
}

TEST_CASE("target: what is at the head of the queue goes before all that wait") {
  const model::DriveModel model = atlas(false);
  std::mt19937_64 random(13);
  Target target(model);
  constexpr std::uint32_t kWaiting = 20, kFirst = 100, kSecondHead = 101;
  for (std::uint32_t tag = 0; tag < kWaiting; ++tag) {
    scsi::Command command = read_10(static_cast<std::uint32_t>(random() % 17'000'000), 8);
    if (tag == 5) command.attribute = scsi::Attribute::ordered;
    target.submit(command, tag, kSecond);
  }
  for (const std::uint32_t tag : {kFirst, kSecondHead}) {
    scsi::Command command = read_10(static_cast<std::uint32_t>(random() % 17'000'000), 8);
    command.attribute = scsi::Attribute::head_of_queue;
    target.submit(command, tag, kSecond + kMicrosecond * tag);
  }
  std::vector<std::uint32_t> order;
  while (const auto due_ns = target.next_due())
    if (const auto done = target.take(*due_ns)) order.push_back(done->tag);
  REQUIRE(order.size() == kWaiting + 2);
  CHECK(order[1] == kSecondHead);  // the one that came last first; one was under way
  CHECK(order[2] == kFirst);
  CHECK(order[3 + 5 - 1] == 5);  // the ordered one is behind the other five
}

TEST_CASE("target: those that wait for an aborted command begin, and not before the abort") {
  const model::DriveModel model = atlas(false);
  Target target(model);
  scsi::Command ordered = read_10(5'000'000, 8);
  ordered.attribute = scsi::Attribute::ordered;
  target.submit(read_10(17'000'000, 8), 1, kSecond);
  target.submit(ordered, 2, kSecond + 1);
  target.submit(command({0x00, 0, 0, 0, 0, 0}), 3, kSecond + 2);  // TEST UNIT READY
  const Nanoseconds aborted_ns = kSecond + 2 * kMillisecond;
  CHECK(target.abort(2, aborted_ns));
  const auto first = target.take(2 * kSecond);
  REQUIRE(first);
  CHECK(first->tag == 3);
  CHECK(first->completed_ns > aborted_ns);
  CHECK(first->completed_ns < aborted_ns + kMillisecond);
  REQUIRE(target.take(2 * kSecond));
  CHECK(target.outstanding() == 0);
}

TEST_CASE("target: buffers that are given back are used again") {
  const model::DriveModel model = atlas(false);
  Target target(model);
  target.submit(command({0x00, 0, 0, 0, 0, 0}), 0, 0);
  REQUIRE(target.take(kSecond));
  std::size_t before = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    if (i == 10) before = allocations;
    target.submit(read_10(i * 1000, 64), i, kSecond * (i + 1));
    auto done = target.take(kSecond * (i + 2) - 1);
    REQUIRE(done);
    REQUIRE(done->data.size() == 64 * 512);
    target.reuse(std::move(done->data));
  }
  CHECK(allocations == before);
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

TEST_CASE(
    "a host that floods the drive and fetches nothing costs no search, and each answer its due") {
  const model::DriveModel model = atlas(false);
  constexpr std::uint32_t kCommands = 100'000, kAborted = 4'321;
  Target target(model);
  std::mt19937_64 random(7);
  for (std::uint32_t tag = 0; tag < kCommands; ++tag) {
    CHECK_FALSE(target.holds(tag));
    target.submit(timed(model, random), tag, kSecond + tag);
  }
  CHECK(target.outstanding() == kCommands);
  CHECK(target.holds(kAborted));
  CHECK(target.abort(kAborted, 2 * kSecond));
  CHECK_FALSE(target.abort(kAborted, 2 * kSecond));
  std::size_t full = 0, good = 0;
  std::map<std::uint32_t, bool> seen;
  while (const auto due_ns = target.next_due())
    while (const auto done = target.take(*due_ns)) {
      CHECK(seen.emplace(done->tag, true).second);
      ++(done->status == scsi::Status::task_set_full ? full : good);
    }
  CHECK(good == Target::kMostOutstanding);
  CHECK(full == kCommands - Target::kMostOutstanding - 1);
  CHECK_FALSE(seen.contains(kAborted));
  CHECK(target.outstanding() == 0);
  target.submit(timed(model, random), kAborted, 1000 * kSecond);
  while (const auto due_ns = target.next_due())
    if (const auto done = target.take(*due_ns)) CHECK(done->status == scsi::Status::good);
}

}  // namespace platter::virtual_drive::testing
