#include "calibrate/zone_angles.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "calibrate/phase.h"
#include "calibrate/zone_hypotheses.h"
#include "model/validate.h"
#include "statistics/circular.h"
#include "statistics/regression.h"
#include "statistics/robust.h"

namespace platter::calibrate {
namespace {

using Complex = std::complex<double>;
using statistics::wrap_rev;

constexpr std::size_t kFewestAccesses = 5;
constexpr double kFarBelow = 0.1;    // in coherence: as if one access more of ten were anywhere
constexpr double kShiftErrors = 4;   // standard errors
constexpr double kHeadsSurer = 6.9;  // ln(1e3): odds that heads differ
// Smaller corrections are of no use: a position counts as known within 1/32 of a revolution.
constexpr double kLeast = 0.002;
constexpr int kZoneRounds = 3;
constexpr double kAllRight = 0.99;  // coherence of a zone that is looked at no more

struct Zone {
  ZoneAngles angles{};
  std::vector<Sample> samples{};
  Ranges ranges{};
  double middle = 0, middle_error = 0.5;  // correction in the middle of its accesses, skews aside
  double middle_skews = 0;                // what the skews' corrections add there
  double reach_cylinders = 0, reach_heads = 0;  // of them, from there
};

std::vector<Zone> zones_of(const model::Layout& layout, std::span<const Access> accesses,
                           const Spindle& spindle) {
  std::vector<Zone> zones(layout.zones.size());
  for (std::size_t z = 0; z < zones.size(); ++z) {
    zones[z].angles.zone = z;
    const model::LayoutNode& node = layout.zones[z];
    zones[z].ranges.hint = spare_range_cylinders(layout, z);
    if (!node.children.empty() && node.cylinder_step == 1 && node.head_step == 0)
      zones[z].ranges.longest = node.count / 2;
  }
  for (const Access& access : accesses) {
    if (!access.one_track) continue;
    Zone& zone = zones[access.zone];
    zone.samples.push_back(sample_of(access, layout.zones[access.zone], spindle.period_ns));
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
                        samples[i].command >= command_of(true, false)};
    samples[i].set = sets.try_emplace(key, sets.size()).first->second;
  }
  return samples;
}

// With it: what leads the phase, all in one set.
std::vector<Sample> against(const Zone& zone, const Phase& phase) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < zone.samples.size(); ++i) {
    const std::optional<double> at = phase.at(zone.samples[i].time_ns, zone.samples[i].command);
    if (!at) continue;
    Sample sample = zone.samples[i];
    sample.lead = wrap_rev(sample.lead - *at);
    sample.set = 0;
    samples.push_back(sample);
  }
  return samples;
}

// The likeliest correction; false: none is beyond chance.
bool identify(Zone& zone, const std::vector<Sample>& samples, const Shared& shared) {
  if (samples.size() < kFewestAccesses) return false;
  const Chosen chosen = choose_correction(zone.angles.correction, samples, zone.ranges, shared);
  if (zone.angles.coherence_before == 0) zone.angles.coherence_before = chosen.coherence_before;
  zone.angles.correction = chosen.correction;
  return chosen.beyond_chance;
}

// Leads less the zone's correction, turned by their mean direction. Those far from it are left out.
struct Residuals {
  Complex sum{};  // of the directions, of all samples
  double centre = 0;
  std::vector<double> rev{};
  std::vector<const Sample*> of{};
};

Residuals residuals_about_mean(const std::vector<Sample>& samples, const ZoneCorrection& c) {
  constexpr double kTooFar_rev = 0.25;
  Residuals left;
  for (const Sample& sample : samples) left.sum += unit(sample.lead - correction_at(c, sample));
  left.centre = angle_of(left.sum);
  for (const Sample& sample : samples) {
    const double error = wrap_rev(sample.lead - correction_at(c, sample) - left.centre);
    if (std::abs(error) > kTooFar_rev) continue;
    left.rev.push_back(error);
    left.of.push_back(&sample);
  }
  return left;
}

// What angles are regressed on beside the cylinder.
struct Terms {
  bool heads = false, ranges = false;
  std::size_t unknowns() const { return 2 + (heads ? 1 : 0) + (ranges ? 1 : 0); }
};

// The middle of the accesses, about which they tell the angle best.
struct Middle {
  double heads = 0, cylinders = 0, ranges = 0;
};

Middle middle_of(const std::vector<const Sample*>& used, const ZoneCorrection& c) {
  Middle middle;
  for (const Sample* s : used) {
    middle.heads += s->head / static_cast<double>(used.size());
    middle.cylinders += s->cylinder / static_cast<double>(used.size());
    middle.ranges += steps_before(s->cylinder, c.range, c.first) / static_cast<double>(used.size());
  }
  return middle;
}

