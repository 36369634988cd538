#include "layout_by_timing/to_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "statistics/circular.h"

namespace platter::layout_by_timing {
namespace {

// One run as it becomes a leaf.
struct Band {
  const Run* run = nullptr;
  std::uint32_t tracks = 0;
  std::uint32_t head = 0;
  std::int32_t into = 0;   // cylinders from the round's first
  bool backwards = false;  // outwards; of a cylinder: from the last head on
};

// All surfaces once.
struct Round {
  std::vector<Band> bands;
  std::uint32_t cylinders = 0;

  double start_rev() const { return bands.front().run->start_rev; }
};

std::uint32_t usual_tracks(std::span<const Run> runs) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const Run& run : runs) ++counts[run.tracks];
  if (counts.empty()) return 0;
  return std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->first;
}

std::uint32_t tracks_up_to(const Run& run, std::uint64_t physical) {
  const std::uint64_t needed = run.slot_of(std::min(run.end(), physical) - 1) / run.slots + 1;
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(run.end() >= physical ? needed : run.tracks, 1));
}

std::vector<Round> cylinders_of(std::span<const Run> runs, std::uint64_t physical,
                                const Surfaces& surfaces) {
  std::vector<Round> rounds;
  const std::uint64_t before = surfaces.bands.empty() ? 0 : surfaces.bands.front() / surfaces.heads;
  for (const Run& run : runs) {
    if (run.first >= physical) break;
    const bool backwards = surfaces.order.there_and_back && (rounds.size() + before) % 2 == 1;
    rounds.push_back(
        {{{&run, tracks_up_to(run, physical), backwards ? surfaces.heads - 1 : 0, 0, backwards}},
         1});
  }
  return rounds;
}

// The first of a band's runs lies innermost where it goes outwards.
void turn_bands(Round& round) {
  for (std::size_t first = 0; first < round.bands.size();) {
    std::size_t end = first + 1;
    while (end < round.bands.size() && round.bands[end].head == round.bands[first].head) ++end;
    if (round.bands[first].backwards) {
      std::int32_t left = 0;
      for (std::size_t i = end; i-- > first;) {
        round.bands[i].into = left;
        left += static_cast<std::int32_t>(round.bands[i].tracks);
      }
    }
    first = end;
  }
}

// Each surface once in a round; what goes on with a band stays on its surface.
std::vector<Round> rounds_of(std::span<const Run> runs, std::uint64_t physical,
                             const Surfaces& surfaces) {
  if (surfaces.cylinders) return cylinders_of(runs, physical, surfaces);
  std::vector<Round> rounds;
  std::optional<std::uint64_t> number;  // of the round that is being filled
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < runs.size() && runs[i].first < physical; ++i) {
    const bool goes_on = !rounds.empty() &&
                         (surfaces.bands.empty() ? runs[i].same_band
                                                 : surfaces.bands[i] == surfaces.bands[i - 1]);
    if (i > 0 && !goes_on) ++counted;
    const BandPlace place = surfaces.order.place(surfaces.bands.empty() ? counted
                                                                        : surfaces.bands[i]);
    if (!goes_on && place.round != number) {
      rounds.emplace_back();
      number = place.round;
    }
    Round& round = rounds.back();
    Band band{&runs[i], tracks_up_to(runs[i], physical), place.head, 0, place.outward};
    if (goes_on) {
      const Band& before = round.bands.back();
      band.head = before.head, band.backwards = before.backwards;
      band.into = before.into + static_cast<std::int32_t>(before.tracks);
    }
    round.cylinders = std::max(round.cylinders,
                               static_cast<std::uint32_t>(band.into) + band.tracks);
    round.bands.push_back(band);
  }
  std::ranges::for_each(rounds, turn_bands);
  return rounds;
}

