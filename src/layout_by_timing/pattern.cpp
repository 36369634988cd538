#include "layout_by_timing/pattern.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::layout_by_timing {
namespace {

constexpr double kSameAngle_rev = 0.008;

bool alike_tracks(std::uint32_t a, std::uint32_t b) {
  return (a > b ? a - b : b - a) <= std::max<std::uint32_t>(1, std::max(a, b) / 100);
}

RingPlace place_of(const Run& run, const Run& before) {
  RingPlace place;
  place.tracks = run.tracks;
  place.slots = run.slots;
  place.spares = run.spares;
  place.tail = run.tail;
  place.skew_rev = run.skew_rev;
  place.entry_rev = entry_rev(before, run);
  return place;
}

// A band that was taken for two is no rule.
std::uint32_t median_of(std::vector<std::uint32_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// A sector that was lost in a band's last track looks like the band's tail, once.
std::uint32_t tail_of(std::vector<std::uint32_t>& seen, bool most_have_one) {
  if (seen.size() == 1) return most_have_one ? seen.front() : 0;
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>((seen.size() - 1) / 2);
  std::ranges::nth_element(seen, middle);
  return *middle;
}

// How much two runs differ: 0 to 4.
int differences(const RingPlace& a, const RingPlace& b) {
  int found = 0;
  if (!alike_tracks(a.tracks, b.tracks)) ++found;
  if (a.slots != b.slots) ++found;
  if ((a.tail == 0) != (b.tail == 0)) ++found;
  if (std::abs(statistics::wrap_rev(a.entry_rev - b.entry_rev)) > kSameAngle_rev) ++found;
  return found;
}

// As a band and what one of its tracks may be taken for.
bool are_neighbours(std::uint32_t slots, std::uint32_t other) {
  constexpr double kNear = 0.03;
  return std::abs(1.0 * slots - other) <= kNear * slots;
}

// What a band goes on with that was broken off in its middle, where some tracks may be gone.
bool goes_on_with(const RingPlace& band, const Run& part, const Run& run,
                  std::uint32_t usual_tracks) {
  constexpr double kWhole = 1.02, kSameSkew_rev = 0.001;
  constexpr std::uint32_t kMostGone = 2;
  if (run.slots != part.slots || band.tracks + run.tracks > kWhole * usual_tracks ||
      (part.tracks > 2 && run.tracks > 2 &&
       std::abs(statistics::wrap_rev(run.skew_rev - part.skew_rev)) > kSameSkew_rev))
    return false;
  for (std::uint32_t gone = 0; gone <= kMostGone; ++gone)
    if (std::abs(statistics::wrap_rev(run.start_rev - part.track_start_rev(part.tracks + gone))) <
        kSameAngle_rev)
      return true;
  return false;
}

// How many runs make up a band from the first of them on, which is short of one: parts of it, some
// of which may have been taken for tracks of another size. 1: it is none.
std::size_t runs_of_band(std::span<const Run> runs, std::uint32_t usual_tracks) {
  constexpr std::size_t kMost = 5;
  std::uint64_t tracks = 0;
  if (runs.size() < 2 || alike_tracks(runs[0].tracks, usual_tracks) ||
      !are_neighbours(runs[0].slots, runs[1].slots))
    return 1;
  for (std::size_t n = 0; n < std::min(kMost, runs.size()) && tracks < usual_tracks;) {
    tracks += runs[n++].tracks;
    if (n > 1 && alike_tracks(static_cast<std::uint32_t>(tracks), usual_tracks)) return n;
  }
  return 1;
}

// As most of the runs are; 0: there is no such number.
std::uint32_t tracks_of_most(std::span<const Run> runs) {
  constexpr double kMost = 0.6;
  constexpr std::uint32_t kLong = 8;  // tracks of a band that has parts
  std::vector<std::uint32_t> tracks;
  for (const Run& run : runs) tracks.push_back(run.tracks);
  if (tracks.empty()) return 0;
  const std::uint32_t usual = median_of(tracks);
  const auto alike = std::ranges::count_if(
      tracks, [&](std::uint32_t of) { return alike_tracks(of, usual); });
  const bool are_most = static_cast<double>(alike) >= kMost * static_cast<double>(tracks.size());
  return usual >= kLong && are_most ? usual : 0;
}

// Bands: what goes on with the band of the run before is part of it.
std::vector<RingPlace> bands_of(std::span<const Run> runs) {
  std::vector<std::uint32_t> tracks;
  for (const Run& run : runs) tracks.push_back(run.tracks);
  const std::uint32_t usual = tracks.empty() ? 0 : median_of(tracks),
                      of_most = tracks_of_most(runs);
  constexpr std::uint32_t kLong = 8;  // bands of which a single track is none
  std::vector<RingPlace> bands;
  const Run* part = nullptr;  // of the last band, its last
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const Run& run = runs[i];
    if (usual >= kLong && run.tracks == 1) continue;
    if (part &&
        (run.same_band || (usual >= kLong && goes_on_with(bands.back(), *part, run, usual)))) {
      bands.back().tracks += run.tracks;
      part = &run;
      continue;
    }
    bands.push_back(place_of(run, runs[i - 1]));
    const std::size_t parts = of_most > 0 ? runs_of_band(runs.subspan(i), of_most) : 1;
    const auto all = runs.subspan(i, parts);
    const Run& longest = *std::ranges::max_element(all, {}, &Run::tracks);
    RingPlace& band = bands.back();
    if (parts > 1) band.tracks = of_most;
    band.slots = longest.slots, band.spares = longest.spares, band.skew_rev = longest.skew_rev;
    band.tail = all.back().tail;
    i += parts - 1;
    part = &runs[i];
  }
  return bands;
}

// Single tracks, each with as many blocks as it was seen to have.
std::vector<RingPlace> tracks_of(std::span<const Run> runs, std::size_t most) {
  std::size_t from = runs.size();
  for (std::size_t tracks = 0; from > 1 && tracks < most; --from) tracks += runs[from - 1].tracks;
  std::vector<RingPlace> all;
  for (std::size_t i = from; i < runs.size(); ++i) {
    const Run& run = runs[i];
    if (i == 0) continue;
    std::vector<std::uint64_t> lost(std::min<std::uint64_t>(run.tracks, most), 0);
    const std::size_t before = run.tracks - lost.size();  // that are too many to look at
    for (const Loss& loss : run.losses)
      if (const std::size_t track = run.place_of(run.first + loss.behind).track; track >= before)
        lost[std::min(track - before, lost.size() - 1)] += loss.sectors;
    lost.back() += run.tail;
    for (std::size_t track = 0; track < lost.size(); ++track) {
      RingPlace place = place_of(run, runs[i - 1]);
      place.tracks = 1, place.tail = 0, place.skew_rev = 0;
      if (track + before > 0) place.entry_rev = run.skew_rev;
      place.slots -=
          static_cast<std::uint32_t>(std::min<std::uint64_t>(lost[track], run.slots - 1));
      all.push_back(place);
    }
  }
  if (all.size() > most) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most));
  return all;
}

