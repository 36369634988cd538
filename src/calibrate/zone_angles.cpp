#include "calibrate/zone_angles.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "calibrate/phase.h"
#include "model/validate.h"
#include "statistics/circular.h"
#include "statistics/regression.h"
#include "statistics/robust.h"

namespace platter::calibrate {
namespace {

using Complex = std::complex<double>;
using statistics::wrap_rev;

constexpr double kZoneChance = -6.9;  // ln(1e-3): a zone keeps step by chance, all tries counted
constexpr std::size_t kFewestAccesses = 5;  // accesses
constexpr std::size_t kMostSearched = 260;  // accesses that the search looks at
constexpr double kNearlyRight = 0.85;       // coherence from which on only a regression is needed
constexpr double kSurelyRight = 0.99;       // ... in a zone with ranges, which even skews can mimic
constexpr double kShiftErrors = 4;          // standard errors
// Smaller corrections are of no use: a position counts as known within 1/32 of a revolution.
constexpr double kLeast = 0.002;
constexpr int kZoneRounds = 3;

struct Zone {
  ZoneAngles angles{};
  std::vector<Sample> samples{};
  std::vector<bool> writes{};
  std::uint32_t range = 0;
  double middle = 0, middle_error = 0.5;  // correction in the middle of its accesses, skews aside
  double middle_skews = 0;                // what the skews' corrections add there
  double reach_cylinders = 0, reach_heads = 0;  // of them, from there
};

std::vector<Zone> zones_of(const model::Layout& layout, std::span<const Access> accesses,
                           const Spindle& spindle) {
  std::vector<Zone> zones(layout.zones.size());
  for (std::size_t z = 0; z < zones.size(); ++z) {
    zones[z].angles.zone = z;
    zones[z].range = spare_range_cylinders(layout, z);
  }
  for (const Access& access : accesses) {
    if (!access.one_track) continue;
    Zone& zone = zones[access.zone];
    zone.samples.push_back(sample_of(access, layout.zones[access.zone], spindle.period_ns));
    zone.writes.push_back(access.write);
    ++zone.angles.accesses;
  }
  return zones;
}

// Without a known phase: samples of the same stretch of time, and of the same direction, share one.
std::vector<Sample> in_windows(const Zone& zone, double window_ns) {
  std::vector<Sample> samples = zone.samples;
  std::map<std::pair<long, bool>, std::size_t> sets;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::pair key{std::lround(std::floor(samples[i].time_ns / window_ns)),
                        bool{zone.writes[i]}};
    samples[i].set = sets.try_emplace(key, sets.size()).first->second;
  }
  return samples;
}

// With it: what leads the phase, all in one set.
std::vector<Sample> against(const Zone& zone, const Phase& phase) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < zone.samples.size(); ++i) {
    const std::optional<double> at = phase.at(zone.samples[i].time_ns, zone.writes[i]);
    if (!at) continue;
    Sample sample = zone.samples[i];
    sample.lead = wrap_rev(sample.lead - *at);
    sample.set = 0;
    samples.push_back(sample);
  }
  return samples;
}

// The zone's skews: as they are, if they keep step already; as those of a zone that is known; or
// searched for.
bool identify(Zone& zone, const std::vector<Sample>& samples,
              std::span<const ZoneCorrection> neighbours) {
  if (samples.size() < kFewestAccesses) return false;
  const Sets sets(samples);
  const double before = score_of(samples, sets, zone.angles.correction);
  if (zone.angles.coherence_before == 0) zone.angles.coherence_before = sets.coherence(before);
  const double enough = zone.range > 0 ? kSurelyRight : kNearlyRight;
  if (sets.coherence(before) > enough && sets.log_chance(before, 1) < kZoneChance) return true;
  Found best{zone.angles.correction, before, 1};
  bool identified = sets.log_chance(before, 1) < kZoneChance;
  const auto consider = [&](Found found) {
    const double chance = sets.log_chance(found.score, found.tried);
    climb_skews(samples, sets, found);
    if (chance > kZoneChance || found.score <= best.score) return;
    best = found;
    identified = true;
  };
  Found near{.tried = neighbours.size()};
  for (const ZoneCorrection& c : neighbours) {
    const double score = score_of(samples, sets, c);
    if (score > near.score) near = {c, score, neighbours.size()};
  }
  if (near.score > 0) consider(near);
  for (const std::uint32_t range : {0u, zone.range}) {
    if (sets.coherence(best.score) > enough) break;
    if (range == 0 && zone.range > 0 && samples.size() < kFewestAccesses) continue;
    const std::vector<Sample> some = thinned(samples, kMostSearched);
    Found found = search_skews(some, Sets(some), range);
    if (Sets(some).log_chance(found.score, found.tried) > kZoneChance) continue;
    found.score = score_of(samples, sets, found.correction);
    consider(found);
    if (zone.range == 0) break;
  }

  zone.angles.correction = best.correction;
  return identified;
}

