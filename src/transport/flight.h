// A command on its way through the kernel: what the kernel reads and writes until it is back, and
// the times of both ends.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "scsi/device.h"
#include "transport/pass_through.h"

namespace platter::transport {

// Begins at a page, so that the kernel maps it instead of copying. Its pages are there before a
// command needs them.
class PageBuffer {
 public:
  std::uint8_t* data() const { return data_; }
  void reserve(std::size_t bytes);  // what was in it is lost

 private:
  struct Free {
    void operator()(std::uint8_t* allocation) const;
  };
  std::unique_ptr<std::uint8_t, Free> allocation_;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

struct Flight {
  std::size_t number = 0;  // of all that may be under way at once
  scsi::Command command;   // without its data, which are in `buffer`
  std::uint32_t tag = 0;
  PageBuffer buffer;
  std::array<std::uint8_t, 252> sense{};
  int error = 0;  // errno: Linux did not carry the command out
  Answer answer;
  Nanoseconds issued_ns = 0;     // right before the kernel was called
  Nanoseconds completed_ns = 0;  // when it had the answer

  void load(const scsi::Command& what, std::uint32_t with_tag);
  // Once it is back. For sentences, `path` is the device.
  scsi::Expected<scsi::Completion> completion(const std::string& path) const;
};

// How commands get into the kernel and back, several at a time. Two ways, of which each is the best
// for its nodes (docs/performance.md has the measurement): AsynchronousSg for /dev/sgN,
// ThreadsOfIoctl for /dev/sdX and /dev/bsg/..., which have no other.
// Where flights come back to, from other threads.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // Of a carrier of several threads, before it reads the time of completion: who has come with an
  // earlier time must not be overtaken by those that have told it already.
  virtual void coming() = 0;
  // Once for each that was sent, and behind each coming().
  virtual void back(Flight& flight) = 0;
};

class Carrier {
 public:
  // Only once all are back: the kernel writes into a flight until then.
  virtual ~Carrier() = default;
  // What the first so many flights need. What they lack when they are sent is made then.
  virtual void prepare(std::size_t flights) = 0;
  // Returns when the kernel has it, or is just getting it. Errno: it was not sent, and is not
  // coming back.
  virtual int send(Flight& flight) = 0;
};

}  // namespace platter::transport
