#include "layout_by_timing/losses.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "statistics/circular.h"

namespace platter::layout_by_timing {

void add_loss(Run& run, std::uint32_t track, std::uint32_t sectors, bool located) {
  const std::uint64_t from = std::uint64_t{track} * run.slots;
  std::uint64_t slot = from + (sectors < run.slots ? (run.slots - sectors) / 2 : 0);
  auto block = run.block_at(slot);
  while (!block) block = run.block_at(++slot);  // beside a hole that is known already
  run.losses.push_back({*block - run.first, sectors, located});
  std::ranges::sort(run.losses, {}, &Loss::behind);
}

std::uint32_t LossFinder::border_that_comes(const Run& run, std::uint32_t first_track,
                                            std::uint32_t last_track, std::uint32_t slot) {
  const double now = prober_.rev_after_lead(run, last_track);
  std::uint32_t best = last_track;
  double least = 2;
  // Behind a turn's worth of skews the angles come again.
  const std::uint32_t from = last_track - std::min<std::uint32_t>(last_track - first_track, 40);
  for (std::uint32_t track = from; track <= last_track; ++track) {
    const double wait = statistics::turn_rev(run.track_start_rev(track) +
                                             static_cast<double>(slot) / run.around() - now);
    if (wait < least) least = wait, best = track;
  }
  return best;
}

// What is lost between two tracks, on which of them nobody knows: the end that comes by soon and
// has about as many of them in front of it as behind. Bits for each turn of the platter.
std::uint32_t LossFinder::border_worth_most(const Run& run, std::uint32_t before, std::uint32_t at,
                                            std::uint32_t slot) {
  constexpr std::uint32_t kMost = 512;  // tracks that are compared
  const double now = prober_.rev_now(), tracks = at - before;
  const double slot_rev = 1 / static_cast<double>(run.around());
  std::uint32_t best = before + (at - before) / 2;
  double most = 0;
  for (std::uint32_t track = before + 1; track < at; track += 1 + (at - before) / kMost) {
    const double p = (track - before) / tracks;
    const double bits = -p * std::log2(p) - (1 - p) * std::log2(1 - p);
    const double lead = prober_.lead_rev(run, track);
    const double wait =
        statistics::turn_rev(run.track_start_rev(track) + slot * slot_rev - now - lead);
    const double worth = bits / (lead + wait + slot_rev);
    if (worth > most) most = worth, best = track;
  }
  return best;
}

LossFinder::Border LossFinder::look_at_border(const Run& run, std::uint32_t first_track,
                                              std::uint32_t last_track, std::uint32_t slot) {
  Border border;
  double odds = 0;
  for (int readings = 0; readings < 4 && odds <= 2.5 && odds >= -7; ++readings) {
    border.track = border_that_comes(run, first_track, last_track, slot);
    const auto seen = prober_.look_at(run, border.track, slot);
    if (!seen) continue;
    odds += seen->evidence;
    border.off_rev = seen->off_rev;
    border.readings.push_back(*seen);
  }
  border.holds = odds > 0;
  return border;
}

LossFinder::Border LossFinder::end_of_late(const Run& run, std::uint32_t first_track,
                                           std::uint32_t last_track) {
  constexpr double kForget = 0.95;
  Border border = look_at_border(run, first_track, last_track, run.slots - 1);
  if (border.holds)
    usual_off_rev_ = kForget * usual_off_rev_ + (1 - kForget) * std::abs(border.off_rev);
  return border;
}

double LossFinder::expected_holes(std::uint32_t tracks) const {
  constexpr double kTracks = 1000;  // of which one is taken to have a hole while nothing is mapped
  return tracks * (static_cast<double>(holes_) + 1) / (static_cast<double>(tracks_) + kTracks);
}

bool LossFinder::begins_right(const Run& run, std::uint32_t first_track, std::uint32_t last_track) {
  return look_at_border(run, first_track, last_track, 0).holds;
}

std::optional<LossFinder::Found> LossFinder::lost_before(const Run& run, std::uint32_t first_track,
                                                         std::uint32_t last_track,
                                                         std::uint32_t least, std::uint32_t most,
                                                         bool known,
                                                         std::span<const Reading> before) {
  constexpr int kMostReadings = 18;
  constexpr double kLead = 3, kEnough = 4;  // log-odds
  const Jitter& jitter = prober_.frame().jitter();
  // A reading's angle tells how many roughly; how many exactly is told by borders alone, for where
  // the run's tracks begin is known no better than to a sector, or to some.
  constexpr double kOfUsual = 4;
  const double of_skew = std::abs(statistics::wrap_rev(run.skew_rev)) / 8;
  const double unsure = known ? std::max(0.7 / run.around(),
                                         std::min(of_skew, kOfUsual * usual_off_rev_))
                              : std::max(1.5 / run.around(), of_skew);
  // Fewer than the run knows: then the run is wrong, and that must not pass for nearly a track
  // lost.
  constexpr std::uint32_t kFewer = 8;
  std::vector<double> odds(most - least + 1, 0.0), fewer(least == 0 && !known ? kFewer : 0, 0.0);
  // Between two that are known mostly all or none: some only if there is more than one hole.
  if (known && most - least > 1)
    std::fill(odds.begin() + 1, odds.end() - 1,
              std::min(0.0, std::log(expected_holes(last_track + 2 - first_track))) -
                  std::log(static_cast<double>(most - least - 1)));
  // Is it that many at least? One, to begin with: mostly it is few.
  std::uint32_t test = least == 0 && !known ? 1 : most;
  for (int readings = 0; readings < kMostReadings; ++readings) {
    std::optional<Reading> seen;
    std::uint32_t track = 0;
    if (!before.empty()) {
      seen = before.front();
      before = before.subspan(1);
      track = run.place_of(seen->block).track;
    } else {
      const std::uint32_t slot = (run.slots - test % run.slots) % run.slots;
      track = known && readings == 0 ? border_worth_most(run, first_track - 1, last_track + 1, slot)
                                     : border_that_comes(run, first_track, last_track, slot);
      seen = prober_.look_at(run, track, slot);
    }
    if (known && readings == 0) {  // and the same again, or what is near it
      const std::uint32_t near = (last_track + 2 - first_track) / 10;
      first_track = std::max(first_track, track - std::min(track, near));
      last_track = std::min(last_track, track + near);
    }
    if (!seen) continue;
    const std::uint64_t at = run.slot_of(seen->block);
    const double measured = seen->angle_rev;
    for (std::uint32_t lost = least; lost <= most; ++lost)
      odds[lost - least] += jitter.evidence(
          statistics::wrap_rev(measured - run.end_of_slot_rev(at + lost)), unsure);
    for (std::uint32_t i = 0; i < fewer.size(); ++i)
      if (at > i)
        fewer[i] += jitter.evidence(
            statistics::wrap_rev(measured - run.end_of_slot_rev(at - i - 1)), unsure);
    const auto best = std::ranges::max_element(odds);
    if (!fewer.empty() && readings >= 1 && *std::ranges::max_element(fewer) > *best + kLead)
      return std::nullopt;
    std::vector<std::uint32_t> possible;
    for (std::uint32_t lost = least; lost <= most; ++lost)
      if (odds[lost - least] > *best - kLead) possible.push_back(lost);
    const bool rivals = possible.size() > 1 ||
                        (!fewer.empty() && *std::ranges::max_element(fewer) > *best - kLead);
    if (!rivals && (*best > kEnough || known)) return Found{possible.front(), track};
    if (readings >= 5 && *best < -6) return std::nullopt;
    // So many at least? Where none is likeliest: none at all, or fewer?
    // Where the possible ones lie in two heaps, a track apart, the ends of either tell them apart.
    test = known && readings == 0 ? least + 1
           : readings % 2 == 0    ? possible[possible.size() / 2]
                                  : possible[std::uniform_int_distribution<std::size_t>(
                                     0, possible.size() - 1)(prober_.random())];
    if (test == least && least < most && possible.size() > 1) ++test;
  }
  return std::nullopt;
}

void LossFinder::split(const Run& run, std::uint32_t before, std::uint32_t lost_before,
                       std::uint32_t at, std::uint32_t lost_at, std::vector<Hole>& holes) {
  constexpr double kHarmless_rev = 1.0 / 200;
  constexpr std::uint32_t kEnd = 32;  // by a run's last tracks all of it is judged
  if (lost_at <= lost_before) return;
  const std::uint32_t lost = lost_at - lost_before;
  if (at - before <= 1) {
    holes.push_back({at, lost});
    return;
  }
  if (at - before <= tracks_apart_ && at + kEnd < run.tracks &&
      lost < kHarmless_rev * run.around()) {
    holes.push_back({before + (at - before + 1) / 2, lost, false});
    return;
  }
  const auto found = this->lost_before(run, before + 1, at - 1, lost_before, lost_at, true);
  if (!found) {  // not to be told: in the middle
    holes.push_back({before + (at - before) / 2, lost});
    return;
  }
  split(run, before, lost_before, found->track, found->lost, holes);
  split(run, found->track, found->lost, at, lost_at, holes);
}

void LossFinder::locate(Run& run, std::uint32_t before_track, std::uint32_t at_track,
                        std::uint32_t lost) {
  std::vector<Hole> holes;
  split(run, before_track, 0, at_track, lost, holes);
  for (const auto& [track, sectors, located] : holes) add_loss(run, track, sectors, located);
}

std::uint32_t first_of_late(std::uint32_t last, std::uint32_t most) {
  constexpr std::uint32_t kLateTracks = 30;
  return last - std::min({last, kLateTracks, most});
}

}  // namespace platter::layout_by_timing