// What is left of the leads, regressed on place: angle and skews with their errors.
void regress(Zone& zone, const Phase& phase) {
  const std::vector<Sample> samples = against(zone, phase);
  ZoneCorrection& c = zone.angles.correction;
  Complex mean{};
  for (const Sample& sample : samples) mean += unit(sample.lead - correction_at(c, sample));
  if (samples.size() < kFewestAccesses) return;
  const double centre = angle_of(mean);
  std::vector<double> left;
  std::vector<const Sample*> used;
  for (const Sample& sample : samples) {
    const double error = wrap_rev(sample.lead - correction_at(c, sample) - centre);
    if (std::abs(error) > 0.25) continue;
    left.push_back(error);
    used.push_back(&sample);
  }
  zone.angles.coherence_after = std::abs(mean) / static_cast<double>(samples.size());
  c.angle = centre;
  const bool several_heads = std::ranges::any_of(
      used, [&](const Sample* s) { return s->head != used.front()->head; });
  const std::size_t unknowns = 2 + (several_heads ? 1 : 0) + (c.range > 0 ? 1 : 0);
  if (used.size() < unknowns + 4) {
    c.angle_error = 0.5;
    return;
  }
  statistics::Matrix design(used.size(), unknowns);
  double heads = 0, cylinders = 0, ranges = 0;
  for (const Sample* s : used) {
    heads += s->head / static_cast<double>(used.size());
    cylinders += s->cylinder / static_cast<double>(used.size());
    ranges += ranges_before(s->cylinder, c.range) / static_cast<double>(used.size());
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    std::size_t column = 0;
    design.at(i, column++) = 1;
    design.at(i, column++) = used[i]->cylinder - cylinders;
    if (several_heads) design.at(i, column++) = used[i]->head - heads;
    if (c.range > 0) design.at(i, column++) = ranges_before(used[i]->cylinder, c.range) - ranges;
  }
  const auto fit = statistics::huber_regression(design, left);
  if (!fit) return;
  std::size_t column = 1;
  const double per_cylinder = fit->coefficients[column++];
  const double per_head = several_heads ? fit->coefficients[column++] : 0;
  const double per_range = c.range > 0 ? fit->coefficients[column++] : 0;
  c.per_cylinder += per_cylinder;
  c.per_head += per_head;
  c.per_range += per_range;
  c.angle += fit->coefficients[0] - per_cylinder * cylinders - per_head * heads -
             per_range * ranges;
  zone.middle_skews = c.per_cylinder * cylinders + c.per_head * heads + c.per_range * ranges;
  zone.middle = c.angle;
  zone.middle_error = std::sqrt(fit->covariance.at(0, 0));
  zone.reach_cylinders = zone.reach_heads = 0;
  for (const Sample* s : used) {
    zone.reach_cylinders = std::max(zone.reach_cylinders, std::abs(s->cylinder - cylinders));
    zone.reach_heads = std::max(zone.reach_heads, std::abs(s->head - heads));
  }
  // The angle is that of the first track, far from the middle of the accesses.
  c.angle_error = std::sqrt(fit->covariance.at(0, 0) +
                            cylinders * cylinders * fit->covariance.at(1, 1) +
                            (several_heads ? heads * heads * fit->covariance.at(2, 2) : 0));
  c.per_cylinder_error = std::sqrt(fit->covariance.at(1, 1));
  c.per_head_error = several_heads ? std::sqrt(fit->covariance.at(2, 2)) : 0;
}

void add_to(Phase& phase, const Zone& zone) {
  for (std::size_t i = 0; i < zone.samples.size(); ++i)
    phase.add(zone.samples[i].time_ns, zone.writes[i],
              zone.samples[i].lead - zone.angles.correction.angle -
                  correction_at(zone.angles.correction, zone.samples[i]));
}

