#include "emit/disksim/block_places.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "engine/layout_map.h"
#include "model/error.h"

namespace platter::emit_disksim {
namespace {

constexpr std::uint64_t kMostRemaps = std::uint64_t{1} << 21;

void append_skip(std::vector<model::Skip>& skips, std::int64_t first, std::int64_t length) {
  const auto slot = static_cast<std::uint64_t>(first), count = static_cast<std::uint64_t>(length);
  if (!skips.empty()) {
    model::Skip& last = skips.back();
    const std::uint64_t stride = slot - (last.first_slot + (last.count - 1) * last.stride);
    if (last.length == count && (last.count == 1 || last.stride == stride)) {
      last.stride = stride;
      ++last.count;
      return;
    }
  }
  skips.push_back({slot, count, 1, 0});
}

// The pieces' numbers by ascending slot.
std::vector<std::size_t> by_slot(const std::vector<Placed>& pieces) {
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return pieces[a].slot < pieces[b].slot; });
  return order;
}

void require_one_block_a_slot(const std::vector<Placed>& pieces,
                              const std::vector<std::size_t>& order, const Where& where) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Placed &a = pieces[order[i - 1]], &b = pieces[order[i]];
    if (b.slot < a.slot + a.length) {
      fail_at(where, fmt::format("the blocks {} and {} lie in the same sector",
                                 a.lbn + b.slot - a.slot, b.lbn));
    }
  }
}

// The heaviest of the chains that end at any slot up to a given one (a Fenwick tree of maxima).
class HeaviestChain {
 public:
  struct Best {
    std::int64_t blocks = 0;
    std::size_t last = 0;  // number of the chain's last piece and 1; 0: no chain
  };

  explicit HeaviestChain(std::size_t ranks) : best_(ranks + 1) {}

  Best up_to(std::size_t rank) const {
    Best best;
    for (; rank > 0; rank &= rank - 1) {
      if (best_[rank].blocks > best.blocks) best = best_[rank];
    }
    return best;
  }
  void put(std::size_t rank, const Best& chain) {
    for (; rank < best_.size(); rank += rank & (~rank + 1)) {
      if (chain.blocks > best_[rank].blocks) best_[rank] = chain;
    }
  }

 private:
  std::vector<Best> best_;
};

// Which pieces make the sequence: the ascending chain of slots that holds the most blocks.
std::vector<bool> sequence_of(const std::vector<Placed>& pieces,
                              const std::vector<std::size_t>& order) {
  std::vector<std::size_t> rank(pieces.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i + 1;
  HeaviestChain chains(pieces.size());
  std::vector<std::size_t> before(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const HeaviestChain::Best best = chains.up_to(rank[i]);
    before[i] = best.last;
    chains.put(rank[i], {best.blocks + pieces[i].length, i + 1});
  }
  std::vector<bool> in_sequence(pieces.size());
  for (std::size_t at = chains.up_to(pieces.size()).last; at != 0; at = before[at - 1]) {
    in_sequence[at - 1] = true;
  }
  return in_sequence;
}

// Slots in front of one that are free to stand for remapped blocks.
class FreePlaces {
 public:
  FreePlaces(const std::vector<Placed>& pieces, const std::vector<bool>& in_sequence) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (!in_sequence[i]) targets_.push_back({pieces[i].slot, pieces[i].length});
    }
    std::sort(targets_.begin(), targets_.end(),
              [](const Run& a, const Run& b) { return a.first < b.first; });
  }

  // The last `wanted` free ones of [first, end), ascending; fewer if there are no more.
  std::vector<Run> last_of(std::int64_t first, std::int64_t end, std::int64_t wanted) const {
    std::vector<Run> runs;
    auto target = std::lower_bound(
        targets_.begin(), targets_.end(), end,
        [](const Run& run, std::int64_t slot) { return run.first < slot; });
    while (wanted > 0 && end > first) {
      std::int64_t from = first;
      if (target != targets_.begin()) {
        from = std::max(first, (target - 1)->first + (target - 1)->length);
      }
      const std::int64_t length = std::min(wanted, end - from);
      if (length > 0) runs.push_back({end - length, length});
      wanted -= std::max<std::int64_t>(length, 0);
      if (target == targets_.begin()) break;
      end = (--target)->first;
    }
    std::reverse(runs.begin(), runs.end());
    return runs;
  }

 private:
  std::vector<Run> targets_;
};

}  // namespace

