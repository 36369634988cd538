#include "emulator/contents/dropped_map.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "model/error.h"

namespace platter::emulator {

std::uint64_t DroppedMap::bytes_for(std::uint64_t pages) {
  constexpr std::uint64_t kChunkBits = kBits * kWords;
  return (pages + kChunkBits - 1) / kChunkBits * sizeof(Chunk);
}

DroppedMap::DroppedMap(std::uint64_t pages) : DroppedMap(pages, -1, 0) {}

DroppedMap::DroppedMap(std::uint64_t pages, int file, std::uint64_t at)
    : pages_(pages), file_(file), at_(at), chunks_(bytes_for(pages) / sizeof(Chunk)) {
  if (file_ >= 0) read_file();
}

DroppedMap::~DroppedMap() {
  for (const auto& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
}

// Only what holds bits is read: most of a map is a hole.
void DroppedMap::read_file() {
  const auto end = static_cast<off_t>(at_ + bytes_for(pages_));
  std::array<Word, kWords> words{};
  for (auto at = static_cast<off_t>(at_); at < end;) {
    const off_t data = lseek(file_, at, SEEK_DATA);
    if (data < 0 || data >= end) return;
    const std::uint64_t number = (static_cast<std::uint64_t>(data) - at_) / sizeof words;
    const auto begin = static_cast<off_t>(at_ + number * sizeof words);
    if (pread(file_, words.data(), sizeof words, begin) != static_cast<ssize_t>(sizeof words))
      throw Error(ExitStatus::output,
                  fmt::format("the map of dropped pages cannot be read: {}; give another file for "
                              "the contents",
                              std::strerror(errno)));
    for (std::uint64_t i = 0; i < kWords; ++i)
      if (words[i] != 0) change(number * kWords + i, words[i], true);
    at = begin + static_cast<off_t>(sizeof words);
  }
}

DroppedMap::Word DroppedMap::load(std::uint64_t word) const {
  const Chunk* const chunk = chunks_[word / kWords].load(std::memory_order_acquire);
  return chunk == nullptr ? 0 : (*chunk)[word % kWords].load(std::memory_order_acquire);
}

DroppedMap::Chunk& DroppedMap::chunk_of(std::uint64_t word) {
  std::atomic<Chunk*>& chunk = chunks_[word / kWords];
  Chunk* its = chunk.load(std::memory_order_relaxed);
  if (its == nullptr) {
    its = new Chunk{};
    chunk.store(its, std::memory_order_release);
  }
  return *its;
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

// Whether that made a difference.
bool DroppedMap::change(std::uint64_t word, Word mask, bool dropped) {
  const Word before = load(word) & mask;
  if (before == (dropped ? mask : 0)) return false;
  std::atomic<Word>& its = chunk_of(word)[word % kWords];
  if (dropped)
    its.fetch_or(mask, std::memory_order_acq_rel);
  else
    its.fetch_and(~mask, std::memory_order_acq_rel);
  const auto set = static_cast<std::uint64_t>(std::popcount(before));
  count_ += dropped ? static_cast<std::uint64_t>(std::popcount(mask)) - set : Word{0} - set;
  return true;
}

int DroppedMap::set(std::uint64_t first, std::uint64_t end, bool dropped) {
  std::uint64_t changed_from = ~std::uint64_t{0}, changed_to = 0;
  while (first < end) {
    const std::uint64_t in = first % kBits, length = std::min(end - first, kBits - in);
    const Word mask = (length == kBits ? ~Word{0} : (Word{1} << length) - 1) << in;
    if (change(first / kBits, mask, dropped)) {
      changed_from = std::min(changed_from, first / kBits);
      changed_to = first / kBits + 1;
    }
    first += length;
  }
  return file_ >= 0 && changed_from < changed_to ? keep(changed_from, changed_to) : 0;
}

int DroppedMap::keep(std::uint64_t first_word, std::uint64_t end_word) const {
  std::array<Word, kWords> words{};
  while (first_word < end_word) {
    const std::uint64_t count = std::min(end_word - first_word, kWords);
    for (std::uint64_t i = 0; i < count; ++i) words[i] = load(first_word + i);
    const auto bytes = static_cast<ssize_t>(count * sizeof(Word));
    if (pwrite(file_, words.data(), static_cast<std::size_t>(bytes),
               static_cast<off_t>(at_ + first_word * sizeof(Word))) != bytes)
      return errno != 0 ? errno : EIO;
    first_word += count;
  }
  return 0;
}

}  // namespace platter::emulator
