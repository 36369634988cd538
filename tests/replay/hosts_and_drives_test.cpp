// Hosts that come late, and drives that take few commands at once or are busy.
#include <deque>

#include "catch.h"
#include "model/error.h"
#include "replay/replay_drive.h"
#include "replay/small_drive.h"
#include "replay/summary.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::replay;
using namespace platter::replay::testing;

namespace {

model::DriveModel deep_drive() {
  model::DriveModel model = drive_model();
  model.queue.depth = engine::testing::value(64);
  return model;
}

// A virtual drive through which something goes wrong.
class Hindered : public scsi::Device {
 public:
  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return drive_.reap(); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return drive_.reap_until(deadline_ns);
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 protected:
  virtual_drive::VirtualDevice drive_{deep_drive()};
};

// The host wakes up a millisecond late.
class SleepyHost final : public Hindered {
 public:
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    auto done = drive_.reap_until(deadline_ns);
    if (done && !*done) clock().sleep_until_ns(deadline_ns + kMillisecond);
    return done;
  }
};

// The host's path takes but so many.
class NarrowPath final : public Hindered {
 public:
  std::uint32_t max_outstanding() const override { return 2; }
};

// The drive takes only so many, the others with that status.
class Refusing final : public Hindered {
 public:
  Refusing(std::uint32_t most, scsi::Status status) : most_(most), status_(status) {}

  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    if (taken_ >= most_) {
      const Nanoseconds now_ns = clock().now_ns();
      refused_.push_back({.tag = tag,
                          .status = status_,
                          .sense = {},
                          .data = {},
                          .issued_ns = now_ns,
                          .completed_ns = now_ns});
      return {};
    }
    ++taken_;
    seen_ = std::max(seen_, taken_);
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override {
    if (!refused_.empty()) return next_refused();
    return counted(drive_.reap());
  }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    if (!refused_.empty()) return next_refused();
    return counted(drive_.reap_until(deadline_ns));
  }

  std::uint32_t most_, seen_ = 0;

 private:
  std::optional<scsi::Completion> next_refused() {
    scsi::Completion first = refused_.front();
    refused_.pop_front();
    return first;
  }
  scsi::Expected<std::optional<scsi::Completion>> counted(
      scsi::Expected<std::optional<scsi::Completion>> done) {
    if (done && *done) --taken_;
    return done;
  }

  scsi::Status status_;
  std::uint32_t taken_ = 0;
  std::deque<scsi::Completion> refused_{};
};

// A drive that answers with this sense once it is told to.
class Failing final : public Hindered {
 public:
  explicit Failing(std::vector<std::uint8_t> sense) : sense_(std::move(sense)) {}

  scsi::Expected<std::optional<scsi::Completion>> reap() override { return failed(drive_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return failed(drive_.reap_until(deadline_ns));
  }

 private:
  scsi::Expected<std::optional<scsi::Completion>> failed(
      scsi::Expected<std::optional<scsi::Completion>> done) {
    if (done && *done && ++answers_ > 60) {
      (*done)->status = scsi::Status::check_condition;
      (*done)->sense = sense_;
    }
    return done;
  }

  std::vector<std::uint8_t> sense_;
  int answers_ = 0;
};

trace::Trace burst(std::size_t requests, Nanoseconds gap_ns) {
  trace::Trace trace;
  for (std::size_t i = 0; i < requests; ++i)
    trace.requests.push_back({.arrival_ns = static_cast<Nanoseconds>(i) * gap_ns,
                              .lbn = i * 1237 % (kBlocks - 8),
                              .blocks = 4});
  return trace;
}

void check_each_once(const Result& result, const trace::Trace& trace) {
  REQUIRE(result.requests.size() == trace.requests.size());
  for (std::size_t i = 0; i < result.requests.size(); ++i) {
    CHECK(result.requests[i].lbn == trace.requests[i].lbn);
    CHECK(result.requests[i].response_ns > 0);
    CHECK(result.requests[i].late_ns() >= 0);
  }
}

}  // namespace

