// io_uring(7) by its system calls, with commands of 128 bytes. For one thread.
#pragma once

#include <fmt/format.h>
#include <linux/io_uring.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "model/descriptor.h"
#include "model/error.h"
#include "model/units.h"

namespace platter::emulator::ublk {

// Memory that is mapped as long as this lives.
class Mapping {
 public:
  // As for mmap(2); without a file it is there when it was touched. Throws Error(internal).
  Mapping(std::size_t bytes, int protection, int file = -1, std::size_t offset = 0)
      : begin_(::mmap(nullptr, bytes, protection,
                      file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE, file,
                      static_cast<off_t>(offset))),
        bytes_(bytes) {
    if (begin_ == MAP_FAILED)
      throw Error(ExitStatus::internal,
                  fmt::format("memory for requests cannot be mapped: {}", std::strerror(errno)));
  }
  ~Mapping() { ::munmap(begin_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  template <typename Value>
  Value* at(std::size_t offset) const {
    return reinterpret_cast<Value*>(static_cast<std::byte*>(begin_) + offset);
  }

 private:
  void* begin_;
  std::size_t bytes_;
};

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