statistics::Matrix design_about(const Middle& middle, const std::vector<const Sample*>& used,
                                const Terms& terms, const ZoneCorrection& c) {
  statistics::Matrix design(used.size(), terms.unknowns());
  for (std::size_t i = 0; i < used.size(); ++i) {
    std::size_t column = 0;
    design.at(i, column++) = 1;
    design.at(i, column++) = used[i]->cylinder - middle.cylinders;
    if (terms.heads) design.at(i, column++) = used[i]->head - middle.heads;
    if (terms.ranges)
      design.at(i, column++) = steps_before(used[i]->cylinder, c.range, c.first) - middle.ranges;
  }
  return design;
}

// The angle is that of the zone's first track, far from the middle of the accesses.
void take_over(const statistics::LinearFit& fit, const Middle& middle, const Terms& terms,
               ZoneCorrection& c) {
  const auto variance = [&](std::size_t column) { return fit.covariance.at(column, column); };
  std::size_t column = 1;
  const double per_cylinder = fit.coefficients[column++];
  const double per_head = terms.heads ? fit.coefficients[column++] : 0;
  const double per_range = terms.ranges ? fit.coefficients[column++] : 0;
  c.per_cylinder += per_cylinder;
  c.per_head += per_head;
  c.per_range += per_range;
  c.angle += fit.coefficients[0] - per_cylinder * middle.cylinders - per_head * middle.heads -
             per_range * middle.ranges;
  c.angle_error = std::sqrt(variance(0) + middle.cylinders * middle.cylinders * variance(1) +
                            (terms.heads ? middle.heads * middle.heads * variance(2) : 0));
  c.per_cylinder_error = std::sqrt(variance(1));
  c.per_head_error = terms.heads ? std::sqrt(variance(2)) : 0;
  c.per_range_error = terms.ranges ? std::sqrt(variance(column - 1)) : 0;
}

void note_middle(Zone& zone, const Middle& middle, double error,
                 const std::vector<const Sample*>& used) {
  const ZoneCorrection& c = zone.angles.correction;
  zone.middle_skews = c.per_cylinder * middle.cylinders + c.per_head * middle.heads +
                      c.per_range * middle.ranges;
  zone.middle = c.angle;
  zone.middle_error = error;
  zone.reach_cylinders = zone.reach_heads = 0;
  for (const Sample* s : used) {
    zone.reach_cylinders = std::max(zone.reach_cylinders, std::abs(s->cylinder - middle.cylinders));
    zone.reach_heads = std::max(zone.reach_heads, std::abs(s->head - middle.heads));
  }
}

// What is left of the leads, regressed on place: angle and skews with their errors.
void regress(Zone& zone, const Phase& phase) {
  const std::vector<Sample> samples = against(zone, phase);
  if (samples.size() < kFewestAccesses) return;
  ZoneCorrection& c = zone.angles.correction;
  const Residuals left = residuals_about_mean(samples, c);
  zone.angles.coherence_after = std::abs(left.sum) / static_cast<double>(samples.size());
  c.angle = left.centre;
  const bool several_heads = std::ranges::any_of(
      left.of, [&](const Sample* s) { return s->head != left.of.front()->head; });
  const Terms terms{.heads = several_heads, .ranges = c.range > 0};
  if (left.of.size() < terms.unknowns() + 4) {
    c.angle_error = 0.5;
    return;
  }
  const Middle middle = middle_of(left.of, c);
  const auto fit = statistics::huber_regression(design_about(middle, left.of, terms, c), left.rev);
  if (!fit) return;
  take_over(*fit, middle, terms, c);
  note_middle(zone, middle, std::sqrt(fit->covariance.at(0, 0)), left.of);
  // A step that the accesses do not tell is none.
  if (terms.ranges && std::abs(c.per_range) <= std::max(kShiftErrors * c.per_range_error, kLeast)) {
    c = level_of(c);
    regress(zone, phase);
  }
}

void add_to(Phase& phase, const Zone& zone) {
  for (std::size_t i = 0; i < zone.samples.size(); ++i)
    phase.add(zone.samples[i].time_ns, zone.samples[i].command,
              zone.samples[i].lead - zone.angles.correction.angle -
                  correction_at(zone.angles.correction, zone.samples[i]));
}