TEST_CASE("a host that wakes up late is told from a depth that is used up") {
  SleepyHost device;
  const Result far_apart = replay_on_drive(device, {}, burst(30, 100 * kMillisecond), {.depth = 4});
  for (const Response& request : far_apart.requests) {
    CHECK(request.late_ns() == kMillisecond);
    CHECK(request.waited_ns == 0);
  }
  CHECK(summary_of(far_apart).lateness.host.p50_ms == 1);
  CHECK(is_late(summary_of(far_apart)));

  Hindered punctual;
  const Result dense = replay_on_drive(punctual, {}, burst(60, kMillisecond / 10), {.depth = 4});
  const Lateness late = summary_of(dense).lateness;
  CHECK(late.host.max_ms == 0);
  CHECK(late.depth.p50_ms > 5);
  CHECK_FALSE(is_late(summary_of(dense)));
}

TEST_CASE("a path that takes fewer at once gets what it takes, and the result says so") {
  NarrowPath device;
  const trace::Trace trace = burst(40, kMillisecond);
  const Result result = replay_on_drive(device, {}, trace, {.depth = 16});
  check_each_once(result, trace);
  CHECK(result.depth == 2);
  CHECK(result.asked_depth == 16);
  CHECK(replay_on_drive(device, {}, trace, {.depth = 2}).asked_depth == 0);
}

TEST_CASE("a drive that says TASK SET FULL gets as many as it takes") {
  const trace::Kind kind = GENERATE(trace::Kind::open, trace::Kind::closed);
  Refusing device(3, scsi::Status::task_set_full);
  const trace::Trace trace = trace::converted(burst(200, kMillisecond), kind);
  const Result result = replay_on_drive(device, {}, trace, {.depth = 32});
  check_each_once(result, trace);
  CHECK(device.seen_ == 3);
  CHECK(result.depth == 3);
  CHECK(result.asked_depth == 32);
  CHECK(result.retries > 0);
  CHECK(result.retries < 64);  // it learns
  CHECK(summary_of(result).lateness.host.max_ms == 0);
}

TEST_CASE("a drive that is busy is asked again, its pauses are no lateness of the host") {
  Refusing device(1, scsi::Status::busy);
  const trace::Trace trace = burst(20, 8 * kMillisecond);
  const Result result = replay_on_drive(device, {}, trace, {.depth = 2});
  check_each_once(result, trace);
  CHECK(result.retries > 0);
  CHECK(summary_of(result).lateness.host.max_ms == 0);
  CHECK(summary_of(result).lateness.depth.max_ms >= 1);
}

TEST_CASE("a drive that is busy for good is an error that names the request") {
  Refusing device(1, scsi::Status::busy);
  const trace::Trace trace = burst(20, kMillisecond);
  scsi::Guard guard(device, {});
  scsi::Drive(guard, "d").identify();
  device.most_ = 0;
  try {
    replay_on_drive(device, {}, trace, {.depth = 2});
    FAIL("served");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::drive_error);
  }
}

TEST_CASE("a request is to leave the trace only where the drive fails these blocks alone") {
  struct Example {
    std::uint8_t key, asc, ascq;
    const char* says;
    ExitStatus status;
  };
  for (const Example& example :
       std::vector<Example>{{0x3, 0x11, 0x00, "take it out of the trace", ExitStatus::drive_error},
                            {0x5, 0x21, 0x00, "take it out of the trace", ExitStatus::drive_error},
                            {0x3, 0x31, 0x00, "has to be formatted", ExitStatus::drive_error},
                            {0x2, 0x04, 0x02, "sg_start --start", ExitStatus::drive_error},
                            {0x4, 0x44, 0x00, "failed inside", ExitStatus::drive_error},
                            {0xB, 0x47, 0x00, "cable", ExitStatus::drive_error},
                            {0x5, 0x74, 0x71, "unlock it", ExitStatus::refused}}) {
    Failing device({0x72, example.key, example.asc, example.ascq, 0, 0, 0, 0});
    try {
      replay_on_drive(device, {}, burst(200, kMillisecond), {.depth = 2});
      FAIL("served");
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Catch::Contains("fails the read of 4 blocks"));
      CHECK_THAT(error.what(), Catch::Contains(example.says));
      CHECK(error.status() == example.status);
    }
  }
}
