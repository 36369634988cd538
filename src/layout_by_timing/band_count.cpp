#include "layout_by_timing/band_count.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "layout_by_timing/to_layout.h"

namespace platter::layout_by_timing {
namespace {

std::uint32_t usual_tracks_of(const std::vector<CountedBand>& bands) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const CountedBand& band : bands) counts[band.tracks] += band.tracks;
  return std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->first;
}

bool is_usual(const CountedBand& band, double usual) {
  return band.tracks >= kNarrow * usual && kNarrow * band.tracks <= usual;
}

void append_run(const Run& run, std::size_t index, bool tracks, std::vector<CountedBand>& bands) {
  const bool sure = run.standing != Standing::guessed && !run.after_gap;
  if (tracks) {
    for (std::uint32_t track = 0; track < run.tracks; ++track)
      bands.push_back({index, index, track, 1, sure && run.losses.empty()});
    return;
  }
  // What is shorter than a band and goes on with its tracks is a part of it.
  if (run.same_band && !bands.empty()) {
    bands.back().last_run = index;
    bands.back().tracks += run.tracks;
    bands.back().sure = bands.back().sure && sure;
    return;
  }
  bands.push_back({index, index, 0, run.tracks, sure});
}

std::optional<std::size_t> place_in(std::size_t ring, const Run& run) {
  if (ring == 0 || run.ring_place < 0) return std::nullopt;
  return static_cast<std::size_t>(run.ring_place) % ring;
}

// Of a pattern of tracks: those that always are of the size of the track before, although others
// are not, go on with its band. Empty: bands of several tracks do not come again so.
std::vector<bool> places_within_bands(std::span<const Run> runs, std::size_t ring) {
  constexpr double kAlways = 0.98;
  std::vector<std::size_t> met(ring, 0), alike(ring, 0);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const auto place = place_in(ring, runs[i]), before = place_in(ring, runs[i - 1]);
    if (!place || !before || (*before + 1) % ring != *place) continue;
    ++met[*place];
    if (runs[i].slots == runs[i - 1].slots) ++alike[*place];
  }
  std::vector<bool> within(ring);
  for (std::size_t place = 0; place < ring; ++place)
    within[place] = static_cast<double>(alike[place]) > kAlways * static_cast<double>(met[place]);
  const auto bands = static_cast<std::size_t>(std::ranges::count(within, false));
  if (bands == 0 || bands == ring || ring % bands != 0) return {};
  for (std::size_t place = 0; place < ring; ++place)
    if (!within[place] && within[(place + ring / bands) % ring]) return {};
  return within;
}

// By place of a pattern of tracks. One that goes on over the ring's end is the first.
std::vector<std::size_t> band_of_places(const std::vector<bool>& within, std::size_t ring) {
  std::vector<std::size_t> of;
  std::size_t band = 0;
  for (std::size_t place = 0; place < ring; ++place) {
    if (place > 0 && (within.empty() || !within[place])) ++band;
    of.push_back(band);
  }
  if (!within.empty() && within.front()) std::ranges::replace(of, band, std::size_t{0});
  return of;
}

std::vector<CountedBand> joined_tracks(const std::vector<CountedBand>& tracks,
                                       std::span<const Run> runs, const std::vector<bool>& within) {
  std::vector<CountedBand> joined;
  for (const CountedBand& track : tracks) {
    const auto place = place_in(within.size(), runs[track.first_run]);
    const auto before = joined.empty() ? std::nullopt
                                       : place_in(within.size(), runs[joined.back().last_run]);
    if (!place || !before || !within[*place] || (*before + 1) % within.size() != *place) {
      joined.push_back(track);
      continue;
    }
    joined.back().last_run = track.last_run;
    joined.back().tracks += track.tracks;
    joined.back().sure = joined.back().sure && track.sure;
  }
  return joined;
}

// Of a band that was broken off: the parts behind it with which it has the usual tracks. How many
// bands they are; 1: it lacks none, or none of these make it whole.
std::size_t parts_of_whole(std::span<const CountedBand> bands, double usual) {
  const double near = std::max(1.0, usual / 50);  // Chosen: bands of a surface are as long as this
  double tracks = bands.front().tracks;
  std::size_t count = 1;
  while (count < bands.size() && bands[count].tracks < kNarrow * usual && tracks < usual - near)
    tracks += bands[count++].tracks;
  return std::abs(tracks - usual) <= near ? count : 1;
}

// Or, where no number of parts has them: what comes then has about the tracks that it lacks.
std::size_t parts_of_about_whole(std::span<const CountedBand> bands, double usual) {
  double tracks = bands.front().tracks;
  std::size_t count = 1;
  while (count < bands.size() && tracks < kNarrow * usual &&
         kNarrow * (tracks + bands[count].tracks) <= usual)
    tracks += bands[count++].tracks;
  return tracks >= kNarrow * usual ? count : 1;
}

std::vector<CountedBand> joined_parts(std::span<const CountedBand> bands, double usual) {
  std::vector<CountedBand> joined;
  while (!bands.empty()) {
    std::size_t parts = parts_of_whole(bands, usual);
    if (parts == 1) parts = parts_of_about_whole(bands, usual);
    CountedBand whole = bands.front();
    for (const CountedBand& part : bands.first(parts).subspan(1))
      whole.tracks += part.tracks, whole.last_run = part.last_run;
    joined.push_back(whole);
    bands = bands.subspan(parts);
  }
  return joined;
}

