#include "engine/lbn_pieces.h"

#include <algorithm>

namespace platter::engine {
namespace {

using Defect = std::optional<std::string>;

constexpr std::size_t kPieceDensity = 1;

// Lays pieces one behind another. A piece that turns out empty gives way to the one behind it.
class Layer {
 public:
  Layer(std::span<const FlatRemap> remaps, PieceArrays& pieces)
      : remaps_(remaps), pieces_(pieces) {}

  const std::vector<std::uint64_t>& lbns() const { return lbns_; }

  // LBNs [first, end) in sequence: `shift` slots ahead, `gap` more after every `period` of them.
  void sequence(std::uint64_t first, std::uint64_t end, std::uint64_t shift, std::uint64_t period,
                std::uint64_t gap) {
    while (first < end) {
      const bool cut = next_ < remaps_.size() && remaps_[next_].lbn < end;
      const std::uint64_t until = cut ? remaps_[next_].lbn : end;
      if (first < until) regular(first, until, shift, period, gap);
      if (!cut) return;
      const std::uint64_t steps = period == 0 ? 0 : (until - first) / period;
      const std::uint64_t there = shift + steps * gap;
      stretch(until, {remaps_[next_].slot - until, there, 0, 0, 0});
      ++next_;
      // The rest of the period that the remapped block lies in, then whole periods again.
      const std::uint64_t period_end = period == 0 ? end
                                                   : std::min(end, first + (steps + 1) * period);
      if (period != 0) sequence(until + 1, period_end, there, 0, 0);
      first = period == 0 ? until + 1 : period_end;
      shift = period == 0 ? shift : there + gap;
    }
  }

 private:
  // Cut where a piece would be too long.
  void regular(std::uint64_t first, std::uint64_t end, std::uint64_t shift, std::uint64_t period,
               std::uint64_t gap) {
    if (period == 0) return constant(first, end, shift);
    const std::uint64_t periods = std::max<std::uint64_t>(1, kLongestPiece / period);
    while (end - first > period) {
      if (period <= kLongestPiece)
        stretch(first, {shift, shift, period, reciprocal_of(period), gap});
      else
        constant(first, first + period, shift);
      if (end - first <= periods * period) return;
      first += periods * period;
      shift += periods * gap;
    }
    constant(first, end, shift);
  }
  void constant(std::uint64_t first, std::uint64_t end, std::uint64_t shift) {
    for (; first < end; first += std::min(kLongestPiece, end - first)) {
      if (shift < kStretch)
        piece(first, static_cast<std::uint32_t>(shift));
      else
        stretch(first, {shift, shift, 0, 0, 0});
    }
  }
  void stretch(std::uint64_t first, const FlatStretch& stretch) {
    piece(first, kStretch + static_cast<std::uint32_t>(pieces_.stretches.size()));
    pieces_.stretches.push_back(stretch);
  }
  void piece(std::uint64_t first, std::uint32_t shift) {
    lbns_.push_back(first);
    pieces_.shifts.push_back(shift);
  }

