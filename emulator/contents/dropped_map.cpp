#include "emulator/contents/dropped_map.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "model/error.h"

namespace platter::emulator {

std::uint64_t DroppedMap::bytes_for(std::uint64_t pages) {
  const std::uint64_t bytes = (pages + kBits - 1) / kBits * sizeof(Word);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

DroppedMap::DroppedMap(std::uint64_t pages) : pages_(pages) { map(-1, 0); }

DroppedMap::DroppedMap(std::uint64_t pages, int file, std::uint64_t at) : pages_(pages) {
  map(file, at);
  // Only what holds bits is looked at: most of a map is a hole.
  const auto end = static_cast<off_t>(at + bytes_for(pages));
  std::uint64_t count = 0;
  for (auto data = lseek(file, static_cast<off_t>(at), SEEK_DATA); data >= 0 && data < end;) {
    const off_t hole = std::min(end, std::max(lseek(file, data, SEEK_HOLE), data + 1));
    const std::uint64_t from = (static_cast<std::uint64_t>(data) - at) / sizeof(Word);
    const std::uint64_t to = (static_cast<std::uint64_t>(hole) - at + sizeof(Word) - 1) /
                             sizeof(Word);
    for (std::uint64_t word = from; word < to; ++word)
      count += static_cast<std::uint64_t>(std::popcount(load(word)));
    data = lseek(file, hole, SEEK_DATA);
  }
  count_ = count;
}

DroppedMap::~DroppedMap() { munmap(words_, bytes_for(pages_)); }

void DroppedMap::map(int file, std::uint64_t at) {
  const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* const mapped = mmap(nullptr, bytes_for(pages_), PROT_READ | PROT_WRITE, flags, file,
                            static_cast<off_t>(at));
  if (mapped == MAP_FAILED)
    throw Error(ExitStatus::output,
                fmt::format("memory for the map of dropped pages cannot be had: {}; emulate a "
                            "smaller drive",
                            std::strerror(errno)));
  words_ = static_cast<Word*>(mapped);
  madvise(mapped, bytes_for(pages_), MADV_NOHUGEPAGE);  // a bit is to cost a page, not 2 MiB
}

DroppedMap::Word DroppedMap::load(std::uint64_t word) const {
  return std::atomic_ref(words_[word]).load(std::memory_order_acquire);
}

bool DroppedMap::contains(std::uint64_t page) const {
  return (load(page / kBits) >> (page % kBits) & 1) != 0;
}

std::uint64_t DroppedMap::alike(std::uint64_t first, std::uint64_t end) const {
  if (first >= end) return 0;
  const Word same = contains(first) ? 0 : ~Word{0};  // turns the bits that are alike to ones
  std::uint64_t page = first;
  while (page < end) {
    const Word bits = (load(page / kBits) ^ same) >> (page % kBits);
    const auto ones = static_cast<std::uint64_t>(std::countr_one(bits));
    const std::uint64_t left = kBits - page % kBits;
    page += std::min(ones, left);
    if (ones < left) break;
  }
  return std::min(page, end) - first;
}

void DroppedMap::set(std::uint64_t first, std::uint64_t end, bool dropped) {
  while (first < end) {
    const std::uint64_t in = first % kBits, length = std::min(end - first, kBits - in);
    const Word mask = (length == kBits ? ~Word{0} : (Word{1} << length) - 1) << in;
    std::atomic_ref word(words_[first / kBits]);
    // A word that is right is not touched, so that clear ones cost no memory.
    const Word before = word.load(std::memory_order_acquire);
    if ((before & mask) != (dropped ? mask : 0)) {
      const Word was = dropped ? word.fetch_or(mask, std::memory_order_acq_rel)
                               : word.fetch_and(~mask, std::memory_order_acq_rel);
      const auto set = static_cast<std::uint64_t>(std::popcount(was & mask));
      count_ += dropped ? length - set : Word{0} - set;
    }
    first += length;
  }
}

}  // namespace platter::emulator
