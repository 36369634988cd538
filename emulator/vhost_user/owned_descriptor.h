// A file descriptor that is ours to close.
#pragma once

#include <unistd.h>

#include <utility>

namespace platter::emulator {

class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  explicit OwnedDescriptor(int descriptor) : descriptor_(descriptor) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : descriptor_(other.release()) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = other.release();
    return *this;
  }
  ~OwnedDescriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

}  // namespace platter::emulator
