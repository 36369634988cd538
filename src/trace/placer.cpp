#include "trace/placer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/error.h"

namespace platter::trace {

namespace {

__extension__ typedef unsigned __int128 Uint128;

struct Places {
  std::uint64_t first = 0, count = 0;
};

Places places_in(const LbnRange& range, std::uint64_t blocks, std::uint64_t align) {
  const std::uint64_t before = range.first % align;
  const std::uint64_t skip = before == 0 ? 0 : align - before;
  const std::uint64_t size = range.last - range.first;  // less one: a range may hold 2^64 blocks
  if (size < skip || size - skip < blocks - 1) return {};
  return {range.first + skip, (size - skip - (blocks - 1)) / align + 1};
}

std::uint64_t part_of(std::uint64_t whole, Share share) {
  return static_cast<std::uint64_t>(Uint128{whole} * share.part / share.of);
}

}  // namespace

std::uint64_t Ranges::blocks() const {
  std::uint64_t total = 0;
  for (const LbnRange& range : ranges_) total += range.last - range.first + 1;
  return total;
}

bool Ranges::holds(std::uint64_t lbn, std::uint64_t blocks) const {
  return std::ranges::any_of(ranges_,
                             [&](const LbnRange& range) { return range.holds(lbn, blocks); });
}

std::uint64_t Ranges::places(std::uint64_t blocks, std::uint64_t align) const {
  std::uint64_t total = 0;
  for (const LbnRange& range : ranges_) total += places_in(range, blocks, align).count;
  return total;
}

std::uint64_t Ranges::draw(Draws& draws, std::uint64_t blocks, std::uint64_t align) const {
  std::uint64_t place = draws.below(places(blocks, align));
  for (const LbnRange& range : ranges_) {
    const Places here = places_in(range, blocks, align);
    if (place < here.count) return here.first + place * align;
    place -= here.count;
  }
  return ranges_.front().first;
}

std::uint64_t Ranges::next_place(std::optional<std::uint64_t> lbn, std::uint64_t blocks,
                                 std::uint64_t align) const {
  if (lbn && holds(*lbn, blocks)) return *lbn;
  const auto here = std::ranges::find_if(ranges_, [&](const LbnRange& range) {
    return lbn && (range.holds(*lbn, 1) || range.last == *lbn - 1);
  });
  const auto from = here == ranges_.end() ? 0
                                          : static_cast<std::size_t>(here - ranges_.begin()) + 1;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Places places = places_in(ranges_[(from + i) % ranges_.size()], blocks, align);
    if (places.count > 0) return places.first;
  }
  return ranges_.front().first;
}

Ranges Ranges::piece(Share begin, Share end) const {
  const std::uint64_t total = blocks();
  std::uint64_t from = part_of(total, begin), to = part_of(total, end);
  std::vector<LbnRange> cut;
  for (const LbnRange& range : ranges_) {
    const std::uint64_t size = range.last - range.first + 1;
    if (from < size && to > 0)
      cut.push_back({range.first + from, range.first + std::min(to, size) - 1});
    from -= std::min(from, size);
    to -= std::min(to, size);
  }
  std::erase_if(cut, [](const LbnRange& range) { return range.first > range.last; });
  return Ranges(std::move(cut));
}

Placer::Placer(const Profile& profile, Ranges ranges, std::uint64_t align, std::uint64_t largest,
               std::uint64_t stride)
    : place_(profile.place),
      ranges_(std::move(ranges)),
      align_(align),
      largest_(largest),
      stride_(stride) {
  require_room(ranges_, "no LBN range given can hold");
  std::visit([&](const auto& place) { prepare(place); }, place_);
}

void Placer::require_room(const Ranges& ranges, const std::string& what) const {
  if (ranges.places(largest_, align_) > 0) return;
  throw Error(
      ExitStatus::usage,
      fmt::format("{} the largest request of the workload, {} blocks{}; name longer ranges "
                  "or ask for smaller requests",
                  what, largest_, align_ > 1 ? fmt::format(" on a multiple of {}", align_) : ""));
}

