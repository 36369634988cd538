// A Device that plays a script: the commands it expects, in order, and what it answers. An
// unexpected command, or one left over, fails the test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "scsi/command_table.h"
#include "scsi/device.h"

namespace platter::scsi::testing {

class ScriptedClock final : public Clock {
 public:
  Nanoseconds now_ns() override { return now; }
  void sleep_until_ns(Nanoseconds deadline_ns) override {
    if (deadline_ns > now) now = deadline_ns;
  }
  Nanoseconds now = 0;
};

struct Step {
  std::vector<std::uint8_t> cdb;  // the first bytes of the CDB
  Status status = Status::good;
  std::vector<std::uint8_t> reply;  // data from the device
  std::vector<std::uint8_t> sense;
  std::optional<std::vector<std::uint8_t>> sent;  // data to the device
};

// Fixed format sense data (SPC-4, fixed format sense data).
inline std::vector<std::uint8_t> fixed_sense(std::uint8_t key, std::uint8_t asc,
                                             std::uint8_t ascq = 0, std::uint8_t code = 0x70) {
  return {code, 0, key, 0, 0, 0, 0, 10, 0, 0, 0, 0, asc, ascq, 0, 0, 0, 0};
}

inline std::vector<std::uint8_t> joined(const std::vector<std::uint8_t>& head,
                                        const std::vector<std::uint8_t>& tail) {
  std::vector<std::uint8_t> whole(head.size() + tail.size());
  std::copy(tail.begin(), tail.end(), std::copy(head.begin(), head.end(), whole.begin()));
  return whole;
}

inline Step answers(std::vector<std::uint8_t> cdb, std::vector<std::uint8_t> reply = {}) {
  return {std::move(cdb), Status::good, std::move(reply), {}, {}};
}

inline Step fails(std::vector<std::uint8_t> cdb, std::uint8_t key, std::uint8_t asc,
                  std::uint8_t ascq = 0) {
  return {std::move(cdb), Status::check_condition, {}, fixed_sense(key, asc, ascq), {}};
}

inline Step takes(std::vector<std::uint8_t> cdb, std::vector<std::uint8_t> sent) {
  return {std::move(cdb), Status::good, {}, {}, std::move(sent)};
}

class ScriptedDevice final : public Device {
 public:
  ScriptedDevice(std::initializer_list<Step> steps = {}) : script_(steps) {}
  ~ScriptedDevice() override {
    if (!script_.empty()) FAIL_CHECK(script_.size() << " expected commands never came");
  }

  void expect(Step step) { script_.push_back(std::move(step)); }
  void expect(std::initializer_list<Step> steps) {
    script_.insert(script_.end(), steps.begin(), steps.end());
  }

  // Once the script is played, this for ever.
  void then_always(Step step) { always_ = std::move(step); }

  const std::string& name() const override { return name_; }
  Clock& clock() override { return clock_; }
  std::uint32_t max_outstanding() const override { return 1; }

  Expected<void> submit(const Command& command, std::uint32_t tag) override {
    INFO("command " << command_name(command));
    if (script_.empty() && !always_) FAIL("unexpected " << command_name(command));
    const Step step = script_.empty() ? *always_ : script_.front();
    if (!script_.empty()) script_.pop_front();
    const std::vector<std::uint8_t> cdb(command.cdb.begin(),
                                        command.cdb.begin() + command.cdb_length);
    REQUIRE(cdb.size() >= step.cdb.size());
    CHECK(std::vector<std::uint8_t>(cdb.begin(), cdb.begin() + step.cdb.size()) == step.cdb);
    if (step.sent) CHECK(command.data == *step.sent);
    Completion done;
    done.tag = tag;
    done.status = step.status;
    done.sense = step.sense;
    done.data = step.reply;
    // What is not kept came as a whole, where the step says nothing else.
    const bool only_timed = !command.keep_data && step.reply.empty();
    if (command.direction == Direction::from_device && !only_timed) {
      if (done.data.size() > command.transfer_length) done.data.resize(command.transfer_length);
      done.residual = command.transfer_length - static_cast<std::uint32_t>(done.data.size());
    }
    done.issued_ns = clock_.now;
    clock_.now += kMillisecond;
    done.completed_ns = clock_.now;
    done_ = std::move(done);
    return {};
  }
  Expected<std::optional<Completion>> reap() override { return std::exchange(done_, std::nullopt); }
  Expected<std::optional<Completion>> reap_until(Nanoseconds) override { return reap(); }
  Expected<void> reset() override {
    ++resets;
    return {};
  }

  int resets = 0;

 private:
  std::string name_ = "scripted";
  ScriptedClock clock_;
  std::deque<Step> script_;
  std::optional<Step> always_;
  std::optional<Completion> done_;
};

}  // namespace platter::scsi::testing