// Whether two rounds are alike but for where they begin.
bool alike(const Round& a, const Round& b) {
  constexpr double kSame_rev = 0.002;
  if (a.bands.size() != b.bands.size() || a.cylinders != b.cylinders) return false;
  for (std::size_t i = 0; i < a.bands.size(); ++i) {
    const Run &x = *a.bands[i].run, &y = *b.bands[i].run;
    if (a.bands[i].tracks != b.bands[i].tracks || x.slots != y.slots || x.spares != y.spares ||
        a.bands[i].head != b.bands[i].head || a.bands[i].into != b.bands[i].into ||
        a.bands[i].backwards != b.bands[i].backwards)
      return false;
    const double apart =
        statistics::wrap_rev((x.start_rev - a.start_rev()) - (y.start_rev - b.start_rev()));
    const double skews = statistics::wrap_rev(x.skew_rev - y.skew_rev) * a.bands[i].tracks;
    if (std::abs(apart) > kSame_rev || std::abs(apart + skews) > kSame_rev) return false;
  }
  return true;
}

// Rounds one after another that come again as one, such as one up and one down.
Round joined(std::span<const Round> rounds) {
  Round all;
  for (const Round& round : rounds) {
    for (Band band : round.bands) {
      band.into += static_cast<std::int32_t>(all.cylinders);
      all.bands.push_back(band);
    }
    all.cylinders += round.cylinders;
  }
  return all;
}

// What comes again, each time the same angle farther on.
struct Repeated {
  std::vector<Round> times;
  double step_rev = 0;
};

// `size` rounds at a time, as often as they come again from the first of `rounds` on.
Repeated repeated(std::span<const Round> rounds, std::size_t size) {
  constexpr double kSameStep_rev = 0.002;
  Repeated found;
  found.times.push_back(joined(rounds.first(size)));
  for (std::size_t next = size; next + size <= rounds.size(); next += size) {
    Round round = joined(rounds.subspan(next, size));
    const Round& first = found.times.front();
    if (!alike(first, round)) break;
    const auto n = static_cast<double>(found.times.size());
    const double off_rev =
        statistics::wrap_rev(round.start_rev() - first.start_rev() - found.step_rev * n);
    if (n > 1 && std::abs(off_rev) > kSameStep_rev) break;
    found.step_rev += off_rev / n;
    found.times.push_back(std::move(round));
  }
  return found;
}

// As one node: the mean of their angles.
model::LayoutNode node_of(const Repeated& repeated, std::int64_t cylinder, bool cylinders,
                          std::uint32_t unit) {
  const std::vector<Round>& rounds = repeated.times;
  const Round& model_round = rounds.front();
  const auto count = static_cast<double>(rounds.size());
  model::LayoutNode zone;
  zone.count = static_cast<std::uint32_t>(rounds.size());
  zone.cylinder = static_cast<std::int32_t>(cylinder);
  zone.cylinder_step = zone.count > 1 ? static_cast<std::int32_t>(model_round.cylinders) : 0;
  zone.angle_step_rev = zone.count > 1 ? repeated.step_rev : 0;
  double start = 0;
  for (std::size_t r = 0; r < rounds.size(); ++r)
    start += statistics::wrap_rev(rounds[r].start_rev() - model_round.start_rev() -
                                  repeated.step_rev * static_cast<double>(r));
  zone.angle_rev = statistics::turn_rev(model_round.start_rev() + start / count);
  for (std::size_t i = 0; i < model_round.bands.size(); ++i) {
    const Band& band = model_round.bands[i];
    double from_start = 0, skew = 0;
    for (const Round& round : rounds) {
      const Run& run = *round.bands[i].run;
      from_start += statistics::wrap_rev((run.start_rev - round.start_rev()) -
                                         (band.run->start_rev - model_round.start_rev()));
      skew += statistics::wrap_rev(run.skew_rev - band.run->skew_rev);
    }
    model::LayoutNode leaf;
    leaf.count = band.tracks;
    leaf.head = static_cast<std::int32_t>(band.head);
    leaf.cylinder = band.into;
    if (leaf.count > 1) {
      (cylinders ? leaf.head_step : leaf.cylinder_step) = band.backwards ? -1 : 1;
      if (band.backwards && !cylinders) leaf.cylinder += static_cast<std::int32_t>(band.tracks) - 1;
      leaf.angle_step_rev = statistics::turn_rev(band.run->skew_rev + skew / count);
    }
    leaf.angle_rev =
        statistics::turn_rev(band.run->start_rev - model_round.start_rev() + from_start / count);
    leaf.sectors = band.run->around() * unit;
    zone.children.push_back(leaf);
  }
  return zone;
}