void Placer::prepare(const Nearby&) {}

void Placer::prepare(const Streams& streams) {
  for (std::uint32_t i = 0; i < streams.count; ++i) {
    Ranges region = ranges_.piece({i, streams.count}, {i + 1, streams.count});
    require_room(region, fmt::format("{} streams, each with a region of its own, leave one that "
                                     "cannot hold",
                                     streams.count));
    streams_.push_back({std::move(region)});
  }
}

// The hot part lies in the middle, for a drive is fastest at its beginning.
void Placer::prepare(const HotSpot& spot) {
  const Share begin{spot.span.of - spot.span.part, 2 * spot.span.of};
  const Share end{spot.span.of + spot.span.part, 2 * spot.span.of};
  hot_ = ranges_.piece(begin, end);
  std::vector<LbnRange> rest = ranges_.piece({0, 1}, begin).list();
  const Ranges behind = ranges_.piece(end, {1, 1});
  rest.insert(rest.end(), behind.list().begin(), behind.list().end());
  rest_ = Ranges(std::move(rest));
  if (spot.hot.part > 0) require_room(hot_, "the hot part of the ranges cannot hold");
  if (spot.hot.part < spot.hot.of)
    require_room(rest_, "the ranges beside the hot part cannot hold");
}

std::uint64_t Placer::place(Draws& draws, const std::optional<LbnRange>& before,
                            std::uint64_t blocks) {
  if (const auto* nearby = std::get_if<Nearby>(&place_))
    return next(*nearby, draws, before, blocks);
  if (std::holds_alternative<OnTracks>(place_)) return ranges_.draw(draws, 1, align_);
  if (const auto* streams = std::get_if<Streams>(&place_)) return next(*streams, draws, blocks);
  return next(std::get<HotSpot>(place_), draws, blocks);
}

std::uint64_t Placer::next(const Nearby& nearby, Draws& draws,
                           const std::optional<LbnRange>& before, std::uint64_t blocks) {
  if (!before || nearby.sequential + nearby.local == 0) return ranges_.draw(draws, blocks, align_);
  const std::uint64_t kind = draws.below(nearby.of);
  std::optional<std::uint64_t> lbn;
  if (kind < nearby.sequential) {
    lbn = before->last + 1;
  } else if (kind < nearby.sequential + nearby.local) {
    const std::uint64_t lowest = before->first - std::min(before->first, nearby.local_blocks);
    const std::uint64_t to_last = ~std::uint64_t{0} - before->first - (blocks - 1);
    const std::uint64_t highest = before->first + std::min(to_last, nearby.local_blocks);
    const Ranges around({{lowest, highest + (blocks - 1)}});
    if (around.places(blocks, align_) > 0) lbn = around.draw(draws, blocks, align_);
  }
  return lbn && ranges_.holds(*lbn, blocks) ? *lbn : ranges_.draw(draws, blocks, align_);
}

std::uint64_t Placer::next(const Streams& streams, Draws& draws, std::uint64_t blocks) {
  Stream& stream =
      streams_[streams.in_turn ? turn_++ % streams_.size() : draws.below(streams_.size())];
  const bool begins_run = streams.run_requests > 0 && stream.requests % streams.run_requests == 0;
  const std::uint64_t lbn = begins_run ? stream.region.draw(draws, blocks, align_)
                                       : stream.region.next_place(stream.next, blocks, align_);
  ++stream.requests;
  stream.next = lbn + (stride_ > 0 ? stride_ : blocks);
  return lbn;
}

std::uint64_t Placer::next(const HotSpot& spot, Draws& draws, std::uint64_t blocks) {
  const bool hot = draws.below(spot.hot.of) < spot.hot.part;
  return (hot ? hot_ : rest_).draw(draws, blocks, align_);
}

}  // namespace platter::trace