// How much faster than at the spindle's period the phase wanders, on the whole: turns in each turn.
double drift_of(const std::vector<Zone>& zones, const Spindle& spindle) {
  std::vector<std::pair<double, double>> leads;
  for (const Zone& zone : zones) {
    if (!zone.angles.identified) continue;
    for (std::size_t i = 0; i < zone.samples.size(); ++i)
      if (!zone.writes[i])
        leads.emplace_back(zone.samples[i].time_ns / spindle.period_ns,
                           wrap_rev(zone.samples[i].lead - zone.angles.correction.angle -
                                    correction_at(zone.angles.correction, zone.samples[i])));
  }
  if (leads.size() < 20) return 0;
  std::ranges::sort(leads);
  // Unwrapped by means of neighbours: the phase wanders slowly.
  constexpr std::size_t kTogether = 10;
  std::vector<double> revolutions, lead;
  for (std::size_t i = 0; i + kTogether <= leads.size(); i += kTogether) {
    Complex sum{};
    double at = 0;
    for (std::size_t j = i; j < i + kTogether; ++j) {
      sum += unit(leads[j].second);
      at += leads[j].first / kTogether;
    }
    const double angle = angle_of(sum);
    lead.push_back(lead.empty() ? angle : lead.back() + wrap_rev(angle - lead.back()));
    revolutions.push_back(at);
  }
  const auto line = statistics::huber_line(revolutions, lead);
  return line ? line->coefficients[1] : 0;
}

double spread_of(const std::vector<Zone>& zones, const Phase& phase) {
  std::vector<double> errors;
  for (const Zone& zone : zones) {
    if (!zone.angles.identified) continue;
    for (const Sample& sample : against(zone, phase))
      errors.push_back(wrap_rev(sample.lead - zone.angles.correction.angle -
                                correction_at(zone.angles.correction, sample)));
  }
  return errors.empty() ? 0 : statistics::mad_sigma(errors);
}

// The constant that all angles share is nobody's: what most zones have in common is taken off.
double take_off_common_angle(std::vector<Zone>& zones) {
  std::vector<double> angles;
  for (const Zone& zone : zones)
    if (zone.angles.identified) angles.push_back(wrap_rev(zone.angles.correction.angle));
  if (angles.empty()) return 0;
  double best = 0, least = 1e300;
  for (const double candidate : angles) {
    double sum = 0;
    for (const double angle : angles) sum += std::abs(wrap_rev(angle - candidate));
    if (sum < least) {
      least = sum;
      best = candidate;
    }
  }
  for (Zone& zone : zones)
    if (zone.angles.identified)
      zone.angles.correction.angle = wrap_rev(zone.angles.correction.angle - best);
  return best;
}

// Beyond its error, and by so much that it matters over the zone.
bool beyond(double value, double error, double reach) {
  return std::abs(value) > kShiftErrors * error && std::abs(value) * reach > kLeast;
}

bool is_changed(const Zone& zone, const ZoneCorrection& c, double common) {
  // In the middle of the accesses, with the skews' corrections, which are known there best.
  const double middle = wrap_rev(zone.middle - common + zone.middle_skews);
  return zone.angles.identified &&
         (beyond(middle, zone.middle_error, 1) ||
          beyond(c.per_head, c.per_head_error, zone.reach_heads) ||
          beyond(c.per_cylinder, c.per_cylinder_error, zone.reach_cylinders) || c.range > 0);
}

}  // namespace

std::uint32_t spare_range_cylinders(const model::Layout& layout, std::size_t zone) {
  const model::LayoutNode& node = layout.zones[zone];
  if (node.children.empty() || node.count < 2 || node.cylinder_step != 1) return 0;
  const std::vector<std::uint64_t> starts = model::zone_starts(layout);
  const std::uint64_t first = starts[zone], slots = starts[zone + 1] - first;
  const std::uint64_t in_cylinder = slots / node.count;
  std::map<std::uint64_t, std::uint64_t> blocks;  // of skips, by stride
  for (const model::Skip& skip : layout.skips)
    if (skip.first_slot >= first && skip.first_slot < first + slots && skip.count > 2 &&
        skip.length > 1)
      blocks[skip.stride] += skip.count * skip.length;
  std::uint64_t best = 0, most = 0;
  for (const auto& [stride, count] : blocks)
    if (count > most) {
      most = count;
      best = stride;
    }
  if (best == 0 || best % in_cylinder != 0) return 0;
  const std::uint64_t cylinders = best / in_cylinder;
  return cylinders >= 2 && cylinders * 2 < node.count ? static_cast<std::uint32_t>(cylinders) : 0;
}

