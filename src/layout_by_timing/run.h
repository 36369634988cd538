// A run: neighbouring tracks on one surface that hold as many blocks each, and each of which begins
// a constant skew behind the one before. In the order of the blocks runs make up the drive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace platter::layout_by_timing {

// Sectors that hold no block: `behind` so many blocks of the run.
struct Loss {
  std::uint64_t behind = 0;
  std::uint32_t sectors = 0;
  bool located = true;  // on its track; else somewhere in the run
};

// How a run is known: probed itself; between two that were, by the pattern; by the pattern alone.
enum class Standing : std::uint8_t { seen, interpolated, guessed };

struct Place {  // of a sector in its run
  std::uint32_t track = 0, sector = 0;
};

struct Run {
  std::uint64_t first = 0;   // block
  std::uint32_t tracks = 1;  // of `slots` sectors that may hold blocks
  std::uint32_t slots = 0;
  std::uint32_t spares = 0;  // sectors more at the end of each track, without blocks
  std::uint32_t tail = 0;    // slots at the run's end that hold no block
  double start_rev = 0;      // where the first slot begins
  double skew_rev = 0;       // from a track's start to the next one's, in [0, 1)
  std::vector<Loss> losses;  // ascending
  Standing standing = Standing::seen;
  std::int32_t ring_place = -1;  // in the pattern; -1: none
  bool after_gap = false;        // what is between it and the run before is not understood
  bool same_band = false;        // goes on with the band of the run before, with other tracks

  std::uint32_t around() const { return slots + spares; }
  std::uint64_t lost() const {
    std::uint64_t all = 0;
    for (const Loss& loss : losses) all += loss.sectors;
    return all;
  }
  std::uint64_t blocks() const {
    const std::uint64_t all = std::uint64_t{tracks} * slots, gone = lost() + tail;
    return all > gone ? all - gone : 0;
  }
  std::uint64_t end() const { return first + blocks(); }
  // Of a block of the run, or of one behind it as if the run went on.
  std::uint64_t slot_of(std::uint64_t block) const {
    const std::uint64_t behind = block - first;
    std::uint64_t slot = behind;
    for (const Loss& loss : losses) {
      if (loss.behind > behind) break;
      slot += loss.sectors;
    }
    return slot;
  }
  Place place_of(std::uint64_t block) const {
    const std::uint64_t slot = slot_of(block);
    return {static_cast<std::uint32_t>(slot / slots), static_cast<std::uint32_t>(slot % slots)};
  }
  // nullopt: the slot holds no block.
  std::optional<std::uint64_t> block_at(std::uint64_t slot) const {
    std::uint64_t gone = 0;
    for (const Loss& loss : losses) {
      const std::uint64_t at = loss.behind + gone;
      if (slot < at) break;
      if (slot < at + loss.sectors) return std::nullopt;
      gone += loss.sectors;
    }
    return first + slot - gone;
  }
  // Not reduced: where a track begins.
  double track_start_rev(std::uint64_t track) const {
    return start_rev + skew_rev * static_cast<double>(track);
  }
  double end_of_slot_rev(std::uint64_t slot) const {
    return track_start_rev(slot / slots) +
           static_cast<double>(slot % slots + 1) / static_cast<double>(around());
  }
  // Where a block's sector ends.
  double end_of_block_rev(std::uint64_t block) const { return end_of_slot_rev(slot_of(block)); }
};

}  // namespace platter::layout_by_timing