// A band that was taken for two shifts all behind it, as long as what is compared lies on both
// sides of it: then a period that is by one or two off explains much, too, and more bands tell
// which.
bool has_rival(const std::vector<double>& rates, std::size_t period) {
  constexpr std::size_t kNear = 2, kFewest = 8;
  constexpr double kMuch = 0.4;  // of what the period explains
  if (period < kFewest) return false;
  const double chance = statistics::median(rates), best = rates[period - 1];
  const std::size_t from = period - 1 - kNear, to = std::min(period + kNear, rates.size());
  for (std::size_t i = from; i < to; ++i)
    if (i + 1 != period && chance - rates[i] > kMuch * (chance - best)) return true;
  return false;
}

}  // namespace

double entry_rev(const Run& before, const Run& run) {
  return statistics::turn_rev(run.start_rev - before.track_start_rev(before.tracks - 1));
}

std::optional<Pattern> Pattern::of(std::span<const Run> runs) {
  constexpr std::size_t kMostBands = 160;
  constexpr double kFine = 0.1, kBetter = 0.05;
  if (std::ranges::all_of(runs, [](const Run& run) { return run.tracks == 1; }))
    if (auto by_tracks = of_tracks(runs)) return by_tracks;
  std::vector<RingPlace> bands = bands_of(runs);
  if (bands.size() > kMostBands) bands.erase(bands.begin(), bands.end() - kMostBands);
  auto pattern = of_places(bands);
  if (pattern && pattern->differing() < kFine) return pattern;
  auto by_tracks = of_tracks(runs);
  if (!pattern || !by_tracks) return pattern ? pattern : by_tracks;
  const double tracks_of_band = pattern->usual_tracks();
  return by_tracks->differing() * tracks_of_band + kBetter < pattern->differing() ? by_tracks
                                                                                  : pattern;
}

