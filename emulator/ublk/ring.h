// io_uring(7) by its system calls, with commands of 128 bytes. For one thread.
#pragma once

#include <linux/io_uring.h>

#include <cstdint>
#include <optional>

#include "emulator/ublk/mapping.h"
#include "model/descriptor.h"
#include "model/units.h"

namespace platter::emulator::ublk {

class Ring {
 public:
  // `entries`: a power of two; so many commands may wait for an enter(). Throws
  // Error(missing_program) where the kernel has no io_uring for this process.
  explicit Ring(unsigned entries);
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // All 0, and sent by the next enter().
  io_uring_sqe& next();
  // Waits until there is an answer, or until that time of the host's clock; nullopt: as long as it
  // takes. A signal ends it early.
  void enter(std::optional<Nanoseconds> until_host_ns);
  struct Answer {
    std::uint64_t user_data;
    std::int32_t result;
  };
  // The oldest; nullopt: there is none.
  std::optional<Answer> take();

 private:
  io_uring_params params_{};
  model::Descriptor file_;
  Mapping queues_, commands_;
  std::uint32_t *tail_, *answers_head_, *answers_tail_;
  io_uring_cqe* answers_;
  std::uint32_t filled_ = 0;  // as *tail_ with those that were not sent
};

}  // namespace platter::emulator::ublk
