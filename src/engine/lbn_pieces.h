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
  std::vector<std::uint32_t> lbns;  // padded
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

// Pieces of unknown origin, of so many LBNs each: fills in what follows from their shifts and
// stretches. Returns what is wrong, to follow "its layout"; nullopt: nothing, and no LBN leads
// outside of the slots. (That a remapped block's slot is a spare one is not looked at.)
std::optional<std::string> complete_pieces(PieceArrays& pieces,
                                           std::span<const std::uint32_t> piece_blocks,
                                           std::uint64_t slots);

// LBNs [first, end) of which none is remapped and each lies `shift` slots ahead of its number; none
// where no such LBNs are known.
struct EvenRun {
  std::uint64_t first = 0, end = 0, shift = 0;

  bool holds(std::uint64_t lbn) const { return lbn - first < end - first; }
  bool holds_slot(std::uint64_t slot) const { return holds(slot - shift) & (slot >= shift); }
  std::uint64_t slot_of(std::uint64_t lbn) const { return lbn + shift; }
  std::uint64_t lbn_of(std::uint64_t slot) const { return slot - shift; }
};

// The view of compiled pieces that the look-ups work on. No bounds are checked: complete_pieces
// does.
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
    EvenRun even{};      // that the LBN is in
  };
  [[gnu::always_inline]] Run run_at(std::uint64_t lbn) const {
    const std::size_t number = index_.count_not_above(lbn) - 1;
    const std::uint32_t shift = shifts_[number];
    if (shift < kStretch) [[likely]] {
      const Piece even = piece(lbn, number);
      return {lbn + shift, even.end, {even.first, even.end, shift}};
    }
    return run_in_stretch(lbn, piece(lbn, number), stretches_[shift - kStretch]);
  }
  // As if no block were remapped: where the LBN's place in the sequence is.
  std::uint64_t sequential_slot(std::uint64_t lbn) const { return sequential(lbn, piece_of(lbn)); }
  bool is_remapped(std::uint64_t lbn) const {
    const std::uint32_t shift = shifts_[index_.count_not_above(lbn) - 1];
    if (shift < kStretch) return false;
    const FlatStretch& stretch = stretches_[shift - kStretch];
    return stretch.shift != stretch.sequential;
  }
  // The first LBN, remapped or not, whose place in the sequence is not before the slot; the number
  // of LBNs behind the last one's. Quick if the slot is between the same skips as `near`, an LBN.
  std::uint64_t at_or_after_slot(std::uint64_t slot, std::uint64_t near) const {
    const Piece piece = piece_of(near);
    const std::uint32_t shift = shifts_[piece.number];
    if (shift < kStretch && slot >= piece.first + shift && slot - shift < piece.end) [[likely]]
      return slot - shift;
    return at_or_after_slot(slot);
  }
  std::uint64_t at_or_after_slot(std::uint64_t slot) const;

  struct Piece {
    std::size_t number = 0;
    std::uint64_t first = 0, end = 0;  // LBNs
  };
  Piece first_piece() const { return {0, 0, index_.distance(0)}; }
  bool is_last(const Piece& piece) const { return piece.number + 1 == index_.size(); }
  Piece behind(const Piece& piece) const {  // which is not the last
    return {piece.number + 1, piece.end, piece.end + index_.distance(piece.number + 1)};
  }
  // Of an LBN of the piece.
  std::uint64_t sequential(std::uint64_t lbn, const Piece& piece) const {
    const std::uint32_t shift = shifts_[piece.number];
    if (shift < kStretch) return lbn + shift;
    const FlatStretch& stretch = stretches_[shift - kStretch];
    return lbn + stretch.sequential + periods(lbn - piece.first, stretch) * stretch.gap;
  }
  // The first LBN of the piece, or its end, whose place in the sequence is not before the slot.
  std::uint64_t at_or_after_slot(std::uint64_t slot, const Piece& piece) const;

 private:
  // From an LBN of the piece before on.
  std::uint32_t before(std::uint64_t lbn, std::size_t number) const {
    return index_.keys[number] - static_cast<std::uint32_t>(lbn);
  }
  Piece piece(std::uint64_t lbn, std::size_t number) const {
    const std::uint32_t into = static_cast<std::uint32_t>(lbn) - index_.keys[number];
    return {number, lbn - into, lbn + before(lbn, number + 1)};
  }
  Piece piece_of(std::uint64_t lbn) const { return piece(lbn, index_.count_not_above(lbn) - 1); }
  static std::uint64_t periods(std::uint64_t into, const FlatStretch& stretch) {
    if (stretch.period == 0) return 0;
    return quotient(into, stretch.period, stretch.reciprocal);
  }
  static Run run_in_stretch(std::uint64_t lbn, const Piece& piece, const FlatStretch& stretch) {
    const std::uint64_t steps = periods(lbn - piece.first, stretch);
    std::uint64_t end = piece.end;
    if (stretch.period != 0) end = std::min(end, piece.first + (steps + 1) * stretch.period);
    return {lbn + stretch.shift + steps * stretch.gap, end, {}};
  }

  LowKeyIndex index_;
  std::span<const std::uint32_t> shifts_;
  std::span<const FlatStretch> stretches_;
  std::uint64_t blocks_ = 0;
};

}  // namespace platter::engine