// Where the surfaces are met track by track, each with zones of its own, runs are what happens to
// be alike side by side, and change with every zone.
std::optional<Pattern> Pattern::of_tracks(std::span<const Run> runs) {
  constexpr std::size_t kMostTracks = 400, kLeastTracks = 48, kLeastRuns = 8;
  constexpr std::uint32_t kShort = 64;  // tracks: each surface up and down
  constexpr std::size_t kLatestRuns = 32;
  constexpr double kBands = 0.6;  // share of runs as long as the others: those are bands
  if (runs.size() < kLeastRuns) return std::nullopt;
  std::vector<std::uint32_t> lengths;
  for (const Run& run : runs.last(std::min(runs.size(), kLatestRuns)))
    lengths.push_back(run.tracks);
  if (*std::max_element(lengths.end() - kLeastRuns, lengths.end()) > kShort) return std::nullopt;
  const std::uint32_t usual = median_of(lengths);
  if (usual > 1 && static_cast<double>(std::ranges::count(lengths, usual)) >=
                       kBands * static_cast<double>(lengths.size()))
    return std::nullopt;
  const std::vector<RingPlace> tracks = tracks_of(runs, kMostTracks);
  if (tracks.size() < kLeastTracks) return std::nullopt;
  auto pattern = of_places(tracks);
  // It has to foresee where tracks differ from those before them, which most do not.
  constexpr double kUnforeseen = 0.3;
  std::size_t changes = 0;
  for (std::size_t i = 1; i < tracks.size(); ++i)
    if (differences(tracks[i], tracks[i - 1]) > 0) ++changes;
  if (!pattern || pattern->differing() * static_cast<double>(tracks.size()) >=
                      kUnforeseen * static_cast<double>(changes))
    return std::nullopt;
  pattern->is_of_tracks_ = true;
  pattern->surfaces_.resize(1);
  return pattern;
}

std::optional<Pattern> Pattern::of_places(std::span<const RingPlace> bands) {
  // Chosen: a chance agreement of 6 runs of several kinds is rare, and checks tell it soon.
  constexpr std::size_t kLeast = 6;
  constexpr double kMayDiffer = 0.4, kMayDifferOfFew = 0.2, kAsGood = 0.03;
  constexpr double kOddTracks = 0.3;  // counts for what may be another surface, or lost tracks
  constexpr std::size_t kFew = 32;    // bands: of some that are nearly alike, some agree by chance
  constexpr double kInOrder = 0.1;    // that differ: none was taken for two
  const std::size_t n = bands.size();
  if (n < kLeast) return std::nullopt;
  std::vector<double> rates;  // differing runs by period
  for (std::size_t period = 1; period <= n / 2; ++period) {
    if (n - period < std::min(kLeast, std::max<std::size_t>(period, 3))) break;
    double differing = 0;
    for (std::size_t i = period; i < n; ++i) {
      const RingPlace &band = bands[i], &before = bands[i - period];
      if (differences(band, before) > 0)
        differing += 1;
      else if (band.tracks > before.tracks + 1 || before.tracks > band.tracks + 1)
        differing += kOddTracks;
    }
    rates.push_back(differing / static_cast<double>(n - period));
  }
  const double best = *std::ranges::min_element(rates);
  if (best > (n < kFew ? kMayDifferOfFew : kMayDiffer)) return std::nullopt;
  const auto period = static_cast<std::size_t>(
      std::ranges::find_if(rates, [&](double rate) { return rate <= best + kAsGood; }) -
      rates.begin() + 1);
  if (best > kInOrder && has_rival(rates, period)) return std::nullopt;
  Pattern pattern;
  pattern.places_.assign(bands.end() - static_cast<std::ptrdiff_t>(period), bands.end());
  const bool tails_usual = 2 * static_cast<std::size_t>(std::ranges::count_if(
                                   bands, [](const RingPlace& band) { return band.tail > 0; })) >=
                           n;
  // Of the rounds that were seen, each place's median angles.
  for (std::size_t place = 0; place < period; ++place) {
    RingPlace& of = pattern.places_[place];
    double skew = 0, entry = 0;
    int alike = 0;
    std::vector<std::uint32_t> tails, tracks;
    for (std::size_t i = n - period + place + 1; i-- > 0;) {
      if ((n - period + place - i) % period != 0) continue;
      tails.push_back(bands[i].tail);
      tracks.push_back(bands[i].tracks);
      if (differences(bands[i], of) > 0) continue;
      skew += statistics::wrap_rev(bands[i].skew_rev - of.skew_rev);
      entry += statistics::wrap_rev(bands[i].entry_rev - of.entry_rev);
      ++alike;
    }
    of.skew_rev = statistics::turn_rev(of.skew_rev + skew / alike);
    of.entry_rev = statistics::turn_rev(of.entry_rev + entry / alike);
    of.tail = of.last_tail = tail_of(tails, tails_usual);
    of.tracks = median_of(tracks);
  }
  pattern.last_ = period - 1;
  pattern.differing_ = rates[period - 1];
  pattern.share_skew();
  pattern.find_surfaces(bands);
  return pattern;
}

