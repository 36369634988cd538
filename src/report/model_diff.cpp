#include "report/model_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "engine/layout_map.h"
#include "model/json_text.h"
#include "report/as_measured.h"
#include "report/track_list.h"

namespace platter::report {
namespace {

using Json = nlohmann::ordered_json;

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.7g}", *value) : "-";
}

const char* verdict(const model::Difference& difference) {
  if (!difference.not_judged.empty()) return "not judged";
  if (!difference.within_error) return "in one only";
  return *difference.within_error ? "equal" : "differs";
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// Angles without a stated error are equal up to the rounding of the 2^64 steps of a turn.
constexpr double kAngleRounding_rev = 1e-9;

// The tracks of a layout by their LBNs: quick for LBNs that ascend.
class TrackFinder {
 public:
  explicit TrackFinder(const engine::LayoutMap& map)
      : map_(map), cursor_(map), more_(cursor_.next()) {}

  // The track on which an LBN has its place in the sequence, though it may be remapped to another;
  // its angle is that of the LBN.
  MappedTrack track_of(std::uint64_t lbn) {
    const std::uint64_t slot = map_.slot_of_lbn(lbn);
    while (more_ && lbn >= cursor_.first_lbn() + cursor_.blocks()) more_ = cursor_.next();
    if (more_ && lbn >= cursor_.first_lbn()) {
      MappedTrack found = cursor_.mapped();
      if (lbn != found.first_lbn && !map_.is_remapped(lbn))
        found.angle = map_.angle_of_slot(cursor_.track(), slot);
      return found;
    }
    const engine::Track track = map_.track_of_slot(slot);
    MappedTrack found = mapped_track(map_, track);
    found.angle = map_.angle_of_slot(track, slot);
    return found;
  }

 private:
  const engine::LayoutMap& map_;
  TrackCursor cursor_;
  bool more_;
};

bool same_track(const MappedTrack& a, const MappedTrack& b) {
  return a.first_lbn == b.first_lbn && a.blocks == b.blocks && a.cylinder == b.cylinder &&
         a.head == b.head;
}

double around_zero(double rev) { return rev - std::round(rev); }

}  // namespace

DifferenceCount count(const std::vector<model::Difference>& differences) {
  DifferenceCount result;
  for (const model::Difference& difference : differences) {
    if (!difference.not_judged.empty()) {
      ++result.not_judged;
      continue;
    }
    if (!difference.within_error) {
      ++result.in_one_only;
      continue;
    }
    ++result.compared;
    if (difference.in_errors) {
      ++result.with_error;
      if (*difference.in_errors > 2) ++result.beyond_two;
    }
    if (!*difference.within_error) ++result.differing;
  }
  return result;
}

std::string differences_as_text(const std::vector<model::Difference>& differences, bool all) {
  const DifferenceCount counted = count(differences);
  std::string text = fmt::format(
      "{} figures compared: {} equal within their errors, {} differ; {} in one model only{}\n",
      counted.compared, counted.compared - counted.differing, counted.differing,
      counted.in_one_only,
      counted.not_judged > 0 ? fmt::format(", {} not judged", counted.not_judged) : "");
  if (counted.with_error > 0)
    text += fmt::format(
        "of {} with an error {} ({:.1f} %) lie more than two errors apart, 4.6 % "
        "would by chance\n",
        counted.with_error, counted.beyond_two,
        100.0 * static_cast<double>(counted.beyond_two) / static_cast<double>(counted.with_error));
  bool head = false;
  for (const model::Difference& difference : differences) {
    // What only one model has says nothing of the other.
    const bool in_one_only = !difference.within_error && difference.not_judged.empty();
    if (!all && (difference.within_error.value_or(false) || in_one_only)) continue;
    if (!head) {
      text += fmt::format("\n  {:<38} {:>14} {:>14} {:>12} {:>9} {:<7} {}\n", "figure", "a", "b",
                          "b - a", "relative", "unit", "");
      head = true;
    }
    const std::string relative = difference.relative
                                     ? fmt::format("{:.2f} %", 100 * *difference.relative)
                                     : std::string("-");
    text += fmt::format("  {:<38} {:>14} {:>14} {:>12} {:>9} {:<7} {}\n", difference.path,
                        number(difference.a), number(difference.b), number(difference.difference),
                        relative, difference.unit, verdict(difference));
    if (!difference.not_judged.empty()) text += "      " + difference.not_judged + "\n";
    if (!difference.instead.empty()) text += fmt::format("      in one: {}\n", difference.instead);
  }
  return text;
}

std::string differences_as_json(const std::vector<model::Difference>& differences) {
  const DifferenceCount counted = count(differences);
  Json json = model::json_head("platter-diff");
  json["compared"] = counted.compared;
  json["differing"] = counted.differing;
  json["in_one_only"] = counted.in_one_only;
  json["not_judged"] = counted.not_judged;
  json["with_error"] = counted.with_error;
  json["beyond_two_errors"] = counted.beyond_two;
  Json& list = json["differences"] = Json::array();
  for (const model::Difference& d : differences) {
    list.push_back({{"path", d.path},
                    {"unit", d.unit},
                    {"a", or_null(d.a)},
                    {"b", or_null(d.b)},
                    {"difference", or_null(d.difference)},
                    {"relative", or_null(d.relative)},
                    {"in_errors", or_null(d.in_errors)},
                    {"within_error", or_null(d.within_error)},
                    {"not_judged", d.not_judged},
                    {"instead", d.instead}});
  }
  return model::pretty(json);
}

