// Large caches: finding a segment by what it holds, and the one that has waited longest, without a
// look at all of them. Everything here is a function of the segments as they are, so that whatever
// brings them back brings this back.
#pragma once

#include <cstdint>
#include <span>

#include "engine/segment.h"

namespace platter::engine {

// Smaller caches are searched from end to end, which is faster there.
constexpr std::uint32_t kIndexedFrom = 33;

// Each order by waiting is a tournament whose winner is at the root.
class SegmentIndex {
 public:
  // 32-bit numbers that the index of so many segments takes; 0 if they are too few for one.
  static std::uint32_t room(std::uint32_t segments);

  SegmentIndex(std::span<const Segment> segments, std::uint32_t* memory);

  void rebuild();
  // The segment has been or will be changed; to be told before the next question.
  void note(std::uint32_t segment);

  // Every segment that may hold a block of [low, high), none of them longer than `longest`, in the
  // order of their first blocks: visit(index).
  template <typename Visit>
  void visit_near(std::uint64_t low, std::uint64_t high, std::uint64_t longest, Visit visit) {
    refresh();
    const std::uint64_t from = low >= longest ? low - longest + 1 : 0;
    for (std::uint32_t at = position_of_first(from); at < count_ && first_at(at) < high; ++at)
      visit(order_[at]);
  }
  // The next of [from, to); `to`: none of them.
  std::uint32_t next_of(Waits waits, std::uint32_t from, std::uint32_t to);
  // The first segment in the order of LBNs from `lbn` on that waits for its destage, going round at
  // the end; the number of segments: none does.
  std::uint32_t destage_from(std::uint64_t lbn);

 private:
  std::uint64_t first_at(std::uint32_t position) const;
  std::uint32_t position_of_first(std::uint64_t first) const;
  bool before(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t* tree(Waits waits) { return trees_ + 2 * leaves_ * static_cast<int>(waits); }
  std::uint32_t better(Waits waits, std::uint32_t a, std::uint32_t b) const;
  void play(Waits waits, std::uint32_t segment);
  bool stands_right(std::uint32_t segment) const;
  void take_out(std::uint32_t segment);
  void put_in(std::uint32_t segment);
  void refresh();

  static constexpr std::uint32_t kMostPending = 16;

  std::span<const Segment> segments_;
  std::uint32_t count_, leaves_;
  // In the state: the segments by first block (in_order_ many), where each one is in there, the
  // tournaments, and what has changed since the last question.
  std::uint32_t *order_, *position_, *trees_, *pending_;
  std::uint32_t &pending_count_, &in_order_;
};

}  // namespace platter::engine
