// Which pages were written and dropped: a bit each, with memory for those parts of a drive alone
// where bits are set. 10 GB in one piece take 320 KB, 8 TB in any pieces 256 MB.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace platter::emulator {

class DroppedMap {
 public:
  static std::uint64_t bytes_for(std::uint64_t pages);

  // In memory, with no bit set.
  explicit DroppedMap(std::uint64_t pages);
  // With the bits that a file has from that place on, and from then on kept there as well. Throws
  // Error(output) where it cannot be read.
  DroppedMap(std::uint64_t pages, int file, std::uint64_t at);
  ~DroppedMap();
  DroppedMap(const DroppedMap&) = delete;
  DroppedMap& operator=(const DroppedMap&) = delete;

  bool contains(std::uint64_t page) const;
  // Of the pages [first, end), how many from `first` on are alike.
  std::uint64_t alike(std::uint64_t first, std::uint64_t end) const;
  // By one thread at a time, while others ask. 0, or an errno: the file does not have it.
  int set(std::uint64_t first, std::uint64_t end, bool dropped);

  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  using Word = std::uint64_t;
  static constexpr std::uint64_t kBits = 64, kWords = 512;  // of a word, of a chunk
  using Chunk = std::array<std::atomic<Word>, kWords>;

  Word load(std::uint64_t word) const;
  Chunk& chunk_of(std::uint64_t word);
  bool change(std::uint64_t word, Word mask, bool dropped);
  int keep(std::uint64_t first_word, std::uint64_t end_word) const;
  void read_file();

  const std::uint64_t pages_;
  const int file_;
  const std::uint64_t at_;
  std::vector<std::atomic<Chunk*>> chunks_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace platter::emulator
