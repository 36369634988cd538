#include "layout/head_lengths.h"

#include <algorithm>
#include <map>
#include <optional>

namespace platter::layout {

namespace {

constexpr int kTracksOfHead = 3;

struct SeenHead {
  std::uint64_t longest = 0;
  int tracks = 0, ended = 0;  // of its tracks, so many end their cylinder
};

// The block at which the tracks of a band, which begins with block `lbn`, come to those three
// cylinders that begin at `cylinder` and go on by `step`; `lbn` if they do not.
std::uint64_t on_same_cylinders(TrackReader& reader, std::uint64_t lbn, std::int64_t cylinder,
                                std::int64_t step) {
  const std::uint64_t end = reader.last_on_head(lbn) + 1;
  const auto cylinder_at = [&](std::uint64_t other) {
    return reader.place_of(reader.regular_before(other, lbn)).cylinder;
  };
  const std::int64_t first = cylinder_at(lbn), last = cylinder_at(end - 1);
  const std::int64_t onward = last < first ? -1 : 1;
  const std::int64_t wanted = onward == step ? cylinder : cylinder + 2 * step;
  if ((wanted - first) * onward <= 0 || (last - wanted) * onward < 0) return lbn;
  std::uint64_t low = lbn, high = end - 1;  // low lies before it, high does not
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    ((wanted - cylinder_at(middle)) * onward > 0 ? low : high) = middle;
  }
  return high;
}

// By head; those that were not seen are as long as the longest. Empty if they do not differ.
std::vector<std::uint32_t> lengths_that_differ(const std::map<std::int64_t, SeenHead>& heads,
                                               bool in_bands) {
  std::uint64_t longest = 0;
  for (const auto& [number, head] : heads) longest = std::max(longest, head.longest);
  bool differ = false;
  std::vector<std::uint32_t> sectors;
  for (const auto& [number, head] : heads) {
    sectors.resize(static_cast<std::size_t>(number) + 1, static_cast<std::uint32_t>(longest));
    sectors.back() = static_cast<std::uint32_t>(head.longest);
    const bool has_spares = !in_bands && head.ended >= head.tracks;
    differ |= head.longest < longest && !has_spares;
  }
  if (!differ) sectors.clear();
  return sectors;
}

}  // namespace

std::vector<std::uint32_t> asked_sectors_of_heads(Survey& survey, SectorNumbers& numbers,
                                                  TrackPlace place, std::uint32_t length,
                                                  const Zone* before) {
  constexpr std::uint32_t kMostHeads = 256;
  const std::uint32_t heads = survey.heads() > 0 ? survey.heads() : kMostHeads;
  std::vector<std::uint32_t> sectors;
  for (std::uint32_t head = 0; head < heads; ++head) {
    std::int64_t hint = length;  // the difference between heads is much the same everywhere
    if (before) hint += std::int64_t{before->sectors_on(head)} - before->sectors_on(place.head);
    if (head == place.head) {
      sectors.push_back(length);
      continue;
    }
    const auto found = numbers.length_of(
        {place.cylinder, head}, static_cast<std::uint32_t>(std::max<std::int64_t>(hint, 1)));
    if (!found) break;
    sectors.push_back(*found);
  }
  const bool alike = std::ranges::all_of(sectors, [&](std::uint32_t s) { return s == length; });
  if (alike || static_cast<std::size_t>(place.head) >= sectors.size()) return {};
  return sectors;
}

std::vector<std::uint32_t> seen_sectors_of_heads(Survey& survey, SectorNumbers& numbers,
                                                 TrackReader& reader, std::uint64_t lbn,
                                                 const Zone* before) {
  std::map<std::int64_t, SeenHead> heads;
  std::optional<TrackPlace> previous;  // the last track that was looked at
  std::int64_t first_cylinder = 0, step = 0;
  bool in_bands = false, skipped = false;  // skipped: tracks since then
  while (lbn < survey.blocks()) {
    const std::uint64_t regular = reader.regular_from(lbn, survey.blocks());
    const TrackPlace place = reader.place_of(regular);
    if (!previous) first_cylinder = place.cylinder;
    if (previous && step == 0) {
      in_bands = previous->head == place.head;
      step = place.cylinder < first_cylinder ? -1 : 1;
    }
    SeenHead& head = heads[place.head];
    // A track ends its cylinder once, however many behind it are not looked at.
    const bool ends = previous && !skipped && previous->cylinder != place.cylinder;
    if (ends) ++heads[previous->head].ended;
    if (head.tracks == kTracksOfHead) {
      if (previous->head != place.head) break;
      skipped = true;
      lbn = reader.last_on_head(regular) + 1;
      continue;
    }
    if (in_bands && head.tracks == 0) {
      const std::uint64_t there = on_same_cylinders(reader, regular, first_cylinder, step);
      if (there != regular) {
        previous = place;
        skipped = true;
        lbn = there;
        continue;
      }
    }
    std::uint64_t hint = head.longest;
    if (hint == 0 && before) hint = before->sectors_on(place.head);
    const std::uint64_t last = reader.last_on_track(
        regular, regular + hint - std::min<std::uint64_t>(hint, 1));
    const std::uint64_t unnumbered = numbers.numbering().renumbered
                                         ? numbers.listed().count_on(place)
                                         : 0;
    head.longest = std::max(head.longest, reader.span_of(regular, last) + unnumbered);
    ++head.tracks;
    previous = place;
    skipped = false;
    lbn = last + 1;
  }
  return lengths_that_differ(heads, in_bands);
}

}  // namespace platter::layout
