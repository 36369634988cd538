#include "emit/disksim/g1_geometry.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "emit/disksim/track_runs.h"
#include "model/error.h"

namespace platter::emit_disksim {
namespace {

double nearest(double rev) { return rev - std::round(rev); }  // -0.5 to 0.5

struct Cylinder {
  std::uint32_t number = 0, sectors = 0;
  bool up = true, down = true;  // heads ascend, descend; both with a single track
  std::size_t first = 0, end = 0;
};

// ---------------------------------------------------------------- tracks and cylinders

bool holds_blocks(const engine::Track& track, const std::vector<Interval>& used,
                  const std::vector<std::uint64_t>& spares) {
  const std::uint64_t end = track.first_slot + track.sectors;
  const auto at = std::upper_bound(
      used.begin(), used.end(), track.first_slot,
      [](std::uint64_t slot, const Interval& i) { return slot < i.end; });
  if (at != used.end() && at->first < end) return true;
  const auto spare = std::lower_bound(spares.begin(), spares.end(), track.first_slot);
  return spare != spares.end() && *spare < end;
}

std::vector<engine::Track> tracks_of(const engine::LayoutMap& map) {
  constexpr std::uint64_t kMostTracks = std::uint64_t{1} << 23;
  if (map.tracks() > kMostTracks)
    cannot_express(
        fmt::format("the layout has {} tracks, more than {}", map.tracks(), kMostTracks));
  std::vector<engine::Track> tracks;
  for (std::uint64_t slot = 0; slot < map.slots(); slot += tracks.back().sectors) {
    tracks.push_back(map.track_of_slot(slot));
  }
  return tracks;
}

// Tracks without blocks are no loss where they fit nowhere: beside tracks with another number of
// sectors in their cylinder, or in a cylinder that was already left.
void drop_odd_spares(std::vector<engine::Track>& tracks, const std::vector<Interval>& used,
                     const model::Layout& layout) {
  const auto odd = [&](std::size_t i) {
    const auto differs = [&](std::size_t j) {
      return tracks[i].cylinder == tracks[j].cylinder && tracks[i].sectors != tracks[j].sectors;
    };
    return (i > 0 && (differs(i - 1) || tracks[i].cylinder < tracks[i - 1].cylinder)) ||
           (i + 1 < tracks.size() && differs(i + 1));
  };
  std::vector<std::uint64_t> spares;  // slots of remapped blocks, ascending
  for (const model::Remap& remap : layout.remaps) spares.push_back(remap.slot);
  std::sort(spares.begin(), spares.end());
  std::vector<engine::Track> kept;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (!odd(i) || holds_blocks(tracks[i], used, spares)) kept.push_back(tracks[i]);
  }
  tracks = std::move(kept);
}

std::vector<Cylinder> cylinders_of(const std::vector<engine::Track>& tracks) {
  std::vector<Cylinder> cylinders;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const engine::Track& track = tracks[i];
    if (cylinders.empty() || cylinders.back().number != track.cylinder) {
      if (!cylinders.empty() && track.cylinder < cylinders.back().number) {
        cannot_express(
            fmt::format("LBNs go back from cylinder {} to {} (as in a surface serpentine)",
                        cylinders.back().number, track.cylinder));
      }
      cylinders.push_back({track.cylinder, track.sectors, true, true, i, i + 1});
      continue;
    }
    Cylinder& last = cylinders.back();
    if (track.sectors != last.sectors) {
      cannot_express(
          fmt::format("the tracks of cylinder {} differ in their number of sectors ({} and {})",
                      track.cylinder, last.sectors, track.sectors));
    }
    (track.head > tracks[i - 1].head ? last.down : last.up) = false;
    last.end = i + 1;
    if (!last.up && !last.down) {
      cannot_express(
          fmt::format("LBNs visit the heads of cylinder {} in no order", track.cylinder));
    }
  }
  return cylinders;
}

int mapping_of(const std::vector<Cylinder>& cylinders) {
  if (std::all_of(cylinders.begin(), cylinders.end(), [](const Cylinder& c) { return c.up; }))
    return 0;
  const bool from_disk = std::all_of(cylinders.begin(), cylinders.end(), [](const Cylinder& c) {
    return c.number % 2 == 0 ? c.up : c.down;
  });
  return from_disk ? 2 : 1;
}

// ---------------------------------------------------------------- angles

// Deviations from a first guess of offset and steps, fitted by least squares: small numbers, so
// that thousands of revolutions cost no precision, and the guess decides nothing but whole
// revolutions.
class AngleFit {
 public:
  AngleFit(double offset, double track_step, double cylinder_step)
      : offset_(offset), track_step_(track_step), cylinder_step_(cylinder_step) {}

  double deviation(double turn, double cylinder, double angle) const {
    const double guess = offset_ + turn * track_step_ + cylinder * cylinder_step_;
    const double expected = correction_[0] + turn * correction_[1] + cylinder * correction_[2];
    return nearest(angle - guess - expected);
  }

