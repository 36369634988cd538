// Memory that is mapped as long as this lives.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "model/error.h"

namespace platter::emulator::ublk {

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

}  // namespace platter::emulator::ublk
