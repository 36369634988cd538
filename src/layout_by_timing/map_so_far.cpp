#include "layout_by_timing/map_so_far.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "statistics/circular.h"

namespace platter::layout_by_timing {

MapSoFar::MapSoFar(TimedBlocks& of, double period_ns, MapperOptions how)
    : drive(of),
      options(std::move(how)),
      frame(drive, period_ns, drive.blocks() / 2),
      prober(drive, frame, options.seed),
      walker(prober),
      loss_finder(prober, options.tracks_apart) {
  prober.set_deadline(options.deadline_ns);
}

std::uint32_t MapSoFar::tracks_left(const Run& run) const {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>((end() - run.first + run.lost()) / run.slots, 0x7FFFFFFF));
}

void MapSoFar::push(Run run) {
  if (run.standing == Standing::seen) {
    prober.keep_frame_by(run);
    loss_finder.mapped(run.tracks, run.losses.size());
  }
  note_format(run);
  if (!run.same_band) count_last_band();
  runs.push_back(std::move(run));
}

// Its tracks, be they of one run or of some, now that what is behind it is no part of it.
void MapSoFar::count_last_band() {
  if (runs.size() <= counted_) return;  // what was behind it was taken back
  counted_ = runs.size();
  if (runs.empty() || !pattern || runs.back().ring_place < 0) return;
  pattern->count_tracks(static_cast<std::size_t>(runs.back().ring_place), tracks_of_last_band(),
                        runs.back().standing);
}

std::uint32_t MapSoFar::tracks_of_last_band() const {
  std::uint32_t tracks = runs.back().tracks;
  for (std::size_t i = runs.size() - 1; i > 0 && runs[i].same_band; --i)
    tracks += runs[i - 1].tracks;
  return tracks;
}

bool MapSoFar::goes_on_with_band(const Run& part, std::uint32_t so_far, const Run& next) const {
  constexpr double kFewSectors_rev = 0.016, kAlike = 0.03;
  constexpr std::uint32_t kMostGone = 2, kLeastLeft = 2;  // tracks
  if (!pattern || part.ring_place < 0 || pattern->is_of_tracks()) return false;
  const auto place = static_cast<std::size_t>(part.ring_place);
  if (so_far + kLeastLeft >= (*pattern)[place].tracks ||
      std::abs(1.0 * next.slots - part.slots) > kAlike * part.slots)
    return false;
  const double entered = entry_rev(part, next);
  const auto is = [&](double entry) {
    return std::abs(statistics::wrap_rev(entered - entry)) < kFewSectors_rev;
  };
  if (is((*pattern)[place + 1].entry_rev)) return false;
  for (std::uint32_t on = 0; on <= 1 + kMostGone; ++on)
    if (is(on * (*pattern)[place].skew_rev)) return true;
  return false;
}

// Parts of bands may have been taken for tracks of a size that the drive does not have.
void MapSoFar::note_format(const Run& run) {
  const bool is_long = pattern ? 2 * run.tracks >= pattern->usual_tracks() : run.tracks > 1;
  if (is_long && run.standing == Standing::seen) tracks_of_format_[run.slots] += run.tracks;
}

void MapSoFar::note_formats_anew() {
  tracks_of_format_.clear();
  for (const Run& run : runs) note_format(run);
}

// Few tracks that lost a sector or two look like another format.
std::vector<std::uint32_t> MapSoFar::formats() const {
  constexpr std::uint32_t kMany = 4;
  std::vector<std::uint32_t> formats;
  for (const auto& [slots, tracks] : tracks_of_format_)
    if (tracks >= kMany) formats.push_back(slots);
  return formats;
}

// Where the order of the runs was lost, counting begins anew; unless that is too soon.
std::optional<Pattern> MapSoFar::pattern_of(std::size_t count) const {
  constexpr std::size_t kEnough = 24;
  std::size_t from = count;
  while (from > 0 && !runs[from - 1].after_gap) --from;
  const auto all = std::span(runs).first(count);
  std::optional<Pattern> found;
  if (count - from >= kEnough) found = Pattern::of(all.subspan(from));
  return found ? found : Pattern::of(all);
}

void MapSoFar::take_up(Pattern found) {
  ++counts.patterns;
  pattern = std::move(found);
  runs.back().ring_place = static_cast<std::int32_t>(pattern->last_place());
  counted_ = runs.size() - 1;
}

std::size_t MapSoFar::expected_place() const {
  std::size_t since = 0, placed = runs.size() - 1;
  std::uint64_t passed = 0;  // tracks, from the last one with a place on
  while (placed-- > 0) {
    passed += runs[placed].tracks;
    if (runs[placed].ring_place >= 0) break;
    if (!runs[placed].same_band) ++since;
  }
  if (placed >= runs.size()) return since;
  if (const std::uint64_t each = pattern->tracks_of_each(); each > 0)
    since = std::max<std::uint64_t>(1, (passed + each - 1 - each / 10) / each) - 1;
  return static_cast<std::size_t>(runs[placed].ring_place) + since;
}

Run MapSoFar::expected_behind(const Run& run) const {
  Run next = pattern->next(run);
  next.standing = Standing::seen;
  return next;
}

}  // namespace platter::layout_by_timing
