// Runs inside the guest: several commands outstanding on a drive that serves each by itself, in a
// time that scsi_debug is told.
#include <fmt/core.h>
#include <sys/time.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "catch.h"
#include "extract/queue_behaviour.h"
#include "guest.h"
#include "scsi/drive.h"
#include "virtual_drive/catalogue.h"

namespace platter::transport {
namespace {

using namespace guest;

constexpr std::uint32_t kAtOnce = 16, kBlock = 512;
constexpr Nanoseconds kTime_ns = 20 * kMillisecond;

class TimedDrive {
 public:
  explicit TimedDrive(Nanoseconds time_ns = kTime_ns, bool at_random = false)
      : device_(device_name()) {
    set_drive("random", at_random ? 1 : 0);
    set_drive_time(time_ns);
    settled(device_, scsi::test_unit_ready());
  }
  ~TimedDrive() { set_drive("random", 0); }

  SgIoDevice& operator*() { return device_; }
  SgIoDevice* operator->() { return &device_; }
  Nanoseconds now_ns() { return device_.clock().now_ns(); }

  void read(std::uint32_t tag, std::uint64_t lbn, std::uint32_t blocks = 1) {
    const auto sent = device_.submit(scsi::read_10(lbn, blocks, kBlock), tag);
    if (!sent) FAIL(sent.error().sentence);
  }
  scsi::Completion next() {
    auto done = device_.reap();
    if (!done) FAIL(done.error().sentence);
    REQUIRE(*done);
    return std::move(**done);
  }
  // So many reads together, by their tags.
  std::vector<scsi::Completion> together(std::uint32_t count) {
    for (std::uint32_t tag = 0; tag < count; ++tag) read(tag, tag);
    std::vector<scsi::Completion> done(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      scsi::Completion one = next();
      REQUIRE(one.tag < count);
      const std::uint32_t tag = one.tag;
      done[tag] = std::move(one);
    }
    return done;
  }