std::vector<model::Skip> gaps_between(const std::vector<Run>& runs, std::int64_t slots) {
  std::vector<model::Skip> skips;
  std::int64_t next = 0;
  for (const Run& run : runs) {
    if (run.first > next) append_skip(skips, next, run.first - next);
    next = run.first + run.length;
  }
  if (slots > next) append_skip(skips, next, slots - next);
  for (model::Skip& skip : skips) {
    if (skip.count == 1) skip.stride = 0;
  }
  return skips;
}

void place_blocks(const std::vector<Placed>& pieces, std::int64_t slots, const Where& where,
                  model::Layout& layout) {
  const std::vector<std::size_t> order = by_slot(pieces);
  require_one_block_a_slot(pieces, order, where);
  const std::vector<bool> in_sequence = sequence_of(pieces, order);
  const FreePlaces free(pieces, in_sequence);
  std::vector<Run> runs;
  std::int64_t next = 0, waiting = 0;
  const auto make_room = [&](std::int64_t end, std::int64_t lbn) {
    if (waiting == 0) return;
    for (const Run& run : free.last_of(next, end, waiting)) {
      runs.push_back(run);
      waiting -= run.length;
    }
    if (waiting == 0) return;
    throw Error(
        ExitStatus::unsupported,
        fmt::format("{}: the remapped blocks in front of block {} leave no free sector where "
                    "they would lie, which this model cannot express",
                    where.text(), lbn));
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Placed& piece = pieces[i];
    if (in_sequence[i]) {
      make_room(piece.slot, piece.lbn);
      runs.push_back({piece.slot, piece.length});
      next = piece.slot + piece.length;
      continue;
    }
    waiting += piece.length;
    if (layout.remaps.size() + static_cast<std::uint64_t>(piece.length) > kMostRemaps)
      throw Error(
          ExitStatus::unsupported,
          fmt::format("{}: more than {} blocks lie outside of the sequence, which this model "
                      "cannot express",
                      where.text(), kMostRemaps));
    for (std::int64_t block = 0; block < piece.length; ++block) {
      layout.remaps.push_back({static_cast<std::uint64_t>(piece.lbn + block),
                               static_cast<std::uint64_t>(piece.slot + block)});
    }
  }
  make_room(slots, pieces.empty() ? 0 : pieces.back().lbn + pieces.back().length);
  layout.skips = gaps_between(runs, slots);
}

void require_tracks_once(const model::Layout& layout, const Where& where) {
  constexpr std::uint64_t kMostTracks = std::uint64_t{1} << 25;
  const engine::LayoutMap map(layout);
  if (map.tracks() > kMostTracks) {
    throw Error(ExitStatus::unsupported, fmt::format("{}: the layout has {} tracks, more than {}",
                                                     where.text(), map.tracks(), kMostTracks));
  }
  std::vector<std::uint64_t> places;
  places.reserve(map.tracks());
  for (std::uint64_t slot = 0; slot < map.slots();) {
    const engine::Track track = map.track_of_slot(slot);
    places.push_back(std::uint64_t{track.cylinder} << 32 | track.head);
    slot = track.first_slot + track.sectors;
  }
  std::sort(places.begin(), places.end());
  const auto twice = std::adjacent_find(places.begin(), places.end());
  if (twice == places.end()) return;
  throw Error(ExitStatus::unsupported,
              fmt::format("{}: the track of cylinder {}, head {} comes twice, which this model "
                          "cannot express",
                          where.text(), *twice >> 32, *twice & 0xffffffff));
}

}  // namespace platter::emit_disksim
