#include "layout/track_reader.h"

#include <algorithm>

namespace platter::layout {

std::uint64_t last_where(std::uint64_t lbn, std::uint64_t hint, std::uint64_t end,
                         const std::function<bool(std::uint64_t)>& holds) {
  std::uint64_t low = lbn, high = end;  // it holds for low, not for high
  for (const std::uint64_t guess : {hint, hint + 1}) {
    if (guess > low && guess < high) (holds(guess) ? low : high) = guess;
  }
  for (std::uint64_t step = 1; high == end && low + step < end; step *= 2) {
    const std::uint64_t guess = low + step;
    (holds(guess) ? low : high) = guess;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

bool TrackReader::is_remapped(std::uint64_t lbn) {
  return map_.remaps.contains(lbn) || survey_.at(lbn).remapped;
}

std::uint64_t TrackReader::regular_from(std::uint64_t lbn, std::uint64_t end) {
  while (is_remapped(lbn) && lbn + 1 < end) ++lbn;
  return lbn;
}

std::uint64_t TrackReader::regular_before(std::uint64_t lbn, std::uint64_t first) {
  while (lbn > first && is_remapped(lbn)) --lbn;
  return lbn;
}

std::uint64_t TrackReader::last_on_track(std::uint64_t lbn, std::uint64_t hint) {
  const TrackPlace place = place_of(lbn);
  // A remapped block tells nothing: its neighbour does.
  return last_where(lbn, hint, survey_.blocks(), [&](std::uint64_t other) {
    return place_of(regular_before(other, lbn)) == place;
  });
}

std::uint64_t TrackReader::last_on_head(std::uint64_t lbn) {
  const std::int64_t head = place_of(lbn).head;
  return last_where(lbn, lbn, survey_.blocks(), [&](std::uint64_t other) {
    return place_of(regular_before(other, lbn)).head == head;
  });
}

std::uint64_t TrackReader::span_of(std::uint64_t first, std::uint64_t last) {
  last = regular_before(last, first);
  if (!numbers_.numbering().from_index)
    return numbers_.from_base(survey_.at(last).place.sector) + 1;
  const auto wrapped = first_after_wrap(first, last, 0);
  const std::uint64_t length = last - first + 1;
  if (!wrapped) return length;
  return std::max<std::uint64_t>(length,
                                 numbers_.from_base(survey_.at(*wrapped - 1).place.sector) + 1);
}

std::optional<std::uint64_t> TrackReader::first_after_wrap(std::uint64_t first, std::uint64_t last,
                                                           std::uint64_t sectors) {
  const std::uint32_t start = survey_.at(first).place.sector;
  const auto is_before = [&](std::uint64_t lbn) {
    return survey_.at(regular_before(lbn, first)).place.sector >= start;
  };
  if (is_before(last)) return std::nullopt;
  // Where it would be with a block in every sector.
  const std::uint64_t numbers = std::max<std::uint64_t>(sectors, last - first + 1);
  const std::uint64_t hint = first + numbers - std::min<std::uint64_t>(numbers, start + 1);
  return last_where(first, hint, last, is_before) + 1;
}

std::uint32_t TrackReader::front_offset(std::uint64_t lbn) {
  if (numbers_.numbering().from_index) return 0;
  const scsi::PhysicalAddress& place = survey_.at(lbn).place;
  return numbers_.slot_of(track_of(place), place.sector);
}

}  // namespace platter::layout