std::uint32_t Pattern::usual_tracks() const {
  std::vector<std::uint32_t> tracks;
  for (const RingPlace& place : places_) tracks.push_back(place.tracks);
  return median_of(tracks);
}

std::uint32_t Pattern::tracks_of_each() const {
  constexpr double kMost = 0.9;
  const std::uint32_t usual = usual_tracks();
  const auto alike = std::ranges::count_if(
      places_, [&](const RingPlace& place) { return alike_tracks(place.tracks, usual); });
  const bool are_most = static_cast<double>(alike) >= kMost * static_cast<double>(period());
  return are_most && !is_of_tracks_ ? usual : 0;
}

Run Pattern::next(const Run& run, std::uint32_t tracks) const {
  const std::size_t place = (static_cast<std::size_t>(run.ring_place) + 1) % places_.size();
  const RingPlace& expected = places_[place];
  Run next;
  next.first = run.end();
  next.tracks = tracks;
  next.slots = expected.slots;
  next.spares = expected.spares;
  next.tail = expected.tail;
  next.skew_rev = expected.skew_rev;
  next.start_rev = statistics::turn_rev(run.track_start_rev(run.tracks - 1) + expected.entry_rev);
  next.ring_place = static_cast<std::int32_t>(place);
  next.standing = Standing::interpolated;
  return next;
}

Run Pattern::next(const Run& run) const { return ahead(run, 1, ~std::uint64_t{0}).front(); }

std::vector<Run> Pattern::ahead(const Run& run, std::size_t most, std::uint64_t end) const {
  const Surfaces& surfaces = likeliest_surfaces();
  std::vector<std::uint64_t> passed(period(), 0);  // bands of each surface
  std::vector<Run> runs;
  const Run* last = &run;
  do {
    const auto place = static_cast<std::size_t>(last->ring_place) % period();
    ++passed[surfaces.of[place]];
    const std::size_t of = surfaces.of[(place + 1) % period()];
    const std::uint32_t tracks = is_of_tracks_ ? 1 : surfaces.widths[of].tracks_after(passed[of]);
    runs.push_back(next(*last, std::max(1U, tracks)));
    last = &runs.back();
  } while (runs.size() < most && last->blocks() > 0 && last->end() < end);
  return runs;
}

void Pattern::count_tracks(std::size_t place, std::uint32_t tracks, Standing standing) {
  constexpr double kForget = 0.99, kFarBehind = 10, kLost = 25;
  constexpr std::uint64_t kRounds = 20;  // that suffice to know the surfaces
  if (is_of_tracks_) return;
  for (Surfaces& surfaces : surfaces_) {
    BandWidth& width = surfaces.widths[surfaces.of[place]];
    if (standing != Standing::seen) {
      width.passed(tracks);
      continue;
    }
    surfaces.missed = kForget * surfaces.missed + (width.tracks_after(0) == tracks ? 0 : 1);
    width.seen(tracks);
  }
  const double least = likeliest_surfaces().missed;
  std::erase_if(surfaces_,
                [&](const Surfaces& other) { return other.missed > least + kFarBehind; });
  if (++counted_ > kRounds * period() && surfaces_.size() > 1)
    surfaces_ = {Surfaces(likeliest_surfaces())};
  if (least > kLost) find_surfaces({});  // places were lost and found wrongly
}