  void add(double turn, double cylinder, double angle) {
    const double expected = correction_[0] + turn * correction_[1] + cylinder * correction_[2];
    const double value = expected + deviation(turn, cylinder, angle);
    const std::array<double, 3> row{1, turn, cylinder};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) square_[i][j] += row[i] * row[j];
      right_[i] += row[i] * value;
    }
  }

  // A step that the tracks so far do not tell stays at the guess.
  void solve() {
    auto a = square_;
    auto b = right_;
    std::array<bool, 3> known{};
    for (std::size_t i = 0; i < 3; ++i) {
      known[i] = a[i][i] > 1e-9 * std::max(1.0, square_[i][i]);
      if (!known[i]) continue;
      for (std::size_t j = 0; j < 3; ++j) {
        if (j == i) continue;
        const double factor = a[j][i] / a[i][i];
        for (std::size_t k = 0; k < 3; ++k) a[j][k] -= factor * a[i][k];
        b[j] -= factor * b[i];
      }
    }
    for (std::size_t i = 0; i < 3; ++i) correction_[i] = known[i] ? b[i] / a[i][i] : 0;
  }

  double offset() const { return fraction(offset_ + correction_[0]); }
  double track_step() const { return fraction(track_step_ + correction_[1]); }
  double cylinder_step() const { return fraction(cylinder_step_ + correction_[2]); }

 private:
  double offset_, track_step_, cylinder_step_;
  std::array<double, 3> correction_{}, right_{};
  std::array<std::array<double, 3>, 3> square_{};
};

class Divider {
 public:
  Divider(Geometry& geometry, const std::vector<Cylinder>& cylinders, double tolerance_rev)
      : geometry_(geometry), cylinders_(cylinders), tolerance_rev_(tolerance_rev) {}

  void divide() {
    for (std::size_t first = 0; first < cylinders_.size();) {
      if (!may_begin(first)) {
        cannot_express(
            fmt::format("a zone of the serpentine begins in cylinder {} with the last head",
                        cylinders_[first].number));
      }
      std::size_t end = first + 1;
      while (end < cylinders_.size() && continues(first, end)) ++end;
      divide_by_angle(first, end);
      first = end;
    }
  }

 private:
  bool may_begin(std::size_t at) const { return geometry_.mapping != 1 || cylinders_[at].up; }
  bool fits_direction(std::size_t first, std::size_t at) const {
    return geometry_.mapping != 1 ||
           ((at - first) % 2 == 0 ? cylinders_[at].up : cylinders_[at].down);
  }
  bool continues(std::size_t first, std::size_t at) const {
    const Cylinder &before = cylinders_[at - 1], &next = cylinders_[at];
    if (next.number != before.number + 1 || next.sectors != before.sectors) return false;
    if (!fits_direction(first, at)) return false;
    const bool other_zone = geometry_.tracks[next.first].zone !=
                            geometry_.tracks[next.first - 1].zone;
    return !(other_zone && may_begin(at));
  }

  double turn(std::size_t first, std::size_t cylinder, std::size_t track) const {
    const bool down = geometry_.mapping == 1   ? (cylinder - first) % 2 != 0
                      : geometry_.mapping == 2 ? cylinders_[cylinder].number % 2 != 0
                                               : false;
    const std::uint32_t head = geometry_.tracks[track].head;
    return down ? geometry_.heads - 1 - head : head;
  }
  double angle(std::size_t track) const {
    return engine::rev_from_angle(geometry_.tracks[track].angle);
  }

  AngleFit guess(std::size_t first, std::size_t end) const {
    double track_step = 0;
    bool found = false;
    for (std::size_t c = first; c < end && !found; ++c) {
      for (std::size_t t = cylinders_[c].first; t + 1 < cylinders_[c].end && !found; ++t) {
        found = turn(first, c, t + 1) - turn(first, c, t) == 1;
        if (found) track_step = fraction(angle(t + 1) - angle(t));
      }
    }
    const auto start = [&](std::size_t c) {
      const std::size_t t = cylinders_[c].first;
      return fraction(angle(t) - turn(first, c, t) * track_step);
    };
    return {start(first), track_step,
            first + 1 < end ? fraction(start(first + 1) - start(first)) : 0};
  }

  double worst(const AngleFit& fit, std::size_t first, std::size_t c) const {
    double largest = 0;
    for (std::size_t t = cylinders_[c].first; t < cylinders_[c].end; ++t) {
      const double deviation = fit.deviation(turn(first, c, t), static_cast<double>(c - first),
                                             angle(t));
      largest = std::max(largest, std::fabs(deviation));
    }
    return largest;
  }