// The number nearest to one that is as much modulo so many.
std::uint64_t nearest_alike(std::uint64_t to, std::uint64_t modulo, std::uint64_t near) {
  const double rounds = std::round((static_cast<double>(near) - static_cast<double>(to % modulo)) /
                                   static_cast<double>(modulo));
  return to % modulo + static_cast<std::uint64_t>(std::max(0.0, rounds)) * modulo;
}

// How far it is from one band of the pattern to another: the next one, though another pattern may
// have been known when the map had those; or farther, where bands between them lost all their
// blocks.
class RingSteps {
 public:
  explicit RingSteps(std::size_t bands) : usual_(bands), odd_(bands, bands) {
    for (std::size_t band = 0; band < bands; ++band) usual_[band] = (band + 1) % bands;
  }
  // What comes twice in a row is usual.
  std::uint64_t step(std::size_t from, std::size_t to) {
    if (to == std::exchange(odd_[from], to)) usual_[from] = to;
    return usual_[from] == to ? 1 : (to + usual_.size() - from) % usual_.size();
  }

 private:
  std::vector<std::size_t> usual_, odd_;  // what follows on each; what did the last time
};

// By the tracks that were passed: one band that was taken for two is one, two for one are two. Of
// few tracks one may have lost all its blocks, which the places in the pattern tell.
void number(std::vector<CountedBand>& bands, std::span<const Run> runs, double usual,
            const std::vector<std::size_t>& band_of_place) {
  const CountedBand *known = nullptr, *placed = nullptr;  // the last one that was so
  double passed = 0;  // tracks, since the first of the known one
  const std::size_t ring = band_of_place.empty() ? 0 : *std::ranges::max_element(band_of_place) + 1;
  const auto in_ring = [&](const CountedBand& band) -> std::optional<std::size_t> {
    const auto place = place_in(band_of_place.size(), runs[band.first_run]);
    return place ? std::optional(band_of_place[*place]) : std::nullopt;
  };
  RingSteps steps(ring);
  for (CountedBand& band : bands) {
    const double middle = passed + std::min<double>(band.tracks, usual) / 2;
    band.count = (known ? known->count : 0) + static_cast<std::uint64_t>(middle / usual);
    const auto place = in_ring(band);
    if (place && placed) {
      const std::uint64_t step = steps.step(*in_ring(*placed), *place);
      band.count = nearest_alike(placed->count + step, ring, band.count);
    }
    if (known && band.count != known->count + 1) band.sure = false;
    if (!known || is_usual(band, usual)) {
      known = &band, passed = 0;
      if (place) placed = &band;
    }
    passed += band.tracks;
  }
}

}  // namespace

CountedBands count_bands(std::span<const Run> runs, bool tracks, std::size_t ring) {
  constexpr double kFewTracks = 3;  // of a band: they may all be lost
  CountedBands bands;
  for (std::size_t i = 0; i < runs.size(); ++i) append_run(runs[i], i, tracks, bands.all);
  if (bands.all.empty()) return bands;
  bands.usual_tracks = usual_tracks_of(bands.all);
  std::vector<std::size_t> band_of_place;
  if (!tracks) {
    std::vector<bool> within;
    if (bands.usual_tracks == 1 && ring > 0) within = places_within_bands(runs, ring);
    if (!within.empty()) {
      bands.all = joined_tracks(std::move(bands.all), runs, within);
      bands.usual_tracks = usual_tracks_of(bands.all);
    }
    bands.all = joined_parts(bands.all, bands.usual_tracks);
    if (bands.usual_tracks <= kFewTracks) band_of_place = band_of_places(within, ring);
  }
  for (CountedBand& band : bands.all) band.sure = band.sure && is_usual(band, bands.usual_tracks);
  number(bands.all, runs, bands.usual_tracks, band_of_place);
  return bands;
}

std::vector<Run> cut_to_bands(std::span<const Run> runs, std::size_t ring) {
  constexpr std::uint32_t kFewest = 4;  // of fewer tracks a band may lack most
  const CountedBands counted = count_bands(runs, false, ring);
  const std::uint32_t usual = counted.usual_tracks;
  if (usual < kFewest) return {runs.begin(), runs.end()};
  std::vector<Run> cut;
  for (const CountedBand& band : counted.all) {
    const std::uint32_t bands = (band.tracks + usual / 2) / usual;
    const double each = static_cast<double>(band.tracks) / std::max(1U, bands);
    const bool several = bands > 1 && each >= kNarrow * usual && kNarrow * each <= usual;
    const bool as_usual = std::abs(each - usual) < usual / 25.0;
    const std::uint32_t tracks = as_usual ? usual : static_cast<std::uint32_t>(std::ceil(each));
    std::uint32_t passed = 0;
    for (std::size_t i = band.first_run; i <= band.last_run; passed += runs[i++].tracks) {
      if (!several) {
        cut.push_back(runs[i]);
        continue;
      }
      std::uint32_t in_band = passed;
      for (Run& piece : cut_after({&runs[i], 1}, tracks, passed % tracks)) {
        const bool begins = in_band % tracks == 0 && in_band / tracks < bands;
        if (in_band > passed) piece.after_gap = false, piece.same_band = true;
        if (in_band > 0 && begins) piece.same_band = false, piece.ring_place = -1;
        in_band += piece.tracks;
        cut.push_back(std::move(piece));
      }
    }
  }
  return cut;
}

}  // namespace platter::layout_by_timing