LayoutDifference compare_layouts(const model::Layout& a, const model::Layout& b) {
  const engine::LayoutMap in_a(a), in_b(b);
  LayoutDifference result;
  std::vector<double> turned;  // B's angle minus A's
  double cosines = 0, sines = 0;
  TrackFinder finder(in_b);
  for_each_track(in_a, [&](const MappedTrack& track) {
    ++result.tracks_a;
    const bool in_both = track.first_lbn < in_b.blocks();
    const MappedTrack other = in_both ? finder.track_of(track.first_lbn) : MappedTrack{};
    if (!in_both || !same_track(track, other)) {
      ++result.differing_tracks;
      result.differing_blocks += track.blocks;
    }
    if (!in_both) return;
    const engine::Angle angle = other.angle - track.angle;
    turned.push_back(engine::rev_from_angle(angle));
    cosines += std::cos(2 * std::numbers::pi * turned.back());
    sines += std::sin(2 * std::numbers::pi * turned.back());
  });
  for_each_track(in_b, [&](const MappedTrack&) { ++result.tracks_b; });
  if (turned.empty()) return result;
  double offset = std::atan2(sines, cosines) / (2 * std::numbers::pi);
  double rest = 0;  // atan2 of large sums is good to some 1e-12; one step of the mean makes it
                    // exact
  for (const double rev : turned) rest += around_zero(rev - offset);
  offset += rest / static_cast<double>(turned.size());
  double squares = 0;
  for (const double rev : turned) {
    const double error = around_zero(rev - offset);
    squares += error * error;
    result.max_angle_rev = std::max(result.max_angle_rev, std::fabs(error));
  }
  result.angles = turned.size();
  result.offset_rev = offset - std::floor(offset);
  result.rms_angle_rev = std::sqrt(squares / static_cast<double>(turned.size()));
  return result;
}

namespace {

void append_layouts(const model::DriveModel& a, const model::DriveModel& b,
                    std::vector<model::Difference>& differences) {
  if (a.layout.zones.empty() || b.layout.zones.empty()) return;
  const LayoutDifference layout = compare_layouts(a.layout, b.layout);
  const auto counted = [&](const char* path, const char* unit, std::uint64_t in_a,
                           std::uint64_t in_b, std::uint64_t elsewhere) {
    const auto count = static_cast<double>(elsewhere);
    differences.push_back({path,
                           unit,
                           static_cast<double>(in_a),
                           static_cast<double>(in_b),
                           count,
                           count / static_cast<double>(in_a),
                           std::nullopt,
                           elsewhere == 0 && in_a == in_b,
                           {}});
  };
  counted("layout.tracks", "tracks", layout.tracks_a, layout.tracks_b, layout.differing_tracks);
  counted("layout.blocks", "blocks", engine::LayoutMap(a.layout).blocks(),
          engine::LayoutMap(b.layout).blocks(), layout.differing_blocks);
  const double error = std::hypot(a.layout.angle.error.value_or(0),
                                  b.layout.angle.error.value_or(0));
  const auto angle = [&](const char* path, double rev, double within) {
    differences.push_back({path,
                           "rev",
                           std::nullopt,
                           std::nullopt,
                           rev,
                           std::nullopt,
                           std::nullopt,
                           rev <= within * error + kAngleRounding_rev,
                           {}});
  };
  if (layout.angles > 0) {
    angle("layout.angle_rms", layout.rms_angle_rev, model::kEqualWithin);
    // Each zone has an error of its own, and the farthest is one of them.
    angle("layout.angle_max", layout.max_angle_rev, model::equal_within(a.layout.zones.size()));
  }
}

std::vector<model::Difference> diff_as_they_are(
    const model::DriveModel& a, const model::DriveModel& b,
    const std::map<std::string, std::string>& not_judged) {
  std::vector<model::Difference> differences = model::diff_parameters(a, b);
  for (model::Difference& difference : differences) {
    const auto why = not_judged.find(difference.path);
    if (why == not_judged.end() || difference.within_error.value_or(true)) continue;
    difference.within_error.reset();
    difference.not_judged = why->second;
  }
  append_layouts(a, b, differences);
  return differences;
}

}  // namespace

std::vector<model::Difference> diff_models(const model::DriveModel& a, const model::DriveModel& b) {
  if (are_truth_and_measured(a, b)) {
    const Comparable both = comparable(a, b);
    return diff_as_they_are(both.measured, both.truth, both.not_judged);
  }
  if (are_truth_and_measured(b, a)) {
    const Comparable both = comparable(b, a);
    return diff_as_they_are(both.truth, both.measured, both.not_judged);
  }
  return diff_as_they_are(a, b, {});
}

}  // namespace platter::report
