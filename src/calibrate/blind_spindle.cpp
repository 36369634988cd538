#include "calibrate/blind_spindle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "statistics/circular.h"

namespace platter::calibrate {
namespace {

constexpr double kBlindChance = -13.8;  // ln(1e-6)
constexpr double kTells = -2;  // ln of the probability that a zone that counts has by chance
constexpr std::size_t kFewestForSpindle = 25;  // accesses of a zone
constexpr std::size_t kZonesTried = 8;         // that are tried
constexpr std::size_t kSamplesTried = 260;     // that a search looks at
constexpr double kPeriodReach = 0.03;          // of the nominal period, to either side
// Of the pairs' mean vector: half of the accesses may end elsewhere, for the model's policies are
// not yet the drive's.
constexpr double kLeastShare = 0.25;
constexpr double kMissed = 0.3;     // turn over a window between two periods tried
constexpr double kMostTurns = 2e9;  // of vectors, in all
// Windows in which the phase is the same: an access has others to be compared with, and few periods
// need be tried.
constexpr double kWindow_rev = 2000;

// Samples in windows of time; reads and writes apart.
std::vector<Sample> windowed(const std::vector<const Access*>& accesses,
                             const model::LayoutNode& zone, double period_ns) {
  std::map<std::pair<long, bool>, std::size_t> sets;
  std::vector<Sample> samples;
  for (const Access* access : accesses) {
    Sample sample = sample_of(*access, zone, period_ns);
    const std::pair window{std::lround(std::floor(sample.time_ns / (kWindow_rev * period_ns))),
                           access->write};
    sample.set = sets.try_emplace(window, sets.size()).first->second;
    samples.push_back(sample);
  }
  return samples;
}

// A run of them, without gaps: far apart in time, fewer would share a window.
std::vector<const Access*> first_of(const std::vector<const Access*>& accesses) {
  const std::size_t count = std::min(accesses.size(), kSamplesTried);
  return {accesses.begin(), accesses.begin() + static_cast<std::ptrdiff_t>(count)};
}

struct ZoneAccesses {
  std::size_t zone = 0;
  std::vector<const Access*> accesses{};
};

std::vector<ZoneAccesses> largest_zones(const model::Layout& layout,
                                        std::span<const Access> accesses) {
  std::vector<ZoneAccesses> zones(layout.zones.size());
  for (std::size_t zone = 0; zone < zones.size(); ++zone) zones[zone].zone = zone;
  for (const Access& access : accesses)
    if (access.one_track) zones[access.zone].accesses.push_back(&access);
  std::erase_if(zones, [](const ZoneAccesses& z) { return z.accesses.size() < kFewestForSpindle; });
  std::ranges::stable_sort(zones, std::greater{},
                           [](const ZoneAccesses& z) { return z.accesses.size(); });
  if (zones.size() > kZonesTried) zones.resize(kZonesTried);
  return zones;
}

// A zone with the skews at which its accesses keep step best.
struct Told {
  const ZoneAccesses* zone = nullptr;
  ZoneCorrection skews{};
  double log_chance = 0;
};

// The period with the zones' skews put right: all their accesses tell it.
std::optional<Spindle> refined_with(const std::vector<Told>& zones, const model::Layout& layout,
                                    double period_ns) {
  std::vector<Access> right;
  for (const Told& told : zones)
    for (const Access* access : told.zone->accesses) {
      const Sample sample = sample_of(*access, layout.zones[access->zone], period_ns);
      right.push_back(*access);
      right.back().turn = statistics::turn_rev(access->turn + correction_at(told.skews, sample));
    }
  std::ranges::sort(right, {}, &Access::request);
  return find_spindle(right, period_ns, kLeastShare);
}

}  // namespace

std::optional<BlindSpindle> find_spindle_blind(const model::Layout& layout,
                                               std::span<const Access> accesses,
                                               double nominal_ns) {
  const std::vector<ZoneAccesses> zones = largest_zones(layout, accesses);
  const double step = kMissed / kWindow_rev;
  const auto reach = static_cast<int>(kPeriodReach / step);
  double turns = 0, periods = 0;
  for (int offset = 0; offset <= reach; ++offset)
    for (const int way : {1, -1}) {
      if (offset == 0 && way < 0) continue;
      const double period_ns = nominal_ns * (1 + way * offset * step);
      ++periods;
      std::vector<Told> told;
      // Zones are independent: their probabilities multiply; which of them count is one of 2^n
      // ways.
      double log_chance = std::log(periods) + static_cast<double>(zones.size()) * std::log(2);
      for (const ZoneAccesses& zone : zones) {
        const std::vector<Sample> samples = windowed(first_of(zone.accesses),
                                                     layout.zones[zone.zone], period_ns);
        turns += static_cast<double>(skews_tried(samples) * samples.size());
        if (turns > kMostTurns && periods > 1) return std::nullopt;
        const Sets sets(samples);
        Found found = search_skews(samples);
        const double zones_chance = sets.log_chance(found.score, found.tried);
        if (zones_chance > kTells) continue;
        climb_skews(samples, sets, found);
        told.push_back({&zone, found.correction, zones_chance});
        log_chance += zones_chance;
      }
      if (log_chance > kBlindChance) continue;
      if (auto spindle = refined_with(told, layout, period_ns))
        return BlindSpindle{*spindle, std::ranges::min_element(told, {}, &Told::log_chance)->skews};
    }
  return std::nullopt;
}

}  // namespace platter::calibrate
