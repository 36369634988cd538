#include "engine/segment_index.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

namespace platter::engine {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kCounters = 2;

// Those that hold nothing come last.
std::uint64_t first_of(const Segment& segment) {
  return segment.content == Segment::Content::empty ? kNeverNext : segment.first;
}

}  // namespace

std::uint32_t SegmentIndex::room(std::uint32_t segments) {
  if (segments < kIndexedFrom) return 0;
  constexpr auto kTrees = static_cast<std::uint32_t>(std::size(kAllWaits));
  return kCounters + kMostPending + 2 * segments + 2 * kTrees * std::bit_ceil(segments);
}

SegmentIndex::SegmentIndex(std::span<const Segment> segments, std::uint32_t* memory)
    : segments_(segments),
      count_(static_cast<std::uint32_t>(segments.size())),
      leaves_(std::bit_ceil(count_)),
      order_(memory + kCounters + kMostPending),
      position_(order_ + count_),
      trees_(position_ + count_),
      pending_(memory + kCounters),
      pending_count_(memory[0]),
      in_order_(memory[1]) {}

std::uint64_t SegmentIndex::first_at(std::uint32_t position) const {
  return first_of(segments_[order_[position]]);
}

bool SegmentIndex::before(std::uint32_t a, std::uint32_t b) const {
  const std::uint64_t first_a = first_of(segments_[a]), first_b = first_of(segments_[b]);
  return first_a != first_b ? first_a < first_b : a < b;
}

std::uint32_t SegmentIndex::position_of_first(std::uint64_t first) const {
  std::uint32_t low = 0, high = in_order_;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (first_at(middle) < first)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::uint32_t SegmentIndex::better(Waits waits, std::uint32_t a, std::uint32_t b) const {
  if (a == kNowhere || b == kNowhere) return std::min(a, b);
  const std::uint64_t rank_a = rank_of(segments_[a], waits), rank_b = rank_of(segments_[b], waits);
  if (rank_a != rank_b) return rank_a < rank_b ? a : b;
  return std::min(a, b);
}

void SegmentIndex::play(Waits waits, std::uint32_t segment) {
  std::uint32_t* const winners = tree(waits);
  for (std::uint32_t node = (leaves_ + segment) / 2; node > 0; node /= 2)
    winners[node] = better(waits, winners[2 * node], winners[2 * node + 1]);
}

void SegmentIndex::rebuild() {
  for (std::uint32_t i = 0; i < count_; ++i) order_[i] = i;
  std::sort(order_, order_ + count_, [&](auto a, auto b) { return before(a, b); });
  for (std::uint32_t i = 0; i < count_; ++i) position_[order_[i]] = i;
  in_order_ = count_;
  for (const Waits waits : kAllWaits) {
    std::uint32_t* const winners = tree(waits);
    for (std::uint32_t i = 0; i < leaves_; ++i) winners[leaves_ + i] = i < count_ ? i : kNowhere;
    for (std::uint32_t node = leaves_ - 1; node > 0; --node)
      winners[node] = better(waits, winners[2 * node], winners[2 * node + 1]);
  }
  pending_count_ = 0;
}

void SegmentIndex::note(std::uint32_t segment) {
  const std::uint32_t known = std::min(pending_count_, kMostPending);
  if (std::find(pending_, pending_ + known, segment) != pending_ + known) return;
  if (pending_count_ < kMostPending) pending_[pending_count_] = segment;
  if (pending_count_ <= kMostPending) ++pending_count_;
}

void SegmentIndex::take_out(std::uint32_t segment) {
  const std::uint32_t at = position_[segment];
  std::copy(order_ + at + 1, order_ + in_order_, order_ + at);
  --in_order_;
  for (std::uint32_t i = at; i < in_order_; ++i) position_[order_[i]] = i;
}

void SegmentIndex::put_in(std::uint32_t segment) {
  std::uint32_t* const at = std::lower_bound(order_, order_ + in_order_, segment,
                                             [&](auto a, auto b) { return before(a, b); });
  std::copy_backward(at, order_ + in_order_, order_ + in_order_ + 1);
  *at = segment;
  ++in_order_;
  for (auto i = static_cast<std::uint32_t>(at - order_); i < in_order_; ++i)
    position_[order_[i]] = i;
}

bool SegmentIndex::stands_right(std::uint32_t segment) const {
  const std::uint32_t at = position_[segment];
  return (at == 0 || before(order_[at - 1], segment)) &&
         (at + 1 == in_order_ || before(segment, order_[at + 1]));
}

// Those that changed are taken out first: the order of the rest is then whole, and a place in it
// can be searched.
void SegmentIndex::refresh() {
  if (pending_count_ == 0) return;
  if (pending_count_ > kMostPending) return rebuild();
  const std::span pending(pending_, pending_count_);
  if (!std::ranges::all_of(pending, [&](auto segment) { return stands_right(segment); })) {
    for (const std::uint32_t segment : pending) take_out(segment);
    for (const std::uint32_t segment : pending) put_in(segment);
  }
  for (const std::uint32_t segment : pending)
    for (const Waits waits : kAllWaits) play(waits, segment);
  pending_count_ = 0;
}

std::uint32_t SegmentIndex::next_of(Waits waits, std::uint32_t from, std::uint32_t to) {
  refresh();
  const std::uint32_t* const winners = tree(waits);
  std::uint32_t best = kNowhere;
  for (std::uint32_t low = leaves_ + from, high = leaves_ + to; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) best = better(waits, best, winners[low++]);
    if (high % 2 == 1) best = better(waits, best, winners[--high]);
  }
  return best == kNowhere || rank_of(segments_[best], waits) == kNeverNext ? to : best;
}

std::uint32_t SegmentIndex::destage_from(std::uint64_t lbn) {
  refresh();
  const std::uint32_t start = position_of_first(lbn);
  for (std::uint32_t i = 0; i < count_; ++i) {
    const std::uint32_t segment = order_[(start + i) % count_];
    if (segments_[segment].content == Segment::Content::dirty) return segment;
  }
  return count_;
}

}  // namespace platter::engine