class Skips {
 public:
  // `length` slots without blocks.
  void add(std::uint64_t first, std::uint64_t length, std::uint64_t count = 1,
           std::uint64_t stride = 0) {
    if (length == 0) return;
    if (count == 1 && !skips_.empty() && skips_.back().count == 1 &&
        skips_.back().first_slot + skips_.back().length == first) {
      skips_.back().length += length;
      return;
    }
    skips_.push_back({first, length, count, stride});
  }
  std::vector<model::Skip> take() { return std::move(skips_); }

 private:
  std::vector<model::Skip> skips_;
};

// Slots of a run in which no block lies: its losses, its tail; and the spares behind each track.
void add_skips(const Run& run, std::uint32_t tracks, std::uint64_t base, std::uint32_t unit,
               Skips& skips) {
  const std::uint64_t around = std::uint64_t{run.around()} * unit;
  if (run.losses.empty() && run.tail == 0) {
    if (run.spares > 0)
      skips.add(base + std::uint64_t{run.slots} * unit, std::uint64_t{run.spares} * unit, tracks,
                tracks > 1 ? around : 0);
    return;
  }
  // Holes in the run's own slots, cut at the ends of tracks.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> holes;
  std::uint64_t gone = 0;
  const std::uint64_t end = std::uint64_t{tracks} * run.slots;
  for (const Loss& loss : run.losses) {
    holes.emplace_back(loss.behind + gone, loss.sectors);
    gone += loss.sectors;
  }
  // One that was not located may be said to reach over the run's end, where all its blocks lie.
  std::uint64_t limit = end - (tracks == run.tracks ? run.tail : 0);
  for (auto hole = holes.rbegin(); hole != holes.rend(); ++hole) {
    if (hole->first + hole->second > limit && hole->second <= limit)
      hole->first = limit - hole->second;
    limit = std::min(limit, hole->first);
  }
  if (run.tail > 0 && tracks == run.tracks) holes.emplace_back(end - run.tail, run.tail);
  std::size_t hole = 0;
  for (std::uint64_t track = 0; track < tracks; ++track) {
    const std::uint64_t from = track * run.slots, to = from + run.slots;
    for (; hole < holes.size() && holes[hole].first < to; ++hole) {
      const std::uint64_t first = std::max(holes[hole].first, from);
      const std::uint64_t last = std::min(holes[hole].first + holes[hole].second, to);
      if (last > first)
        skips.add(base + track * around + (first - from) * unit, (last - first) * unit);
      if (holes[hole].first + holes[hole].second > to) break;
    }
    skips.add(base + track * around + std::uint64_t{run.slots} * unit,
              std::uint64_t{run.spares} * unit);
  }
}

}  // namespace

