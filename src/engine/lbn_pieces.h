// Where the LBNs lie among the slots: skips and remapped blocks compiled into pieces of LBNs over
// which slot - LBN is constant or grows at regular steps (flat_tables.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/flat_tables.h"
#include "engine/int128.h"
#include "engine/key_index.h"
#include "model/drive_model.h"

namespace platter::engine {

struct PieceArrays {
  std::vector<std::uint64_t> lbns;  // padded
  std::vector<std::uint32_t> shifts;
  std::vector<std::uint32_t> buckets;
  std::uint32_t bucket_shift = 0;
  std::vector<FlatStretch> stretches;
  std::vector<FlatRemap> remaps;  // by slot
  std::uint64_t blocks = 0;
};

// Of a layout with so many slots. Returns what is wrong with its skips or remaps, to follow "the
// layout"; nullopt: nothing.
std::optional<std::string> compile_pieces(const model::Layout& layout, std::uint64_t slots,
                                          PieceArrays& pieces);

// The view of compiled pieces that the look-ups work on. No bounds are checked: pieces_defect does.
class LbnPieces {
 public:
  LbnPieces() = default;
  explicit LbnPieces(const LayoutView& layout)
      : index_{layout.piece_lbns, layout.piece_buckets, layout.totals.piece_shift},
        shifts_(layout.piece_shifts),
        stretches_(layout.stretches),
        blocks_(layout.totals.blocks) {}

  struct Run {
    std::uint64_t slot;  // of the LBN
    std::uint64_t end;   // the slots of the LBNs up to this one, not included, follow without a gap
  };
  [[gnu::always_inline]] Run run_at(std::uint64_t lbn) const {
    const std::size_t piece = index_.count_not_above(lbn) - 1;
    const std::uint32_t shift = shifts_[piece];
    const std::uint64_t end = index_.keys[piece + 1];
    if (shift < kStretch) [[likely]]
      return {lbn + shift, end};
    return run_in_stretch(lbn, index_.keys[piece], end, stretches_[shift - kStretch]);
  }
  // As if no block were remapped: where the LBN's place in the sequence is.
  std::uint64_t sequential_slot(std::uint64_t lbn) const {
    const std::size_t piece = index_.count_not_above(lbn) - 1;
    return sequential(lbn, piece);
  }
  bool is_remapped(std::uint64_t lbn) const {
    const std::uint32_t shift = shifts_[index_.count_not_above(lbn) - 1];
    if (shift < kStretch) return false;
    const FlatStretch& stretch = stretches_[shift - kStretch];
    return stretch.shift != stretch.sequential;
  }
  // The first LBN, remapped or not, whose place in the sequence is not before the slot; the number
  // of LBNs behind the last one's. Quick if the slot is between the same skips as `near`, an LBN.
  std::uint64_t at_or_after_slot(std::uint64_t slot, std::uint64_t near) const {
    const std::size_t piece = index_.count_not_above(near) - 1;
    const std::uint32_t shift = shifts_[piece];
    if (shift < kStretch && slot >= index_.keys[piece] + shift &&
        slot - shift < std::min(index_.keys[piece + 1], blocks_)) [[likely]]
      return slot - shift;
    return at_or_after_slot(slot);
  }
  std::uint64_t at_or_after_slot(std::uint64_t slot) const;

 private:
  static std::uint64_t periods(std::uint64_t into, const FlatStretch& stretch) {
    if (stretch.period == 0) return 0;
    return quotient(into, stretch.period, stretch.reciprocal);
  }
  static Run run_in_stretch(std::uint64_t lbn, std::uint64_t first, std::uint64_t end,
                            const FlatStretch& stretch) {
    const std::uint64_t steps = periods(lbn - first, stretch);
    if (stretch.period != 0) end = std::min(end, first + (steps + 1) * stretch.period);
    return {lbn + stretch.shift + steps * stretch.gap, end};
  }
  std::uint64_t sequential(std::uint64_t lbn, std::size_t piece) const {
    const std::uint32_t shift = shifts_[piece];
    if (shift < kStretch) return lbn + shift;
    const FlatStretch& stretch = stretches_[shift - kStretch];
    return lbn + stretch.sequential + periods(lbn - index_.keys[piece], stretch) * stretch.gap;
  }

  KeyIndex index_;
  std::span<const std::uint32_t> shifts_;
  std::span<const FlatStretch> stretches_;
  std::uint64_t blocks_ = 0;
};

// What is wrong with pieces of unknown origin, to follow "its layout"; nullopt: nothing, and no
// LBN leads outside of the slots. (That a remapped block's slot is a spare one is not looked at.)
std::optional<std::string> pieces_defect(const LayoutView& layout);

}  // namespace platter::engine
