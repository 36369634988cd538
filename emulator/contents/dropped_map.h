// Which pages were written and dropped: a bit each, in memory that the host gives where bits are
// set. 10 GB in one piece take 320 KB, 8 TB in any pieces 256 MB.
#pragma once

#include <atomic>
#include <cstdint>

namespace platter::emulator {

class DroppedMap {
 public:
  static constexpr std::uint64_t kAlignment = 64 * 1024;  // of a map in a file: a host's largest
                                                          // page
  static std::uint64_t bytes_for(std::uint64_t pages);

  // In memory, with no bit set. Throws Error(output).
  explicit DroppedMap(std::uint64_t pages);
  // In a file from that place on, with the bits that are there.
  DroppedMap(std::uint64_t pages, int file, std::uint64_t at);
  ~DroppedMap();
  DroppedMap(const DroppedMap&) = delete;
  DroppedMap& operator=(const DroppedMap&) = delete;

  bool contains(std::uint64_t page) const;
  // Of the pages [first, end), how many from `first` on are alike.
  std::uint64_t alike(std::uint64_t first, std::uint64_t end) const;
  void set(std::uint64_t first, std::uint64_t end, bool dropped);

  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kBits = 64;
  using Word = std::uint64_t;

  void map(int file, std::uint64_t at);
  Word load(std::uint64_t word) const;

  const std::uint64_t pages_;
  Word* words_ = nullptr;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace platter::emulator