  std::span<const FlatRemap> remaps_;
  std::size_t next_ = 0;
  PieceArrays& pieces_;
  std::vector<std::uint64_t> lbns_{};
};

Defect check_skips(std::span<const model::Skip> skips, std::uint64_t slots,
                   std::uint64_t& skipped) {
  std::uint64_t end = 0;
  skipped = 0;
  for (const model::Skip& skip : skips) {
    if (skip.length == 0 || skip.count == 0) return "has an empty skip";
    if (skip.count > 1 && skip.stride <= skip.length) return "has skips that touch each other";
    if (skip.first_slot < end) return "has skips that are not in order or overlap";
    if (skip.first_slot >= slots || skip.length > slots - skip.first_slot)
      return "has a skip beyond its last sector";
    if (skip.count > 1 && skip.count - 1 > (slots - skip.first_slot - skip.length) / skip.stride)
      return "has a skip beyond its last sector";
    end = skip.first_slot + (skip.count - 1) * skip.stride + skip.length;
    skipped += skip.length * skip.count;
  }
  if (skipped == slots) return "holds no blocks";
  return std::nullopt;
}

Defect check_remaps(std::span<const FlatRemap> remaps, std::uint64_t slots, std::uint64_t blocks) {
  for (std::size_t i = 0; i < remaps.size(); ++i) {
    if (remaps[i].lbn >= blocks || remaps[i].slot >= slots)
      return "has a remapped block outside the drive";
    if (i > 0 && remaps[i].lbn == remaps[i - 1].lbn) return "has a block that is remapped twice";
  }
  return std::nullopt;
}

// Sorted by slot.
Defect check_spares(std::span<const FlatRemap> remaps) {
  const auto twice = std::ranges::adjacent_find(remaps, {}, &FlatRemap::slot);
  if (twice != remaps.end()) return "has two blocks remapped to one sector";
  return std::nullopt;
}

// The place in the sequence of a piece's first LBN, and of what would follow its last one.
struct SlotRange {
  std::uint64_t first, end;
};

SlotRange slots_of_piece(const PieceArrays& pieces, std::uint32_t shift, std::uint64_t first_lbn,
                         std::uint64_t end_lbn) {
  if (shift < kStretch) return {first_lbn + shift, end_lbn + shift};
  const FlatStretch& s = pieces.stretches[shift - kStretch];
  const std::uint64_t gaps = s.period == 0 ? 0 : (end_lbn - 1 - first_lbn) / s.period;
  return {first_lbn + s.sequential, end_lbn + s.sequential + gaps * s.gap};
}

Defect complete_stretch(FlatStretch& s, std::uint64_t slots) {
  if ((s.period == 0) != (s.gap == 0)) return "has a stretch whose steps are none";
  if (s.period > slots || s.gap > slots || s.sequential > slots)
    return "has a stretch outside the drive";
  if (s.shift != s.sequential && s.period != 0) return "has more than one block remapped at once";
  s.reciprocal = s.period == 0 ? 0 : reciprocal_of(s.period);
  return std::nullopt;
}

// First LBNs, and behind them the end of the last piece.
Defect first_lbns(std::span<const std::uint32_t> piece_blocks, std::uint64_t slots,
                  std::vector<std::uint64_t>& lbns) {
  if (piece_blocks.empty()) return "holds no blocks";
  lbns.reserve(piece_blocks.size() + 1);
  lbns.push_back(0);
  for (const std::uint32_t blocks : piece_blocks) {
    if (blocks == 0 || blocks > kLongestPiece) return "has a piece of a length that is none";
    lbns.push_back(lbns.back() + blocks);
    if (lbns.back() > slots) return "has more blocks than sectors";
  }
  return std::nullopt;
}

// Every piece in its turn: it begins where the one before it ended, or later.
Defect check_sequence(PieceArrays& pieces, const std::vector<std::uint64_t>& lbns,
                      std::uint64_t slots) {
  std::uint64_t next_slot = 0;
  std::uint32_t stretches = 0;
  for (std::size_t piece = 0; piece + 1 < lbns.size(); ++piece) {
    const std::uint64_t first = lbns[piece], end = lbns[piece + 1];
    const std::uint32_t shift = pieces.shifts[piece];
    if (shift >= kStretch) {
      if (shift - kStretch != stretches || stretches == pieces.stretches.size())
        return "has stretches that are not its own";
      FlatStretch& stretch = pieces.stretches[stretches++];
      if (auto defect = complete_stretch(stretch, slots)) return defect;
      if (stretch.period != 0 && (end - 1 - first) / stretch.period > slots / stretch.gap)
        return "has a stretch outside the drive";
      if (stretch.shift != stretch.sequential) {
        if (end - first != 1) return "has more than one block remapped at once";
        if (first + stretch.shift >= slots) return "has a remapped block outside the drive";
        pieces.remaps.push_back({first, first + stretch.shift});
      }
    }
    const SlotRange range = slots_of_piece(pieces, shift, first, end);
    if (range.first < next_slot || range.end > slots || range.end < range.first)
      return "has pieces that overlap or lie outside the drive";
    next_slot = range.end;
  }
  if (stretches != pieces.stretches.size()) return "has stretches that belong to nothing";
  return std::nullopt;
}

// Of the low halves, with the padding.
std::vector<std::uint32_t> low_halves(const std::vector<std::uint64_t>& lbns, std::uint64_t end) {
  std::vector<std::uint32_t> lows(lbns.size() + kKeyPadding, static_cast<std::uint32_t>(end));
  std::ranges::transform(lbns, lows.begin(),
                         [](std::uint64_t lbn) { return static_cast<std::uint32_t>(lbn); });
  return lows;
}

void index_pieces(PieceArrays& pieces, const std::vector<std::uint64_t>& lbns) {
  pieces.bucket_shift = bucket_shift(pieces.blocks, lbns.size(), kPieceDensity);
  pieces.buckets = build_buckets(lbns, pieces.bucket_shift, pieces.blocks);
  pieces.lbns = low_halves(lbns, pieces.blocks);
  std::ranges::sort(pieces.remaps, {}, &FlatRemap::slot);
}

}  // namespace

std::optional<std::string> compile_pieces(const model::Layout& layout, std::uint64_t slots,
                                          PieceArrays& pieces) {
  std::uint64_t skipped = 0;
  if (auto defect = check_skips(layout.skips, slots, skipped)) return defect;
  pieces.blocks = slots - skipped;
  for (const auto& remap : layout.remaps) pieces.remaps.push_back({remap.lbn, remap.slot});
  std::ranges::sort(pieces.remaps, {}, &FlatRemap::lbn);
  if (auto defect = check_remaps(pieces.remaps, slots, pieces.blocks)) return defect;

  Layer layer(pieces.remaps, pieces);
  std::uint64_t lbn = 0, shift = 0;
  for (const model::Skip& skip : layout.skips) {
    const std::uint64_t first = skip.first_slot - shift;  // the first LBN behind the first run
    layer.sequence(lbn, first, shift, 0, 0);
    const std::uint64_t period = skip.count > 1 ? skip.stride - skip.length : 0;
    lbn = first + (skip.count - 1) * period;  // the first LBN behind the last run
    layer.sequence(first, lbn, shift + skip.length, period, skip.length);
    shift += skip.count * skip.length;
  }
  layer.sequence(lbn, pieces.blocks, shift, 0, 0);

  index_pieces(pieces, layer.lbns());
  return check_spares(pieces.remaps);
}

std::uint64_t LbnPieces::at_or_after_slot(std::uint64_t slot) const {
  // Shifts grow with LBNs: the one behind an LBN that is too high is not too small, and leads to an
  // LBN that is not too high; that one's leads to one that is not too low. There are few pieces
  // between the last two.
  const auto back = [&](std::uint64_t lbn) {
    lbn = std::min(lbn, blocks_ - 1);
    const std::uint64_t ahead = sequential_slot(lbn) - lbn;
    return slot > ahead ? slot - ahead : 0;
  };
  Piece piece = piece_of(std::min(back(back(back(slot))), blocks_ - 1));
  while (!is_last(piece)) {
    const Piece next = behind(piece);
    if (sequential(next.first, next) > slot) break;
    piece = next;
  }
  return at_or_after_slot(slot, piece);
}

std::uint64_t LbnPieces::at_or_after_slot(std::uint64_t slot, const Piece& piece) const {
  const std::uint64_t first_slot = sequential(piece.first, piece);
  if (slot <= first_slot) return piece.first;
  const std::uint64_t into = slot - first_slot;
  const std::uint32_t shift = shifts_[piece.number];
  if (shift < kStretch || stretches_[shift - kStretch].period == 0)
    return std::min(piece.end, piece.first + into);
  const FlatStretch& stretch = stretches_[shift - kStretch];
  const std::uint64_t step = into / (stretch.period + stretch.gap);
  const std::uint64_t rest = into - step * (stretch.period + stretch.gap);
  return std::min(piece.end, piece.first + step * stretch.period + std::min(rest, stretch.period));
}

std::optional<std::string> complete_pieces(PieceArrays& pieces,
                                           std::span<const std::uint32_t> piece_blocks,
                                           std::uint64_t slots) {
  if (pieces.shifts.size() != piece_blocks.size()) return "has pieces without a shift";
  std::vector<std::uint64_t> lbns;
  if (auto defect = first_lbns(piece_blocks, slots, lbns)) return defect;
  pieces.blocks = lbns.back();
  pieces.remaps.clear();
  if (auto defect = check_sequence(pieces, lbns, slots)) return defect;
  lbns.pop_back();
  index_pieces(pieces, lbns);
  return check_spares(pieces.remaps);
}

}  // namespace platter::engine