std::vector<Run> cut_after(std::span<const Run> runs, std::uint32_t tracks, std::uint32_t before) {
  std::vector<Run> cut;
  for (const Run& run : runs) {
    const std::uint64_t holding = std::uint64_t{run.tracks} * run.slots - run.tail;
    std::uint64_t gone = 0;  // slots of the losses in front of `loss`
    auto loss = run.losses.begin();
    std::uint64_t first = run.first;
    for (std::uint32_t track = 0, end_track = 0; track < run.tracks; track = end_track) {
      end_track = std::min(run.tracks, track + tracks - (track == 0 ? before : 0));
      Run piece = run;
      piece.first = first;
      piece.tracks = end_track - track;
      piece.start_rev = statistics::turn_rev(run.track_start_rev(track));
      piece.losses.clear();
      const std::uint64_t from = std::uint64_t{track} * run.slots;
      const std::uint64_t to = from + std::uint64_t{piece.tracks} * run.slots;
      piece.tail = static_cast<std::uint32_t>(to - std::clamp(holding, from, to));
      std::uint64_t lost = 0;  // in the piece
      for (; loss != run.losses.end(); ++loss) {
        // One that was not located may be said to reach over the end, where all blocks lie.
        const std::uint64_t last = holding - std::min<std::uint64_t>(holding, loss->sectors);
        const std::uint64_t at = std::min(loss->behind + gone, last);
        const std::uint64_t begin = std::max(at, from), end = std::min(at + loss->sectors, to);
        if (begin < end) {
          piece.losses.push_back(
              {begin - from - lost, static_cast<std::uint32_t>(end - begin), loss->located});
          lost += end - begin;
        }
        if (at + loss->sectors > to) break;  // the next piece has some of it, or all
        gone += loss->sectors;
      }
      first += piece.blocks();
      if (piece.blocks() > 0) cut.push_back(std::move(piece));
    }
  }
  return cut;
}

std::vector<Run> without_gaps(std::span<const Run> runs, std::uint64_t blocks) {
  std::vector<Run> whole;
  const auto fill_to = [&](std::uint64_t to) {
    const std::uint64_t from = whole.empty() ? 0 : whole.back().end();
    if (from >= to) return;
    Run guess;
    guess.first = from;
    guess.standing = Standing::guessed;
    guess.after_gap = true;
    guess.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(to - from, 1000));
    if (!whole.empty()) {
      const Run& before = whole.back();
      guess.slots = before.slots, guess.spares = before.spares;
      guess.skew_rev = before.skew_rev;
      guess.start_rev = statistics::turn_rev(before.track_start_rev(before.tracks));
    }
    guess.tracks = static_cast<std::uint32_t>((to - from + guess.slots - 1) / guess.slots);
    guess.tail =
        static_cast<std::uint32_t>(std::uint64_t{guess.tracks} * guess.slots - (to - from));
    whole.push_back(guess);
  };
  for (const Run& run : runs) {
    if (run.blocks() == 0 || run.first >= blocks) continue;
    const std::uint64_t from = whole.empty() ? 0 : whole.back().end();
    if (run.first < from) continue;
    fill_to(run.first);
    whole.push_back(run);
  }
  fill_to(blocks);
  // What the last run has beyond the drive's end holds no block.
  if (Run& last = whole.back(); last.end() > blocks) {
    last.tracks = last.place_of(blocks - 1).track + 1;
    last.tail = 0;
    std::erase_if(last.losses,
                  [&](const Loss& loss) { return last.first + loss.behind >= blocks; });
    last.tail = static_cast<std::uint32_t>(last.end() - blocks);
  }
  return whole;
}

namespace {

bool comes_again(std::span<const std::uint32_t> ring, std::size_t after) {
  for (std::size_t i = 0; i < ring.size(); ++i)
    if (ring[i] != ring[(i + after) % ring.size()]) return false;
  return true;
}

}  // namespace

std::string Surfaces::in_words() const {
  if (!measured) return told ? "as far as their order tells" : "for their order tells nothing";
  std::string words = measured->told
                          ? fmt::format("by {} places that the drive tells", 2 * measured->moves)
                          : fmt::format("by {} moves between the ends of bands", measured->moves);
  words += fmt::format(", in {} groups of bands", measured->groups);
  if (measured->shifts > 0)
    words += fmt::format(
        "; between them the count of bands shifts {} times, so that near there "
        "some may lie on other surfaces",
        measured->shifts);
  return words;
}