AngleFit fit_zone_angles(const model::Layout& layout, std::span<const Access> accesses,
                         const Spindle& spindle, std::span<const ZoneCorrection> likely) {
  std::vector<Zone> zones = zones_of(layout, accesses, spindle);
  std::vector<Zone*> order;
  for (Zone& zone : zones) order.push_back(&zone);
  std::ranges::stable_sort(order, std::greater{}, [](const Zone* z) { return z->samples.size(); });
  const double window_ns = std::clamp(spindle.steady_ns / 2, 2e9, 40e9);
  std::vector<ZoneCorrection> known(likely.begin(), likely.end());
  for (int round = 0; round < kZoneRounds; ++round) {
    Phase phase(window_ns / 4);
    for (Zone* zone : order)
      if (round > 0 && zone->angles.identified) add_to(phase, *zone);
    phase.sort();
    for (Zone* zone : order) {
      if (round > 0 && zone->angles.identified) continue;
      const std::vector<Sample> samples = phase.empty() ? in_windows(*zone, window_ns)
                                                        : against(*zone, phase);
      zone->angles.identified = identify(*zone, samples, known);
      if (!zone->angles.identified) continue;
      known.push_back(zone->angles.correction);
      if (!phase.empty()) regress(*zone, phase);
      add_to(phase, *zone);
      phase.sort();
    }
    for (Zone* zone : order)
      if (zone->angles.identified) regress(*zone, phase);
  }
  Phase phase(window_ns / 4);
  for (Zone& zone : zones)
    if (zone.angles.identified) add_to(phase, zone);
  phase.sort();
  AngleFit fit;
  fit.spread_rev = spread_of(zones, phase);
  fit.drift = drift_of(zones, spindle);
  const double common = take_off_common_angle(zones);
  for (Zone& zone : zones) {
    zone.angles.changed = is_changed(zone, zone.angles.correction, common);
    if (zone.angles.identified) fit.accesses += zone.angles.accesses;
    fit.zones.push_back(zone.angles);
  }
  return fit;
}

namespace {

void turn_skews(model::LayoutNode& node, const ZoneCorrection& c) {
  node.angle_step_rev = statistics::turn_rev(node.angle_step_rev + c.per_head * node.head_step +
                                             c.per_cylinder * node.cylinder_step);
  if (node.count == 1) node.angle_step_rev = 0;
  for (model::LayoutNode& child : node.children) {
    child.angle_rev = statistics::turn_rev(child.angle_rev + c.per_head * child.head +
                                           c.per_cylinder * child.cylinder);
    turn_skews(child, c);
  }
}

// The zone as whole ranges of cylinders, and what is left of it.
std::vector<model::LayoutNode> in_ranges(const model::LayoutNode& zone, const ZoneCorrection& c) {
  model::LayoutNode range = zone;
  range.count = c.range;
  range.cylinder = range.head = 0;
  range.angle_rev = 0;
  model::LayoutNode ranges;
  ranges.count = zone.count / c.range;
  ranges.cylinder = zone.cylinder;
  ranges.cylinder_step = zone.cylinder_step * static_cast<std::int32_t>(c.range);
  ranges.head = zone.head;
  ranges.angle_rev = zone.angle_rev;
  ranges.angle_step_rev = statistics::turn_rev(zone.angle_step_rev * c.range + c.per_range);
  ranges.children = {range};
  std::vector<model::LayoutNode> nodes = {ranges};
  if (const std::uint32_t rest = zone.count % c.range; rest > 0) {
    model::LayoutNode last = zone;
    last.count = rest;
    last.cylinder += ranges.cylinder_step * static_cast<std::int32_t>(ranges.count);
    last.angle_rev = statistics::turn_rev(zone.angle_rev + ranges.angle_step_rev * ranges.count);
    if (rest == 1) last.angle_step_rev = 0, last.cylinder_step = 0;
    nodes.push_back(last);
  }
  return nodes;
}

}  // namespace

model::Layout corrected(const model::Layout& layout, const AngleFit& fit) {
  model::Layout result = layout;
  result.zones.clear();
  for (std::size_t z = 0; z < layout.zones.size(); ++z) {
    model::LayoutNode zone = layout.zones[z];
    const ZoneAngles& angles = fit.zones[z];
    if (!angles.changed) {
      result.zones.push_back(zone);
      continue;
    }
    const ZoneCorrection& c = angles.correction;
    zone.angle_rev = statistics::turn_rev(zone.angle_rev + c.angle);
    turn_skews(zone, c);
    if (c.range == 0) {
      result.zones.push_back(zone);
    } else {
      for (model::LayoutNode& node : in_ranges(zone, c)) result.zones.push_back(std::move(node));
    }
  }
  return result;
}

}  // namespace platter::calibrate