 private:
  SgIoDevice device_;
};

TEST_CASE("as many commands as the kernel sends to the drive are outstanding together", "[depth]") {
  constexpr Nanoseconds kLong_ns = 100 * kMillisecond;
  TimedDrive drive(kLong_ns);
  CHECK(drive->max_outstanding() == 64);  // scsi_debug: 192
  drive->prepare_for(drive->max_outstanding());
  for (const std::uint32_t count : {kAtOnce, drive->max_outstanding()}) {
    const Nanoseconds in_turn_ns = count * kLong_ns;
    Nanoseconds together_ns = in_turn_ns;
    // Something else may have had the processor; three times in a row it had not.
    for (int attempt = 0; attempt < 3 && together_ns >= in_turn_ns / 4; ++attempt) {
      const std::vector<scsi::Completion> all = drive.together(count);
      Nanoseconds last_ns = 0;
      for (const scsi::Completion& done : all) {
        CHECK(done.status == scsi::Status::good);
        CHECK(done.response_ns() >= kLong_ns);
        last_ns = std::max(last_ns, done.completed_ns);
      }
      CHECK(std::ranges::is_sorted(all, {}, &scsi::Completion::issued_ns));
      together_ns = last_ns - all.front().issued_ns;
      WARN(count << " reads of " << to_ms(kLong_ns) << " ms together: " << to_ms(together_ns)
                 << " ms");
    }
    CHECK(together_ns < in_turn_ns / 4);
  }
  CHECK(drive->sent_again() == 0);  // the kernel's count of commands is ours
}

TEST_CASE("what is quicker comes first, with its own data", "[depth]") {
  TimedDrive drive(kTime_ns, true);
  constexpr std::uint32_t kLetters = 26;
  for (std::uint32_t tag = 0; tag < kLetters; ++tag) drive.read(tag, tag);
  std::vector<std::uint32_t> order;
  Nanoseconds before_ns = 0;
  for (std::uint32_t i = 0; i < kLetters; ++i) {
    const scsi::Completion done = drive.next();
    order.push_back(done.tag);
    CHECK(done.completed_ns >= before_ns);
    before_ns = done.completed_ns;
    CHECK(done.data ==
          std::vector<std::uint8_t>(kBlock, static_cast<std::uint8_t>('A' + done.tag)));
  }
  CHECK_FALSE(std::ranges::is_sorted(order));
  CHECK(std::set(order.begin(), order.end()).size() == kLetters);
  CHECK_FALSE(*drive->reap());
}

TEST_CASE("a completion is stamped when it comes, and not when it is reaped", "[depth]") {
  TimedDrive drive(2 * kMillisecond);
  bool stamped = false;
  for (int attempt = 0; attempt < 3 && !stamped; ++attempt) {  // the host may have been busy
    drive.read(1, 3);
    drive->clock().sleep_until_ns(drive.now_ns() + 50 * kMillisecond);
    const Nanoseconds reaped_ns = drive.now_ns();
    const scsi::Completion done = drive.next();
    stamped = done.response_ns() < (reaped_ns - done.issued_ns) / 2;
  }
  CHECK(stamped);
}

TEST_CASE("a wait for completions ends at its deadline, or with the first of them", "[depth]") {
  TimedDrive drive;
  drive.read(1, 3);
  const Nanoseconds soon_ns = drive.now_ns() + 3 * kMillisecond;
  CHECK_FALSE(*drive->reap_until(soon_ns));
  CHECK(drive.now_ns() >= soon_ns);
  const Nanoseconds late_ns = drive.now_ns() + 100 * kTime_ns;
  const auto done = drive->reap_until(late_ns);
  REQUIRE((done && *done));
  CHECK((*done)->completed_ns < late_ns);
  CHECK(drive.now_ns() < late_ns);
}

TEST_CASE("of several commands one fails, and the others do not", "[depth]") {
  constexpr std::uint32_t kBad = 9;
  TimedDrive drive(kMillisecond);
  set_drive("opts", 2);  // a medium error from this block on
  write_to("/sys/module/scsi_debug/parameters/medium_error_start", kBad);
  write_to("/sys/module/scsi_debug/parameters/medium_error_count", 1);
  const std::vector<scsi::Completion> all = drive.together(kAtOnce);
  set_drive("opts", 0);
  for (const scsi::Completion& done : all) {
    CHECK((done.status == scsi::Status::good) == (done.tag != kBad));
    if (done.tag != kBad) CHECK(done.data.at(0) == 'A' + done.tag);
  }
  const auto sense = scsi::decode_sense(all[kBad].sense);
  REQUIRE(sense);
  CHECK((sense->key == scsi::SenseKey::medium_error && sense->asc == 0x11));
}

TEST_CASE("tags are their commands' own, and no more are taken than may be", "[depth]") {
  TimedDrive drive;
  drive.read(1, 1);
  const auto again = drive->submit(scsi::read_10(2, 1, kBlock), 1);
  REQUIRE_FALSE(again);
  CHECK(again.error().kind == scsi::TransportError::Kind::protocol);
  const auto alone = drive->execute(scsi::read_10(2, 1, kBlock));
  REQUIRE_FALSE(alone);
  CHECK(alone.error().kind == scsi::TransportError::Kind::refused);
  for (std::uint32_t tag = 2; tag <= drive->max_outstanding(); ++tag) drive.read(tag, 1);
  const auto one_more = drive->submit(scsi::read_10(2, 1, kBlock), 1000);
  REQUIRE_FALSE(one_more);
  CHECK(one_more.error().kind == scsi::TransportError::Kind::refused);
  for (std::uint32_t i = 0; i < drive->max_outstanding(); ++i) CHECK(drive.next().tag <= 64);
  CHECK_FALSE(*drive->reap());
}

TEST_CASE("after a reset nothing is outstanding, and the drive is heard", "[depth]") {
  TimedDrive drive;
  for (std::uint32_t tag = 0; tag < kAtOnce; ++tag) drive.read(tag, tag);
  const std::uint64_t resets = drive_counts("RESETs: device");
  REQUIRE(drive->reset());
  CHECK(drive_counts("RESETs: device") == resets + 1);
  CHECK_FALSE(*drive->reap());
  settled(*drive, scsi::test_unit_ready());
  for (const scsi::Completion& done : drive.together(kAtOnce))
    CHECK(done.data ==
          std::vector<std::uint8_t>(kBlock, static_cast<std::uint8_t>('A' + done.tag)));
}

TEST_CASE("a device that is closed with commands in flight can be opened again", "[depth]") {
  for (const std::uint32_t count : {1U, kAtOnce}) {
    TimedDrive drive;
    for (std::uint32_t tag = 0; tag < count; ++tag) drive.read(tag, tag, 64);
  }
  CHECK(TimedDrive().together(2).size() == 2);
}

TEST_CASE("no signal loses a command, or sends it twice", "[depth]") {
  TimedDrive drive(3 * kMillisecond, true);
  struct sigaction count {};
  static volatile std::sig_atomic_t signals = 0;
  signals = 0;
  count.sa_handler = [](int) { signals = signals + 1; };
  struct sigaction before {};
  REQUIRE(::sigaction(SIGALRM, &count, &before) == 0);
  const std::uint64_t sent = drive_counts("cmnd_count");
  const itimerval every_millisecond{{0, 1000}, {0, 1000}}, never{};
  ::setitimer(ITIMER_REAL, &every_millisecond, nullptr);
  constexpr std::uint32_t kRounds = 10;
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    drive.together(kAtOnce);
    CHECK_FALSE(*drive->reap_until(drive.now_ns() + kMillisecond));
  }
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  CHECK(drive_counts("cmnd_count") - sent == kRounds * kAtOnce);
  CHECK(signals > 10);
}

// Each block says where it is, and which write it is of.
std::vector<std::uint8_t> contents(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t version) {
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    std::mt19937 dice(static_cast<std::uint32_t>(lbn + i) * 1009 + version);
    for (std::uint32_t j = 0; j < kBlock; ++j) bytes.push_back(static_cast<std::uint8_t>(dice()));
  }
  return bytes;
}