Surfaces surfaces_of(std::span<const Run> runs, std::span<const std::uint32_t> ring) {
  const std::size_t period = ring.size();
  const std::uint32_t tracks = usual_tracks(runs);
  if (period == 0) return {};
  if (period == 1 && tracks > 1 && tracks <= kMostSurfaces)
    return {.heads = tracks, .cylinders = true, .told = true, .others = {1}, .order = {tracks}};
  // Up and down: seen from some place, the ring is the same in both directions. A zone of a surface
  // may just have begun in one of them.
  const auto differing = [&](std::size_t from, int direction) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < period / 2; ++i) {
      const std::size_t ahead_of = (from + i) % period;
      const std::size_t other = direction < 0 ? (from + 2 * period - 1 - i) % period
                                              : (from + i + period / 2) % period;
      if (ring[ahead_of] != ring[other]) ++found;
    }
    return found;
  };
  std::size_t mirrored = period, repeated = period;
  for (std::size_t from = 0; from < period; ++from) {
    mirrored = std::min(mirrored, differing(from, -1));
    repeated = std::min(repeated, differing(from, 1));
  }
  // With one place more or less: more places than a drive has surfaces go up and down.
  const bool may_be_up_and_down = period % 2 == 0 || period > kMostSurfaces;
  const bool up_and_down = may_be_up_and_down && mirrored * 8 <= period && mirrored < repeated;
  const auto heads = static_cast<std::uint32_t>(up_and_down ? period / 2 : period);
  if (heads > kMostSurfaces) return {};  // it comes again for another reason
  Surfaces surfaces{.heads = heads, .told = true, .order = {heads}};
  if (up_and_down)
    surfaces.others.push_back(heads * 2);
  else if (may_be_up_and_down && mirrored * 8 <= period)
    surfaces.others.push_back(heads / 2);
  // What comes again sooner may come again because there are no more surfaces.
  for (const std::uint32_t parts : {2U, 4U})
    if (period % parts == 0 && comes_again(ring, period / parts) &&
        std::ranges::find(surfaces.others, period / parts) == surfaces.others.end())
      surfaces.others.push_back(static_cast<std::uint32_t>(period / parts));
  return surfaces;
}

model::Layout to_layout(std::span<const Run> runs, const DriveBlocks& blocks,
                        const Surfaces& surfaces) {
  model::Layout layout;
  layout.method = "timing";
  const std::uint64_t physical = (blocks.logical - blocks.first_lbn + blocks.unit - 1) /
                                 blocks.unit;
  Skips skips;
  std::uint64_t base = 0;
  std::int64_t cylinder = 0;
  if (blocks.first_lbn > 0) {  // what lies in front of the first whole physical block
    model::LayoutNode front;
    front.sectors = static_cast<std::uint32_t>(blocks.first_lbn);
    layout.zones.push_back(front);
    base = blocks.first_lbn;
    cylinder = 1;
  }
  std::vector<Run> cylinders;
  if (surfaces.cylinders) {
    cylinders = cut_after(runs, surfaces.heads);
    runs = cylinders;
  }
  const std::vector<Round> rounds = rounds_of(runs, physical, surfaces);
  for (std::span<const Round> left = rounds; !left.empty();) {
    Repeated alike = repeated(left, 1);
    std::size_t used = alike.times.size();
    if (left.size() >= 2) {
      Repeated pairs = repeated(left, 2);
      if (pairs.times.size() > 1 && pairs.times.size() * 2 > used + 1) {
        used = pairs.times.size() * 2;
        alike = std::move(pairs);
      }
    }
    layout.zones.push_back(node_of(alike, cylinder, surfaces.cylinders, blocks.unit));
    for (const Round& round : left.first(used)) {
      cylinder += round.cylinders;
      for (const Band& band : round.bands) {
        add_skips(*band.run, band.tracks, base, blocks.unit, skips);
        base += std::uint64_t{band.tracks} * band.run->around() * blocks.unit;
      }
    }
    left = left.subspan(used);
  }
  layout.skips = skips.take();
  return layout;
}

}  // namespace platter::layout_by_timing
