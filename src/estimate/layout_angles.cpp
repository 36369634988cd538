#include "estimate/layout_angles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/rotation.h"
#include "estimate/sector_end.h"
#include "model/interruption.h"
#include "model/validate.h"
#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::estimate {

TrackAngle angle_of_reads(std::uint64_t track_slot, const std::vector<double>& angles_rev,
                          double noise_rev) {
  constexpr double kFarMore = 3;  // Chosen: the noise of four reads scatters so in 1 of 100,000
  TrackAngle track{.track_slot = track_slot, .angle_rev = angles_rev.front()};
  track.sigma_rev = 1.2 * noise_rev / std::sqrt(static_cast<double>(angles_rev.size()));
  if (const auto mean = statistics::robust_angle_rev(angles_rev)) {
    track.angle_rev = mean->value;
    if (mean->error > kFarMore * track.sigma_rev) track.sigma_rev = mean->error;
  }
  return track;
}

std::vector<TrackAngle> within(const std::vector<TrackAngle>& all, const ZoneShape& shape) {
  std::vector<TrackAngle> mine;
  for (const TrackAngle& angle : all)
    if (shape.holds(angle.track_slot)) mine.push_back(angle);
  return mine;
}

double zone_error_rev(const ZoneShape& shape, const ZoneFit& fit) {
  double worst = 0;
  constexpr std::uint64_t kProbes = 33;
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    const std::uint64_t slot = shape.first_slot() + (shape.slots() - 1) / (kProbes - 1) * i;
    stop_if_asked();
    const TrackPath path = shape.path_of_slot(slot);
    if (shape.usable(path)) worst = std::max(worst, fit.error_rev(shape.row(path)));
  }
  for (const TrackPath& path : shape.corners()) {
    stop_if_asked();
    worst = std::max(worst, fit.error_rev(shape.row(path)));
  }
  return worst;
}

namespace {

// Every unknown that a track with LBNs can tell is known.
bool complete(const ZoneShape& shape, const ZoneFit& fit) {
  const auto introductions = shape.introductions();
  for (std::size_t u = 0; u < introductions.size(); ++u)
    if (introductions[u] && !fit.introduced[u]) return false;
  return fit.introduced.front();
}

// Tracks that lie elsewhere than the zone's rule has them say how good the rule is: its errors grow
// until they hold all tracks seen (the scale factor of Particle Data Group, Review of Particle
// Physics, Introduction, 5.2.2).
void hold_odd_tracks(const std::vector<TrackAngle>& tracks, ZoneFit& fit) {
  double squares = 0, seen = 0;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (fit.residuals_rev[i] == 1.0) continue;
    squares += std::pow(fit.residuals_rev[i] / tracks[i].sigma_rev, 2);
    ++seen;
  }
  if (std::ranges::count(fit.odd, true) == 0 || seen < 2) return;
  const double scale = std::max(1.0, squares / (seen - 1));
  for (double& entry : fit.covariance.data) entry *= scale;
}

// So many of them that none of its angles is sure.
bool has_no_rule(const ZoneFit& fit) {
  constexpr double kMost = 0.2;  // Chosen: of the tracks seen
  return static_cast<double>(std::ranges::count(fit.odd, true)) >
         kMost * static_cast<double>(fit.odd.size());
}

}  // namespace

std::vector<TrackAngle> observe_tracks(const Samples& samples, const model::Rotation& rotation,
                                       const engine::LayoutMap& map, const PhaseDrift& drift) {
  std::vector<TrackAngle> result;
  const OnTrack reference = on_track(map, reference_lbn(samples).value_or(0));
  std::vector<double> angles;
  std::uint64_t track = 0;
  std::uint32_t session = 0;
  Nanoseconds last_ns = 0;
  const auto finish = [&] {
    if (angles.empty()) return;
    TrackAngle& angle =
        result.emplace_back(angle_of_reads(track, angles, std::max(drift.noise_rev(), 1e-6)));
    angle.common = drift.error_at(last_ns, session);
    angles.clear();
  };
  for (const Sample& s : samples) {
    stop_if_asked();
    if (s.experiment != Experiment::angle || s.lbn >= map.blocks() || !drift.knows(s.session))
      continue;
    const OnTrack place = on_track(map, s.lbn);
    if (place.track_slot != track || s.session != session) finish();
    track = place.track_slot;
    session = s.session;
    last_ns = s.completed_ns;
    angles.push_back(statistics::turn_rev(phase_rev(rotation, s.completed_ns) -
                                          drift.at_rev(s.completed_ns, s.session) +
                                          reference.width_rev - place.end_rev));
  }
  finish();
  return result;
}

LayoutAngles estimate_layout_angles(const Samples& samples, const model::Rotation& rotation,
                                    const model::Layout& layout,
                                    const std::vector<LbnRange>& left_out) {
  LayoutAngles result;
  result.layout = layout;
  const engine::LayoutMap map(layout);
  const PhaseDrift drift(anchors_about_angles(samples), rotation);
  if (!drift.known()) {
    result.layout.angle.reason = "no reference reads";
    return result;
  }
  const std::vector<TrackAngle> all = observe_tracks(samples, rotation, map, drift);
  const std::vector<double> err_alike_rev = mean_common_error(all);
  const std::vector<std::uint64_t> starts = model::zone_starts(layout);
  std::vector<double> residuals;
  double squares = 0, known_slots = 0;  // of the errors of zones, by slots
  std::vector<std::size_t> unknown;
  std::size_t used = 0;
  for (std::size_t zone = 0; zone < layout.zones.size(); ++zone) {
    const ZoneShape shape(layout.zones[zone], starts[zone], map, left_out);
    const std::vector<TrackAngle> tracks = within(all, shape);
    ZoneFit fit = fit_zone(shape, tracks, true, err_alike_rev);
    hold_odd_tracks(tracks, fit);
    const bool known = complete(shape, fit) && !has_no_rule(fit) &&
                       zone_error_rev(shape, fit) <= kSureUnwrap_rev;
    if (!known && shape.holds_blocks()) unknown.push_back(zone);
    result.layout.zones[zone] = has_no_rule(fit) ? shape.with_angles(fit.unknowns)
                                                 : shape.with_angles(fit.unknowns, fit.covariance);
    const double error = known ? zone_error_rev(shape, fit) : 1.0;
    result.zone_error_rev.push_back(error);
    const auto slots = static_cast<double>(shape.slots());
    if (known) {
      squares += slots * error * error;
      known_slots += slots;
    }
    used += fit.used;
    for (double residual : fit.residuals_rev)
      if (residual != 1.0) residuals.push_back(residual);
  }
  result.complete = unknown.empty();
  if (!result.complete)
    result.notes.emplace_back(
        model::Code::angles_incomplete,
        fmt::format("the angles of {} of {} zones, the first of them zone {}, "
                    "could not all be measured",
                    unknown.size(), layout.zones.size(), unknown.front()));
  if (!residuals.empty()) result.residual_rev = statistics::mad_sigma(residuals);
  model::Parameter& angle = result.layout.angle;
  angle = {};
  angle.unit = "rev";
  angle.method = "one-sector reads, phase relative to a reference sector";
  angle.samples = used;
  if (known_slots == 0) {
    angle.reason = "no zone's angles could be measured";
  } else {
    angle.error = std::sqrt(squares / known_slots);
    if (!result.complete) angle.reason = "the angles of some zones could not be measured";
  }
  return result;
}

}  // namespace platter::estimate