// How much faster than at the spindle's period the phase wanders, on the whole: turns in each turn.
double drift_of(const std::vector<Zone>& zones, const Spindle& spindle) {
  std::vector<std::pair<double, double>> leads;
  for (const Zone& zone : zones) {
    if (!zone.angles.identified) continue;
    for (std::size_t i = 0; i < zone.samples.size(); ++i)
      if (zone.samples[i].command < command_of(true, false))
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

// An offset of each head, the same in all zones: what the zones' skews leave. It comes off the
// samples' leads if by Schwarz's criterion the accesses tell it.
bool take_off_heads(std::vector<Zone>& zones, const Phase& phase, AngleFit& fit) {
  std::vector<Complex> sums;
  std::vector<double> counts;
  Complex whole{};
  double all = 0;
  for (const Zone& zone : zones) {
    if (!zone.angles.identified) continue;
    for (const Sample& sample : against(zone, phase)) {
      if (sample.surface >= sums.size()) {
        sums.resize(sample.surface + 1);
        counts.resize(sample.surface + 1);
      }
      const Complex left = unit(sample.lead - zone.angles.correction.angle -
                                correction_at(zone.angles.correction, sample));
      sums[sample.surface] += left;
      whole += left;
      ++counts[sample.surface];
      ++all;
    }
  }
  double apart = 0, heads = 0;
  std::vector<double> offsets(sums.size());
  for (std::size_t head = 0; head < sums.size(); ++head) {
    apart += std::abs(sums[head]) / std::max(1.0, all);
    if (counts[head] < kFewestAccesses) continue;
    offsets[head] = angle_of(sums[head] * std::conj(whole));
    ++heads;
  }
  if (heads < 2) return false;
  const double gain = all * (evidence_of_each(apart) - evidence_of_each(std::abs(whole) / all));
  if (gain < kHeadsSurer + (heads - 1) * std::log(all) / 2) return false;
  fit.heads.resize(std::max(fit.heads.size(), sums.size()));
  fit.head_errors.resize(fit.heads.size());
  fit.head_accesses.resize(fit.heads.size());
  // Of one access about its head's mean.
  const double spread = std::sqrt(2 * std::max(0.0, 1 - apart)) / (2 * std::numbers::pi);
  for (std::size_t head = 0; head < sums.size(); ++head) {
    if (counts[head] < kFewestAccesses) continue;
    fit.heads[head] = wrap_rev(fit.heads[head] + offsets[head]);
    fit.head_errors[head] = spread / std::sqrt(counts[head]);
    fit.head_accesses[head] = static_cast<std::size_t>(counts[head]);
  }
  for (Zone& zone : zones)
    for (Sample& sample : zone.samples)
      if (sample.surface < offsets.size())
        sample.lead = wrap_rev(sample.lead - offsets[sample.surface]);
  return true;
}

// Zones that are explained far less well than the others, beyond chance.
void compare_zones(std::vector<Zone>& zones, AngleFit& fit) {
  std::vector<double> coherences;
  for (const Zone& zone : zones)
    if (zone.angles.identified) coherences.push_back(zone.angles.coherence_after);
  if (coherences.empty()) return;
  std::ranges::sort(coherences);
  fit.coherence = coherences[coherences.size() / 2];
  for (Zone& zone : zones) {
    if (!zone.angles.identified) continue;
    const double below = fit.coherence - zone.angles.coherence_after;
    // Of a mean resultant length: sqrt((1 - R^2) / n) and less.
    const double error =
        std::sqrt((1 - fit.coherence * fit.coherence) / static_cast<double>(zone.angles.accesses));
    zone.angles.lags = below > kFarBelow && below > kShiftErrors * error;
  }
}

// Whether accesses complete elsewhere on the platter after one of the other kind.
void compare_commands(const Phase& phase, AngleFit& fit) {
  for (const bool write : {false, true}) {
    const std::size_t own = command_of(write, write), other = command_of(write, !write);
    const std::size_t fewer = std::min(phase.count(own), phase.count(other));
    if (fewer < 4 * kFewestAccesses) continue;
    const double apart = wrap_rev(phase.offset(other) - phase.offset(own));
    const double error = fit.spread_rev * std::sqrt(2 / static_cast<double>(fewer));
    if (std::abs(apart) <= std::max(kShiftErrors * error, kLeast)) continue;
    fit.after_other[write] = apart;
    fit.after_other_error[write] = error;
  }
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
  const auto phase_of_all = [&] {
    Phase phase(window_ns / 4);
    for (const Zone& zone : zones)
      if (zone.angles.identified) add_to(phase, zone);
    phase.sort();
    return phase;
  };
  AngleFit fit;
  Shared shared;
  shared.skews.assign(likely.begin(), likely.end());
  for (int round = 0; round < kZoneRounds; ++round) {
    shared.any_range = round > 0;
    Phase phase = phase_of_all();
    for (Zone* zone : order) {
      if (zone->angles.identified && zone->angles.coherence_after > kAllRight) continue;
      const std::vector<Sample> samples = phase.empty() ? in_windows(*zone, window_ns)
                                                        : against(*zone, phase);
      const bool first = !zone->angles.identified;
      zone->angles.identified |= identify(*zone, samples, shared);
      if (!zone->angles.identified) continue;
      if (!phase.empty()) regress(*zone, phase);
      shared.skews.push_back(zone->angles.correction);
      if (zone->angles.correction.range > 0) shared.ranges.insert(zone->angles.correction.range);
      if (!first) continue;
      add_to(phase, *zone);
      phase.sort();
    }
    phase = phase_of_all();
    for (Zone* zone : order)
      if (zone->angles.identified) regress(*zone, phase);
    phase = phase_of_all();
    if (take_off_heads(zones, phase, fit))
      for (Zone* zone : order)
        if (zone->angles.identified) regress(*zone, phase);
  }
  const Phase phase = phase_of_all();
  fit.spread_rev = spread_of(zones, phase);
  fit.drift = drift_of(zones, spindle);
  compare_zones(zones, fit);
  compare_commands(phase, fit);
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

// Cylinders of the zone from `begin`, `count` times `length` of them, each in a range of its own.
model::LayoutNode part_of(const model::LayoutNode& zone, const ZoneCorrection& c,
                          std::uint32_t begin, std::uint32_t length, std::uint32_t count) {
  model::LayoutNode within = zone;
  within.count = length;
  within.cylinder = within.head = 0;
  within.angle_rev = 0;
  if (length == 1) within.angle_step_rev = 0, within.cylinder_step = 0;
  model::LayoutNode part;
  part.count = count;
  part.cylinder = zone.cylinder + zone.cylinder_step * static_cast<std::int32_t>(begin);
  part.head = zone.head;
  part.angle_rev = statistics::turn_rev(zone.angle_rev + zone.angle_step_rev * begin +
                                        c.per_range * steps_before(begin, c.range, c.first));
  if (count > 1) {
    part.cylinder_step = zone.cylinder_step * static_cast<std::int32_t>(length);
    part.angle_step_rev = statistics::turn_rev(zone.angle_step_rev * length + c.per_range);
  }
  part.children = {within};
  return part;
}

// The zone as what lies in front of the first step, the whole ranges, and what is left of it.
std::vector<model::LayoutNode> in_ranges(const model::LayoutNode& zone, const ZoneCorrection& c) {
  std::vector<model::LayoutNode> nodes;
  const std::uint32_t first = c.first % c.range, whole = (zone.count - first) / c.range,
                      rest = (zone.count - first) % c.range;
  if (first > 0) nodes.push_back(part_of(zone, c, 0, first, 1));
  if (whole > 0) nodes.push_back(part_of(zone, c, first, c.range, whole));
  if (rest > 0) nodes.push_back(part_of(zone, c, first + whole * c.range, rest, 1));
  return nodes;
}

// Each track turned by its head's offset: what steps from head to head becomes one node a head.
std::vector<model::LayoutNode> with_heads(const model::LayoutNode& node, std::int64_t head_before,
                                          std::span<const double> offsets) {
  std::vector<model::LayoutNode> nodes;
  const bool each = node.head_step != 0 && node.count > 1;
  for (std::uint32_t i = 0; i < (each ? node.count : 1); ++i) {
    model::LayoutNode one = node;
    if (each) {
      const auto step = static_cast<std::int32_t>(i);
      one.count = 1;
      one.cylinder += step * node.cylinder_step;
      one.head += step * node.head_step;
      one.angle_rev = statistics::turn_rev(node.angle_rev + i * node.angle_step_rev);
      one.cylinder_step = one.head_step = 0;
      one.angle_step_rev = 0;
    }
    const std::int64_t head = head_before + one.head;
    one.children.clear();
    for (const model::LayoutNode& child : node.children)
      for (model::LayoutNode& of_head : with_heads(child, head, offsets))
        one.children.push_back(std::move(of_head));
    if (node.children.empty() && head >= 0 && head < std::ssize(offsets))
      one.angle_rev = statistics::turn_rev(one.angle_rev + offsets[static_cast<std::size_t>(head)]);
    nodes.push_back(std::move(one));
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
  if (fit.heads.empty()) return result;
  const std::vector<model::LayoutNode> zones = std::move(result.zones);
  result.zones.clear();
  for (const model::LayoutNode& zone : zones)
    for (model::LayoutNode& node : with_heads(zone, 0, fit.heads))
      result.zones.push_back(std::move(node));
  return result;
}

}  // namespace platter::calibrate
