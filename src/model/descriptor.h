// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace platter::model {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    const int taken = other.release();
    if (fd_ >= 0) ::close(fd_);
    fd_ = taken;
    return *this;
  }
  int get() const { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace platter::model
