// Device: SCSI commands to one logical unit, in that device's own time. Asynchronous: submit and
// reap; execute on top of them. Nobody above this line knows how bytes reach the drive.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "model/error.h"
#include "model/units.h"

namespace platter::scsi {

enum class Direction : std::uint8_t { none = 0, from_device = 1, to_device = 2 };
enum class Attribute : std::uint8_t { simple = 0, head_of_queue = 1, ordered = 2 };

// SAM-5 clause 5.3.1.
enum class Status : std::uint8_t {
  good = 0x00,
  check_condition = 0x02,
  condition_met = 0x04,
  busy = 0x08,
  reservation_conflict = 0x18,
  task_set_full = 0x28,
  aborted = 0x40,
};

struct Command {
  std::array<std::uint8_t, 32> cdb{};
  std::uint8_t cdb_length = 0;  // 6, 10, 12, 16 or 32
  Direction direction = Direction::none;
  std::uint32_t transfer_length = 0;  // bytes that the host can take, or gives
  std::vector<std::uint8_t> data;     // to_device: transfer_length bytes
  bool keep_data = true;  // false: only the time matters, Completion::data may stay empty
  Attribute attribute = Attribute::simple;
  Nanoseconds timeout_ns = 60 * kSecond;

  std::uint8_t opcode() const { return cdb[0]; }
};

struct Completion {
  std::uint32_t tag = 0;
  Status status = Status::good;
  std::vector<std::uint8_t> sense;  // as received: fixed or descriptor format
  std::uint32_t residual = 0;       // transfer_length less the bytes really moved
  std::vector<std::uint8_t> data;   // from_device
  Nanoseconds issued_ns = 0;        // on the device's clock
  Nanoseconds completed_ns = 0;

  Nanoseconds response_ns() const { return completed_ns - issued_ns; }
};

// The path to the drive failed: the drive is gone, a reply is malformed, the kernel refused.
struct TransportError {
  enum class Kind { gone, permission, protocol, timeout, refused, io };
  Kind kind = Kind::io;
  std::string sentence;  // names the device, what is wrong and what to do
};

// The same for a person, with the exit status that fits.
Error as_error(const TransportError& error);

template <class T>
using Expected = tl::expected<T, TransportError>;

// When the host handed a command to its adapter, and when it had the completion back.
struct Stamp {
  Nanoseconds dispatched_ns = 0, returned_ns = 0;  // on the device's clock
};

// While it lives, the host stamps TEST UNIT READYs.
class Stamping {
 public:
  virtual ~Stamping() = default;
  // Those of the commands since it began; a command may have none.
  virtual std::vector<Stamp> stamps() = 0;
};

// The device's own time: CLOCK_MONOTONIC_RAW for real drives, the drive's virtual time for others.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanoseconds now_ns() = 0;
  // The same with the time in it for which the host slept, where the clock stood still meanwhile.
  virtual Nanoseconds with_sleep_ns() { return now_ns(); }
  // Lets time pass with nothing sent. Returns at once if `deadline_ns` is past.
  virtual void sleep_until_ns(Nanoseconds deadline_ns) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const std::string& name() const = 0;
  virtual Clock& clock() = 0;
  // Most commands that may be outstanding (1 for a synchronous path).
  virtual std::uint32_t max_outstanding() const = 0;
  // Most bytes that the path carries in one command; 0: any, or it does not say.
  virtual std::uint32_t max_transfer_bytes() const { return 0; }

  // So many are going to be outstanding: what the path needs for that is made now, and not while
  // times count.
  virtual void prepare_for(std::uint32_t /*outstanding*/) {}
  // Commands that the path has sent once more by itself because the drive refused them (TASK SET
  // FULL, BUSY): of these the last answer alone is seen. Counted while nothing is outstanding.
  virtual std::uint64_t sent_again() { return 0; }
  // nullptr: this path, or this host, has no stamps. One at a time.
  virtual std::unique_ptr<Stamping> stamp() { return nullptr; }

  // Issues the command at clock().now_ns(). `tag` is unique among outstanding commands.
  virtual Expected<void> submit(const Command& command, std::uint32_t tag) = 0;
  // The same where nothing is outstanding and nothing else will be before this one is reaped: a
  // path may wait for the drive in here, if that keeps its times most exact.
  virtual Expected<void> submit_alone(const Command& command, std::uint32_t tag) {
    return submit(command, tag);
  }
  // The earliest completion among the outstanding commands; the clock moves there.
  // nullopt: nothing is outstanding. An error is the end of one of them; the others stay.
  virtual Expected<std::optional<Completion>> reap() = 0;
  // The earliest completion not later than `deadline_ns`; nullopt if there is none (the clock
  // then stands at the deadline).
  virtual Expected<std::optional<Completion>> reap_until(Nanoseconds deadline_ns) = 0;
  // Logical unit reset: outstanding commands are dropped, settings return to their saved values.
  virtual Expected<void> reset() = 0;

  // One command at a time: submit and reap. Nothing else may be outstanding.
  virtual Expected<Completion> execute(const Command& command);
};

// For whoever gives up with so many outstanding at most: waits for them, whatever they bring.
void drain(Device& device, std::size_t outstanding);

}  // namespace platter::scsi