TEST_CASE("property: what is written at depth is read at depth", "[depth]") {
  TimedDrive drive(2 * kMillisecond, true);
  std::mt19937 random(7);
  const auto dice = [&random] { return static_cast<std::uint32_t>(random()); };
  constexpr std::uint32_t kPlaces = 400, kApart = 128;  // one command each at a time
  constexpr std::uint64_t kFirst = 1024;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> written;  // blocks, version
  std::map<std::uint32_t, bool> busy;                                        // place: is a write
  const auto finish_one = [&] {
    const scsi::Completion done = drive.next();
    REQUIRE(done.status == scsi::Status::good);
    const auto found = busy.find(done.tag);
    REQUIRE(found != busy.end());
    const auto [blocks, version] = written.at(done.tag);
    if (!found->second) CHECK(done.data == contents(kFirst + done.tag * kApart, blocks, version));
    busy.erase(found);
  };
  for (std::uint32_t i = 0; i < 200; ++i) {
    std::uint32_t place = dice() % kPlaces;
    while (busy.contains(place)) place = dice() % kPlaces;
    const bool write = !written.contains(place) || dice() % 3 == 0;
    if (write) written[place] = {1 + dice() % kApart, i};
    const auto [blocks, version] = written[place];
    const std::uint64_t lbn = kFirst + place * kApart;
    const auto sent = drive->submit(
        write ? scsi::write_10(lbn, blocks, contents(lbn, blocks, version), {})
              : scsi::read_10(lbn, blocks, kBlock),
        place);
    if (!sent) FAIL(sent.error().sentence);
    busy[place] = write;
    if (busy.size() == drive->max_outstanding()) finish_one();
  }
  while (!busy.empty()) finish_one();
  for (const auto& [place, what] : written) {
    const std::uint64_t lbn = kFirst + place * kApart;
    CHECK(must(drive->execute(scsi::read_10(lbn, what.first, kBlock))).data ==
          contents(lbn, what.first, what.second));
  }
}