bool Pattern::foresees_tracks() const {
  constexpr double kFew = 2;  // of about a hundred bands
  return !is_of_tracks_ && likeliest_surfaces().missed < kFew;
}

void Pattern::lose_count() {
  for (Surfaces& surfaces : surfaces_)
    for (BandWidth& width : surfaces.widths) width.lose_count();
}

const Pattern::Surfaces& Pattern::likeliest_surfaces() const {
  return *std::ranges::min_element(surfaces_, {}, &Surfaces::missed);
}

// Places are surfaces; or, where those are met upwards and downwards in turn, each has two places:
// about an axis, all behind it are what those in front of it are, backwards. By the bands that the
// pattern was made of, but for the last, which may go on.
void Pattern::find_surfaces(std::span<const RingPlace> bands) {
  const std::size_t n = period();
  surfaces_ = {Surfaces{}};
  counted_ = 0;
  for (std::size_t place = 0; place < n; ++place) {
    surfaces_.front().of.push_back(place);
    surfaces_.front().widths.emplace_back(places_[place].tracks);
  }
  if (n == 0) return;
  const std::size_t half = n / 2;
  for (std::size_t axis = 0; n % 2 == 0 && axis < half; ++axis) {
    constexpr double kMostAlike = 0.75;  // zones begin in between
    Surfaces mirrored = surfaces_.front();
    std::size_t alike = 0;
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t behind = (axis + i) % n, before = (axis + n - 1 - i) % n;
      if (alike_tracks(places_[behind].tracks, places_[before].tracks)) ++alike;
      mirrored.of[behind] = before;
    }
    if (static_cast<double>(alike) >= kMostAlike * static_cast<double>(half))
      surfaces_.push_back(std::move(mirrored));
  }
  const std::size_t first = (n - bands.size() % n) % n;  // the place of the first band
  for (std::size_t i = 0; i + 1 < bands.size(); ++i)
    count_tracks((first + i) % n, bands[i].tracks, Standing::seen);
}

// What one band tells of its skew is wrong by parts of a turn at the end of another.
void Pattern::share_skew() {
  constexpr double kSame_rev = 0.0013;  // half a wedge of 384, of which skews are whole numbers
  std::vector<double> skews;
  for (const RingPlace& place : places_)
    if (place.tracks > 1) skews.push_back(place.skew_rev);
  if (skews.size() < 3) return;
  const double common = statistics::median(skews);
  for (RingPlace& place : places_)
    if (std::abs(statistics::wrap_rev(place.skew_rev - common)) < kSame_rev)
      place.skew_rev = common;
}

void Pattern::change_skew(double from_rev, double to_rev) {
  constexpr double kSame_rev = 0.0013;  // half a wedge of 384
  for (RingPlace& place : places_)
    if (std::abs(statistics::wrap_rev(place.skew_rev - from_rev)) < kSame_rev)
      place.skew_rev = to_rev;
}

// The skew is the same on all surfaces, until it changes on all of them. Short runs tell little of
// it.
void Pattern::learn_skew(const Run& run, RingPlace& place) {
  constexpr double kGain = 0.15, kSame_rev = 0.02;
  if (run.tracks < 2 || run.tracks + place.tracks / 8 < place.tracks) return;
  const double old = place.skew_rev, off = statistics::wrap_rev(run.skew_rev - old);
  if (std::abs(off) * run.tracks < kSame_rev) {
    place.skew_rev = statistics::turn_rev(old + kGain * off);
    return;
  }
  if (run.standing != Standing::seen) return;
  for (RingPlace& other : places_)
    if (std::abs(statistics::wrap_rev(other.skew_rev - old)) * run.tracks < kSame_rev)
      other.skew_rev = run.skew_rev;
  place.skew_rev = run.skew_rev;
}