  // Takes the cylinder into the fit if it is near enough to it then. The steps need a new solution
  // often only while few tracks tell them.
  bool extend(AngleFit& fit, std::size_t first, std::size_t at) const {
    AngleFit trial = fit;
    const bool early = at - first < 64;
    for (std::size_t t = cylinders_[at].first; t < cylinders_[at].end; ++t) {
      trial.add(turn(first, at, t), static_cast<double>(at - first), angle(t));
      if (early) trial.solve();
    }
    if ((at - first) % 16 == 0) trial.solve();
    if (worst(trial, first, at) > tolerance_rev_) return false;
    fit = trial;
    return true;
  }

  // As many cylinders as equal skews reach, then the next zone.
  void divide_by_angle(std::size_t first, std::size_t end) {
    while (first < end) {
      AngleFit fit = guess(first, end);
      std::size_t at = first;
      while (at < end && extend(fit, first, at)) ++at;
      if (at < end) at = earlier_start(first, at);
      first = close(first, at);
    }
  }

  std::size_t earlier_start(std::size_t first, std::size_t at) const {
    while (at > first && !may_begin(at)) --at;
    if (at == first) {
      cannot_express(fmt::format("the tracks of cylinder {} do not follow each other at one skew",
                                 cylinders_[first].number));
    }
    return at;
  }

  // The zone of these cylinders, or of the first half of them where the line through all is too far
  // from some.
  std::size_t close(std::size_t first, std::size_t end) {
    AngleFit fit = guess(first, end);
    for (std::size_t c = first; c < end; ++c) {
      for (std::size_t t = cylinders_[c].first; t < cylinders_[c].end; ++t) {
        fit.add(turn(first, c, t), static_cast<double>(c - first), angle(t));
        if (c - first < 64) fit.solve();
      }
      if ((c - first) % 16 == 0) fit.solve();
    }
    fit.solve();
    double largest = 0;
    for (std::size_t c = first; c < end; ++c) largest = std::max(largest, worst(fit, first, c));
    if (largest > tolerance_rev_)
      return close(first, earlier_start(first, first + (end - first) / 2));
    geometry_.worst_angle_rev = std::max(geometry_.worst_angle_rev, largest);
    GeometryZone zone;
    zone.first_cylinder = cylinders_[first].number;
    zone.last_cylinder = cylinders_[end - 1].number;
    zone.sectors = cylinders_[first].sectors;
    zone.offset_rev = fit.offset();
    zone.track_step_rev = fit.track_step();
    zone.cylinder_step_rev = fit.cylinder_step();
    zone.first_track = cylinders_[first].first;
    zone.end_track = cylinders_[end - 1].end;
    geometry_.zones.push_back(zone);
    return end;
  }

  Geometry& geometry_;
  const std::vector<Cylinder>& cylinders_;
  double tolerance_rev_;
};

}  // namespace

void cannot_express(const std::string& what) {
  throw Error(
      ExitStatus::unsupported,
      fmt::format("the layout cannot be written for DiskSim: {}, which dm_layout_g1 cannot express",
                  what));
}

std::vector<Interval> slots_with_blocks(const model::Layout& layout, std::uint64_t slots) {
  constexpr std::uint64_t kMostRuns = std::uint64_t{1} << 24;
  std::uint64_t runs = 0;
  for (const model::Skip& s : layout.skips) runs += s.count;
  if (runs > kMostRuns)
    cannot_express(
        fmt::format("its blocks are left out in {} places, more than {}", runs, kMostRuns));
  std::vector<Interval> used;
  std::uint64_t next = 0;
  const auto skip = [&](std::uint64_t first, std::uint64_t length) {
    if (first > next) used.push_back({next, first});
    next = first + length;
  };
  for (const model::Skip& s : layout.skips) {
    for (std::uint64_t i = 0; i < s.count; ++i) skip(s.first_slot + i * s.stride, s.length);
  }
  if (slots > next) used.push_back({next, slots});
  return used;
}

std::uint32_t Geometry::turn(const GeometryZone& zone, const engine::Track& track) const {
  const bool down = mapping == 1   ? (track.cylinder - zone.first_cylinder) % 2 != 0
                    : mapping == 2 ? track.cylinder % 2 != 0
                                   : false;
  return down ? heads - 1 - track.head : track.head;
}

Geometry find_geometry(const model::Layout& layout, const engine::LayoutMap& map,
                       const std::vector<Interval>& used, std::uint32_t heads,
                       double tolerance_rev) {
  Geometry geometry;
  geometry.heads = std::max(heads, map.heads());
  geometry.tracks = tracks_of(map);
  drop_odd_spares(geometry.tracks, used, layout);
  const std::vector<Cylinder> cylinders = cylinders_of(geometry.tracks);
  geometry.mapping = mapping_of(cylinders);
  Divider(geometry, cylinders, tolerance_rev).divide();
  return geometry;
}

}  // namespace platter::emit_disksim
