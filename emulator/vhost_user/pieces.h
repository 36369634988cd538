// Bytes in and out of pieces of a guest's memory, one behind the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace platter::emulator {

using Pieces = std::span<const std::span<std::uint8_t>>;

inline std::uint64_t bytes_of(Pieces pieces) {
  std::uint64_t bytes = 0;
  for (const auto& piece : pieces) bytes += piece.size();
  return bytes;
}

// Calls `each(piece, done)` for the pieces' parts behind the first `skipped` bytes, `wanted` in
// all.
template <typename Each>
void walk(Pieces pieces, std::uint64_t skipped, std::uint64_t wanted, const Each& each) {
  std::uint64_t done = 0;
  for (std::span<std::uint8_t> piece : pieces) {
    if (skipped >= piece.size()) {
      skipped -= piece.size();
      continue;
    }
    piece = piece.subspan(skipped);
    skipped = 0;
    piece = piece.first(std::min<std::uint64_t>(piece.size(), wanted - done));
    if (piece.empty()) return;
    each(piece, done);
    done += piece.size();
  }
}

// As many as there are.
inline void copy_from(Pieces pieces, std::uint64_t skipped, std::span<std::uint8_t> to) {
  walk(pieces, skipped, to.size(), [&](std::span<std::uint8_t> piece, std::uint64_t done) {
    std::memcpy(to.data() + done, piece.data(), piece.size());
  });
}

inline void copy_to(Pieces pieces, std::uint64_t skipped, std::span<const std::uint8_t> from) {
  walk(pieces, skipped, from.size(), [&](std::span<std::uint8_t> piece, std::uint64_t done) {
    std::memcpy(piece.data(), from.data() + done, piece.size());
  });
}

}  // namespace platter::emulator
