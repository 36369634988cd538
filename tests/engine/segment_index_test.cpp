// The index of a large cache against a look at all of its segments.

#include "engine/segment_index.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "catch.h"
#include "engine/state.h"

using namespace platter::engine;

namespace {

using Content = Segment::Content;

std::uint32_t next_of(const std::vector<Segment>& segments, Waits waits, std::uint32_t from,
                      std::uint32_t to) {
  std::uint32_t best = to;
  for (std::uint32_t i = from; i < to; ++i) {
    const std::uint64_t rank = rank_of(segments[i], waits);
    if (rank != kNeverNext && (best == to || rank < rank_of(segments[best], waits))) best = i;
  }
  return best;
}

std::uint32_t destage_from(const std::vector<Segment>& segments, std::uint64_t lbn) {
  std::uint32_t best = static_cast<std::uint32_t>(segments.size());
  const auto key = [&](std::uint32_t i) {
    const bool behind = segments[i].first < lbn;
    return std::pair(behind, std::pair(segments[i].first, i));
  };
  for (std::uint32_t i = 0; i < segments.size(); ++i)
    if (segments[i].content == Content::dirty && (best == segments.size() || key(i) < key(best)))
      best = i;
  return best;
}

}  // namespace

TEST_CASE("the index answers as a look at all segments does") {
  std::mt19937_64 random(11);
  for (const std::uint32_t count : {33u, 64u, 100u, 1025u}) {
    std::vector<Segment> segments(count);
    std::vector<std::uint32_t> memory(SegmentIndex::room(count));
    SegmentIndex(segments, memory.data()).rebuild();
    constexpr std::uint64_t kLongest = 50;
    std::uint64_t uses = 0;
    for (int round = 0; round < 3000; ++round) {
      SegmentIndex index(segments, memory.data());
      // Now and then more at once than the index keeps a list of.
      const int changes = random() % 50 == 0 ? 30 : static_cast<int>(random() % 5);
      for (int i = 0; i < changes; ++i) {
        const auto which = static_cast<std::uint32_t>(random() % count);
        index.note(which);
        Segment& segment = segments[which];
        switch (random() % 4) {
          case 0:
            segment.use_at(++uses);
            break;
          case 1:
            segment.become(Content::empty);
            break;
          default:
            segment.first = random() % 5000;
            segment.end = segment.first + 1 + random() % kLongest;
            segment.use_at(++uses);
            segment.since = ++uses;
            segment.become(static_cast<Content>(1 + random() % 4));
        }
      }
      const std::uint64_t low = random() % 5000, high = low + 1 + random() % 60;
      std::vector<std::uint32_t> seen;
      index.visit_near(low, high, kLongest, [&](std::uint32_t i) { seen.push_back(i); });
      CHECK(std::set(seen.begin(), seen.end()).size() == seen.size());
      for (std::uint32_t i = 0; i < count; ++i) {
        const bool holds = segments[i].content != Content::empty && segments[i].first < high &&
                           segments[i].end > low;
        if (holds) REQUIRE(std::find(seen.begin(), seen.end(), i) != seen.end());
      }
      const auto from = static_cast<std::uint32_t>(random() % count);
      const auto to = from + 1 + static_cast<std::uint32_t>(random() % (count - from));
      for (const Waits waits : kAllWaits)
        REQUIRE(index.next_of(waits, from, to) == next_of(segments, waits, from, to));
      REQUIRE(index.destage_from(low) == destage_from(segments, low));
    }
  }
}
