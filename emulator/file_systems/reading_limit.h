// How much of a file system is read at a time: when it is found, and with each page that is
// written. Maps that lead to themselves, or to one place from everywhere, are products that a few
// blocks can say.
#pragma once

#include <algorithm>
#include <cstdint>

namespace platter::emulator {

struct TooMuchToRead {};

class ReadingLimit {
 public:
  void renew() { left_ = kMost; }
  // All throw TooMuchToRead. Of what is read, the bytes; of what is made of it, extents, and
  // entries of folders.
  void take_bytes(std::uint64_t bytes) { take(std::max<std::uint64_t>(bytes / kBytes, 1)); }
  void take_extents(std::uint64_t many = 1) { take(many * kExtent); }
  void take_entry() { take(kEntry); }

 private:
  // By the memory that each keeps: 4 GiB of blocks, 8 million extents or 2 million entries.
  static constexpr std::uint64_t kBytes = 64, kExtent = 8, kEntry = 32, kMost = 1 << 26;

  void take(std::uint64_t many) {
    if (many > left_) throw TooMuchToRead{};
    left_ -= many;
  }

  std::uint64_t left_ = kMost;
};

}  // namespace platter::emulator