TEST_CASE("the run's question for the queue is answered", "[depth]") {
  TimedDrive drive(30 * kMillisecond);
  scsi::Guard guard(*drive, {});
  scsi::Drive guarded(guard, drive->name());
  guarded.identify();
  // Of a layout nothing is used but the length of a track.
  const auto* const known = virtual_drive::find_in_catalogue("quantum-atlas10k");
  REQUIRE(known);
  model::DriveModel truth = virtual_drive::catalogue_model(*known);
  const engine::LayoutMap map(truth.layout);
  mtbrc::Context context(guarded);
  context.map = &map;
  context.rotation = truth.rotation;
  const extract::QueueSamples samples = extract::queue_samples(guard, context);
  CHECK(samples.asked == 64);
  CHECK(samples.taken > kAtOnce);  // 64, but for a host that is too busy to send them in time
  CHECK(samples.begins.size() == 10);
  const model::Queue queue = extract::estimate_queue(samples, truth);
  WARN(drive->name() << ": depth " << queue.depth.value.value_or(0) << " (" << queue.depth.method
                     << "), policy " << queue.policy.value.value_or(0) << " ("
                     << queue.policy.method << queue.policy.reason << ")");
  // Each takes the same time from when it came. Threads that are woken at the same moment stamp in
  // any order.
  if (drive->name().starts_with("/dev/sg")) CHECK(queue.policy.value == 1);
}

// The figures of docs/performance.md.
TEST_CASE("what a command takes beyond the drive's time", "[.figures]") {
  constexpr Nanoseconds kService_ns = 5 * kMillisecond;
  constexpr std::uint32_t kCommands = 400;
  TimedDrive drive(kService_ns);
  drive->prepare_for(kAtOnce);
  const auto tell = [&](const std::string& how, std::vector<Nanoseconds> over,
                        std::vector<Nanoseconds> until_issue) {
    std::ranges::sort(over);
    std::ranges::sort(until_issue);
    const auto us = [](const std::vector<Nanoseconds>& sorted, std::size_t percent) {
      return static_cast<double>(sorted[sorted.size() * percent / 100]) / kMicrosecond;
    };
    fmt::print(
        "{:18} {:12} beyond: median {:.0f} us, p90 {:.0f}, p99 {:.0f}; until issued: {:.0f}, "
        "{:.0f}, {:.0f}\n",
        drive->name(), how, us(over, 50), us(over, 90), us(over, 99), us(until_issue, 50),
        us(until_issue, 90), us(until_issue, 99));
  };
  const auto run = [&](const std::string& how, std::uint32_t depth, bool alone) {
    std::vector<Nanoseconds> over(kCommands), until_issue(kCommands);
    std::uint32_t sent = 0;
    for (std::uint32_t reaped = 0; reaped < kCommands; ++reaped) {
      for (; sent < kCommands && sent < reaped + depth; ++sent) {
        const auto command = scsi::read_10(sent * 8, 8, kBlock);
        until_issue[sent] = -drive.now_ns();
        REQUIRE((alone ? drive->submit_alone(command, sent) : drive->submit(command, sent)));
      }
      const scsi::Completion done = drive.next();
      over[done.tag] = done.response_ns() - kService_ns;
      until_issue[done.tag] += done.issued_ns;
    }
    tell(how, std::move(over), std::move(until_issue));
  };
  run("alone", 1, true);
  run("one", 1, false);
  run("sixteen", kAtOnce, false);
}

}  // namespace
}  // namespace platter::transport