void Pattern::learn(const Run& run, const Run& before) {
  constexpr double kGain = 0.15;
  if (is_of_tracks_ && run.tracks > 1) return;  // its place is that of its last track
  const auto of = static_cast<std::size_t>(run.ring_place);
  RingPlace& place = places_[of];
  const RingPlace seen = place_of(run, before);
  // Once is no change: part of a band may have been taken for all of it; a single track is a part.
  const bool part = seen.tracks == 1 && place.tracks > 2;
  if (alike_tracks(seen.tracks, place.tracks) ||
      (place.odd_tracks > 0 && alike_tracks(seen.tracks, place.odd_tracks)))
    place.tracks = seen.tracks, place.odd_tracks = 0;
  else if (!part)
    place.odd_tracks = seen.tracks;
  learn_skew(run, place);
  const double off = statistics::wrap_rev(seen.entry_rev - place.entry_rev);
  if (std::abs(off) < kSameAngle_rev) {
    place.entry_rev = statistics::turn_rev(place.entry_rev + kGain * off);
    place.odd_entry_rev = -1;
  } else if (place.odd_entry_rev >= 0 &&
             std::abs(statistics::wrap_rev(seen.entry_rev - place.odd_entry_rev)) <
                 kSameAngle_rev) {
    place.entry_rev = seen.entry_rev;
    place.odd_entry_rev = -1;
  } else {
    place.odd_entry_rev = seen.entry_rev;
  }
  // A tail is learnt from many bands alone (Pattern::of); that there is none, from two.
  if (seen.tail == 0 && place.last_tail == 0) place.tail = 0;
  place.last_tail = seen.tail;
  if (seen.slots == place.slots && run.losses.empty()) place.odd_lack = 0;
  learn_format(seen, of);
}

// Zones begin with whole bands, and their formats are few. Of few tracks, one that lost sectors
// looks like another format, once.
void Pattern::learn_format(const RingPlace& seen, std::size_t of) {
  constexpr std::uint32_t kMany = 8;
  RingPlace& place = places_[of];
  const bool known = std::ranges::any_of(
      places_, [&](const RingPlace& other) { return other.slots == seen.slots; });
  if (!known && seen.tracks < kMany && seen.slots != place.odd_slots) {
    place.odd_slots = seen.slots;
    return;
  }
  change_format(of, seen.slots, seen.spares);
}

// Where surfaces are met upwards and downwards in turn, what is as far from the axis: the only axis
// about which formats are alike, for surfaces have some of their own.
std::optional<std::size_t> Pattern::other_place_of_surface(std::size_t place) const {
  constexpr double kAlike = 0.8, kUnlike = 0.6;
  const std::size_t n = period();
  if (n % 2 != 0 || n < 4 || is_of_tracks_) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t axis = 0; axis < n / 2; ++axis) {
    const auto other = [&](std::size_t of) { return (2 * axis + 2 * n - 1 - of) % n; };
    std::size_t alike = 0;
    for (std::size_t of = 0; of < n; ++of)
      if (places_[of].slots == places_[other(of)].slots) ++alike;
    const double share = static_cast<double>(alike) / static_cast<double>(n);
    if (share < kUnlike) continue;
    if (share < kAlike || found) return std::nullopt;
    found = other(place);
  }
  return found;
}

void Pattern::change_format(std::size_t of, std::uint32_t slots, std::uint32_t spares) {
  RingPlace& place = places_[of];
  const bool misled = std::exchange(place.slots_foreseen, false) && slots != place.slots;
  if (!misled && slots != place.slots)
    if (const auto other = other_place_of_surface(of);
        other && places_[*other].slots == place.slots) {
      places_[*other].slots = slots;
      places_[*other].spares = spares;
      places_[*other].slots_foreseen = true;
    }
  place.slots = slots;
  place.spares = spares;
  place.odd_slots = 0;
}

std::vector<RingPlace> Pattern::places_seen(std::span<const Run> runs) const {
  constexpr std::size_t kTracks = 24;
  return is_of_tracks_ ? tracks_of(runs, kTracks) : bands_of(runs);
}

std::vector<int> Pattern::differing_at(std::span<const Run> runs, std::size_t& bands) const {
  const std::vector<RingPlace> seen = places_seen(runs);
  bands = seen.size();
  std::vector<int> differing(period(), 0);
  for (std::size_t place = 0; place < period(); ++place)
    for (std::size_t back = 0; back < bands; ++back)
      differing[place] += differences(seen[bands - 1 - back],
                                      places_[(place + period() * bands - back) % period()]);
  return differing;
}

