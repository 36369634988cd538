// The figures in which drives of one product are held against each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"
#include "model/error.h"
#include "statistics/odd_one_out.h"

namespace platter::fleet {

// A drive of a fleet: its model, and how one names it; or why there is none.
struct Drive {
  std::string name;  // reference in a registry, or the model's file
  model::DriveModel model;
};

// What was to be a drive's model and is none.
struct LeftOut {
  std::string name;  // reference in a registry, or the file
  ExitStatus status = ExitStatus::bad_input;
  std::string error;
};

struct Figure {
  std::string path{};  // in the model's JSON; or what it is made of
  std::string unit{};
  // What a drive is that stands out by it: "slow head", "long seeks"; empty: only the figure tells.
  std::string above{}, below{};
  statistics::Side side = statistics::Side::both;
  bool counted = false;  // things, which are compared by their roots
  // Of each drive, in its unit; error: one standard error, if stated.
  // resolution: what it tells apart where it states no error (resolution.h); else 0.
  struct Value {
    std::optional<double> value{}, error{};
    double resolution = 0;
  };
  std::vector<Value> values{};
};

// The figure that is of the fleet, not of the drive: how much is formatted otherwise than on most.
constexpr const char* kZones = "layout: formatted otherwise";

// Of drives that ought to be alike; those that at least one drive has.
std::vector<Figure> figures_of(std::span<const Drive* const> drives);

// As values of a bell-shaped kind. A count becomes 2 sqrt(n + 3/8), whose standard error is 1 for
// things that happen independently (Anscombe, Biometrika 35, 1948).
statistics::Estimate comparable(const Figure& figure, const Figure::Value& value);

// How a drive's tracks are formatted from the outermost cylinder to the innermost, in a form in
// which drives can be compared.
// Borders of zones that lie closer together than the stroke divided by this are not told apart.
constexpr std::uint32_t kRings = 1024;

struct MediaProfile {
  // Of each ring of cylinders, the sum over the surfaces of the longest track's sectors. A track
  // that lost sectors to defects is not the longest.
  std::vector<std::uint64_t> sectors;
  // Sectors of the mean track on the surface that has the fewest, by those of the mean track of
  // all. nullopt: one surface.
  std::optional<double> slowest_surface;
};

// `cylinders`: of the fleet's largest drive, so that rings are the same for all.
MediaProfile media_profile(const model::Layout& layout, std::uint32_t cylinders);

// Of each drive, the share of rings that are formatted otherwise than most drives' are there (their
// median).
std::vector<double> shares_formatted_otherwise(std::span<const MediaProfile> profiles);

// What a figure tells apart where its model states no error of it.
// Of one model. Differences up to there are no finding: the figures would not show them.
class Resolution {
 public:
  explicit Resolution(const model::DriveModel& model);

  // Of a figure by its path and unit, in that unit. 0: it is exact, as a count or a setting is.
  //
  //   times whose method is the MTBRC   one sector of the longest track passing the head: accesses
  //                                     are apart by whole sectors
  //   other times                       1 us: what hosts stamp commands with
  //   the bus, a block                  that over the 256 blocks of the longest READ(6)
  //   the rotation                      1 rpm: what speeds are published in
  double of(std::string_view path, std::string_view unit) const;

  // Of shares of a surface's sectors: one sector of each track.
  double of_sectors() const { return longest_track_ == 0 ? 0 : 1.0 / longest_track_; }

 private:
  std::uint32_t longest_track_ = 0;
  double revolution_ns_ = 0;  // 0: not known
};

}  // namespace platter::fleet
