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
  void regular(std::uint64_t first, std::uint64_t end, std::uint64_t shift, std::uint64_t period,
               std::uint64_t gap) {
    if (period != 0 && end - first > period)
      stretch(first, {shift, shift, period, reciprocal_of(period), gap});
    else if (shift < kStretch)
      piece(first, static_cast<std::uint32_t>(shift));
    else
      stretch(first, {shift, shift, 0, 0, 0});
  }
  void stretch(std::uint64_t first, const FlatStretch& stretch) {
    piece(first, kStretch + static_cast<std::uint32_t>(pieces_.stretches.size()));
    pieces_.stretches.push_back(stretch);
  }
  void piece(std::uint64_t first, std::uint32_t shift) {
    pieces_.lbns.push_back(first);
    pieces_.shifts.push_back(shift);
  }

  std::span<const FlatRemap> remaps_;
  std::size_t next_ = 0;
  PieceArrays& pieces_;
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

SlotRange slots_of_piece(const LayoutView& layout, std::size_t piece, std::uint64_t end_lbn) {
  const std::uint64_t first_lbn = layout.piece_lbns[piece];
  const std::uint32_t shift = layout.piece_shifts[piece];
  if (shift < kStretch) return {first_lbn + shift, end_lbn + shift};
  const FlatStretch& s = layout.stretches[shift - kStretch];
  const std::uint64_t gaps = s.period == 0 ? 0 : (end_lbn - 1 - first_lbn) / s.period;
  return {first_lbn + s.sequential, end_lbn + s.sequential + gaps * s.gap};
}

Defect stretch_defect(const FlatStretch& s, std::uint64_t slots) {
  if (s.period == 0 ? s.reciprocal != 0 || s.gap != 0
                    : s.reciprocal != reciprocal_of(s.period) || s.gap == 0)
    return "has a stretch whose steps are none";
  if (s.period > slots || s.gap > slots || s.sequential > slots)
    return "has a stretch outside the drive";
  if (s.shift != s.sequential && s.period != 0) return "has more than one block remapped at once";
  return std::nullopt;
}

// Every piece in its turn: it begins where the one before it ended, or later.
Defect check_sequence(const LayoutView& layout, std::vector<FlatRemap>& remaps) {
  const std::uint64_t slots = layout.totals.slots, blocks = layout.totals.blocks;
  std::uint64_t next_slot = 0;
  std::uint32_t stretches = 0;
  for (std::size_t piece = 0; piece < layout.piece_shifts.size(); ++piece) {
    const std::uint64_t first = layout.piece_lbns[piece];
    const std::uint64_t end = piece + 1 < layout.piece_shifts.size() ? layout.piece_lbns[piece + 1]
                                                                     : blocks;
    if (end <= first) return "has pieces that do not ascend";
    if (const std::uint32_t shift = layout.piece_shifts[piece]; shift >= kStretch) {
      if (shift - kStretch != stretches || stretches == layout.stretches.size())
        return "has stretches that are not its own";
      const FlatStretch& stretch = layout.stretches[stretches++];
      if (auto defect = stretch_defect(stretch, slots)) return defect;
      if (stretch.period != 0 && (end - 1 - first) / stretch.period > slots / stretch.gap)
        return "has a stretch outside the drive";
      if (stretch.shift != stretch.sequential) {
        if (end - first != 1) return "has more than one block remapped at once";
        if (first + stretch.shift >= slots) return "has a remapped block outside the drive";
        remaps.push_back({first, first + stretch.shift});
      }
    }
    const SlotRange range = slots_of_piece(layout, piece, end);
    if (range.first < next_slot || range.end > slots || range.end < range.first)
      return "has pieces that overlap or lie outside the drive";
    next_slot = range.end;
  }
  if (stretches != layout.stretches.size()) return "has stretches that belong to nothing";
  return std::nullopt;
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

  pieces.bucket_shift = bucket_shift(pieces.blocks, pieces.lbns.size(), kPieceDensity);
  pieces.buckets = build_buckets(pieces.lbns, pieces.bucket_shift, pieces.blocks);
  pad(pieces.lbns);
  std::ranges::sort(pieces.remaps, {}, &FlatRemap::slot);
  return check_spares(pieces.remaps);
}

std::uint64_t LbnPieces::at_or_after_slot(std::uint64_t slot) const {
  // Shifts grow with LBNs: the one behind an LBN that is too high is not too small, and leads to an
  // LBN that is not too high; that one's leads to one that is not too low. There are few pieces
  // between the last two.
  const auto piece_of = [&](std::uint64_t lbn) { return index_.count_not_above(lbn) - 1; };
  const auto back = [&](std::uint64_t lbn) {
    lbn = std::min(lbn, blocks_ - 1);
    const std::uint64_t ahead = sequential(lbn, piece_of(lbn)) - lbn;
    return slot > ahead ? slot - ahead : 0;
  };
  std::size_t piece = piece_of(std::min(back(back(back(slot))), blocks_ - 1));
  while (piece + 1 < index_.size() && sequential(index_.keys[piece + 1], piece + 1) <= slot)
    ++piece;
  const std::uint64_t first = index_.keys[piece];
  const std::uint64_t end = std::min(index_.keys[piece + 1], blocks_);
  const std::uint64_t first_slot = sequential(first, piece);
  if (slot <= first_slot) return first;
  const std::uint64_t into = slot - first_slot;
  const std::uint32_t shift = shifts_[piece];
  if (shift < kStretch || stretches_[shift - kStretch].period == 0)
    return std::min(end, first + into);
  const FlatStretch& stretch = stretches_[shift - kStretch];
  const std::uint64_t step = into / (stretch.period + stretch.gap);
  const std::uint64_t rest = into - step * (stretch.period + stretch.gap);
  return std::min(end, first + step * stretch.period + std::min(rest, stretch.period));
}

std::optional<std::string> pieces_defect(const LayoutView& layout) {
  const FlatLayout& totals = layout.totals;
  if (!is_ascending(layout.piece_lbns) || layout.piece_lbns[0] != 0)
    return "has pieces that do not ascend";
  const auto lbns = layout.piece_lbns.first(layout.piece_lbns.size() - kKeyPadding);
  if (layout.piece_shifts.size() != lbns.size()) return "has pieces without a shift";
  if (lbns.back() >= totals.blocks) return "has pieces beyond its last block";
  std::vector<FlatRemap> remaps;
  if (auto defect = check_sequence(layout, remaps)) return defect;
  std::ranges::sort(remaps, {}, &FlatRemap::slot);
  if (auto defect = check_spares(remaps)) return defect;
  if (!std::ranges::equal(remaps, layout.remaps, [](const FlatRemap& a, const FlatRemap& b) {
        return a.lbn == b.lbn && a.slot == b.slot;
      }))
    return "has remapped blocks out of order";
  if (totals.piece_shift != bucket_shift(totals.blocks, lbns.size(), kPieceDensity) ||
      !std::ranges::equal(layout.piece_buckets,
                          build_buckets(lbns, totals.piece_shift, totals.blocks)))
    return "has an index that leads astray";
  return std::nullopt;
}

}  // namespace platter::engine