// What the last of these is worth for each place to be its own. Where many places are alike, that a
// band fits one of them tells little. Parts of bands, zones that begin and lost tracks differ at
// the right place, too; and it is likely the one that is expected, or one near it.
std::vector<double> Pattern::chances(std::span<const Run> runs, std::size_t expected) const {
  constexpr double kTracks = 0.85, kSlots = 0.8, kTail = 0.9, kEntry = 0.9;  // as its place has it
  constexpr double kExpected = 0.6, kNear = 0.05;
  constexpr std::size_t kNearby = 3;
  const std::size_t n = period();
  const std::vector<RingPlace> seen = places_seen(runs);
  std::vector<double> odds(n);
  for (std::size_t place = 0; place < n; ++place) {
    const std::size_t behind = (place + n - expected % n) % n, off = std::min(behind, n - behind);
    odds[place] = std::log((1 - kExpected) / static_cast<double>(n) + (off == 0         ? kExpected
                                                                       : off <= kNearby ? kNear
                                                                                        : 0));
  }
  const auto weigh = [&](std::size_t back, double right, auto fits) {
    const auto fitting = static_cast<double>(std::ranges::count_if(places_, fits));
    const double by_chance = (fitting + 0.5) / (static_cast<double>(n) + 1);
    for (std::size_t place = 0; place < n; ++place) {
      const bool as_there = fits(places_[(place + n * seen.size() - back) % n]);
      odds[place] += as_there ? std::log(right / by_chance)
                              : std::log((1 - right) / (1 - by_chance));
    }
  };
  for (std::size_t back = 0; back < seen.size(); ++back) {
    const RingPlace& band = seen[seen.size() - 1 - back];
    weigh(back, kTracks, [&](const RingPlace& of) { return alike_tracks(of.tracks, band.tracks); });
    weigh(back, kSlots, [&](const RingPlace& of) { return of.slots == band.slots; });
    weigh(back, kTail, [&](const RingPlace& of) { return (of.tail == 0) == (band.tail == 0); });
    weigh(back, kEntry, [&](const RingPlace& of) {
      return std::abs(statistics::wrap_rev(of.entry_rev - band.entry_rev)) <= kSameAngle_rev;
    });
  }
  const double most = *std::ranges::max_element(odds);
  double all = 0;
  for (double& of : odds) all += of = std::exp(of - most);
  for (double& of : odds) of /= all;
  return odds;
}

std::optional<std::size_t> Pattern::find(std::span<const Run> runs, std::size_t expected) const {
  constexpr std::size_t kMost = 6;
  constexpr double kLikely = 0.5, kSure = 0.95;
  const auto last = runs.last(std::min(runs.size(), kMost));
  std::size_t bands = 0;
  const std::vector<int> differing = differing_at(last, bands);
  if (bands == 0) return std::nullopt;
  const std::vector<double> chance = chances(last, expected);
  const auto best = static_cast<std::size_t>(std::ranges::max_element(chance) - chance.begin());
  if (differing[best] > static_cast<int>(bands)) return std::nullopt;
  if (chance[best] < (best == expected % period() ? kLikely : kSure)) return std::nullopt;
  return best;
}

// Formats change from zone to zone, at one place or some; where bands end and how the next one is
// entered tells places apart.
std::optional<std::size_t> Pattern::find_shifted(std::span<const Run> runs,
                                                 std::size_t expected) const {
  constexpr int kClearly = 2;
  constexpr double kSure = 0.99;
  const std::vector<double> chance = chances(runs, expected);
  const auto place = static_cast<std::size_t>(std::ranges::max_element(chance) - chance.begin());
  if (place == expected % period() || chance[place] < kSure) return std::nullopt;
  std::size_t bands = 0;
  const std::vector<int> differing = differing_at(runs, bands);
  const std::vector<RingPlace> seen = places_seen(runs);
  int of_formats = 0;
  for (std::size_t back = 0; back < bands; ++back)
    if (seen[bands - 1 - back].slots !=
        places_[(expected + period() * bands - back) % period()].slots)
      ++of_formats;
  const int here = differing[expected % period()];
  return here > of_formats && here >= differing[place] + kClearly ? std::optional(place)
                                                                  : std::nullopt;
}

}  // namespace platter::layout_by_timing
