#include "emit/disksim/g2_export.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "emit/disksim/parameter_text.h"
#include "emit/disksim/skew_text.h"
#include "emit/disksim/track_runs.h"
#include "model/error.h"

namespace platter::emit_disksim {
namespace {

// The stretches of one cylinder, which follow one another.
struct StretchedCylinder {
  std::uint32_t number = 0, sectors = 0;
  std::size_t first = 0, end = 0;
  std::uint32_t switches = 0;   // of tracks
  double angle_rev = 0;         // of the first track
  double track_skew_rev = 0.0;  // the mean, from -0.5 to 0.5; 0 without a switch
};

double from_nearest(double rev) { return rev - std::round(rev); }

bool is_near(double a_rev, double b_rev, double tolerance_rev) {
  return std::fabs(from_nearest(a_rev - b_rev)) <= tolerance_rev;
}

[[noreturn]] void no_g2(const std::string& why) {
  throw Error(ExitStatus::unsupported,
              "the layout cannot be written as a dm_layout_g2: " + why + "; leave out --layout g2");
}

StretchedCylinder cylinder_at(const std::vector<TrackStretch>& all, std::size_t first) {
  StretchedCylinder found{
      all[first].cylinder, all[first].sectors, first, first, 0, all[first].angle_rev, 0};
  double first_step = 0, sum = 0;
  for (; found.end < all.size() && all[found.end].cylinder == found.number; ++found.end) {
    if (all[found.end].sectors != found.sectors)
      no_g2(
          fmt::format("cylinder {} has tracks of {} and {} sectors, and there is one number a "
                      "cylinder there",
                      found.number, found.sectors, all[found.end].sectors));
    if (found.end == first || all[found.end].head == all[found.end - 1].head) continue;
    const double step = from_nearest(all[found.end].angle_rev - all[found.end - 1].angle_rev);
    if (found.switches++ == 0) first_step = step;
    sum += first_step + from_nearest(step - first_step);
  }
  if (found.switches > 0) found.track_skew_rev = from_nearest(sum / found.switches);
  return found;
}

std::vector<StretchedCylinder> cylinders_of(const std::vector<TrackStretch>& all) {
  std::vector<StretchedCylinder> found;
  for (std::size_t at = 0; at < all.size(); at = found.back().end) {
    found.push_back(cylinder_at(all, at));
    if (found.size() > 1 && found.back().number <= found[found.size() - 2].number)
      no_g2(
          fmt::format("block {} lies on cylinder {} and the one in front of it on {}, and "
                      "cylinders follow one another there, each with all its blocks",
                      all[at].lbn, found.back().number, found[found.size() - 2].number));
  }
  return found;
}

class Bands {
 public:
  Bands(const std::vector<TrackStretch>& stretches, double tolerance_rev)
      : stretches_(stretches), tolerance_rev_(tolerance_rev) {}

  void add(const StretchedCylinder& cylinder) {
    if (bands_.empty() || !(continues(cylinder) || continues_behind_the_first(cylinder)))
      begin(cylinder);
    require_equal_skews(cylinder);
    G2Band& band = bands_.back();
    band.last_cylinder = cylinder.number;
    const TrackStretch& last = stretches_[cylinder.end - 1];
    band.last_lbn = last.lbn + last.blocks - 1;
    before_ = cylinder;
  }
  std::vector<G2Band> take() { return std::move(bands_); }

 private:
  void begin(const StretchedCylinder& cylinder) {
    G2Band band;
    // The arm is on cylinder 0 first, which must be in a zone.
    band.first_cylinder = bands_.empty() ? 0 : cylinder.number;
    band.sectors = cylinder.sectors;
    band.first_lbn = stretches_[cylinder.first].lbn;
    band.skew_rev = is_near(cylinder.angle_rev, 0, kNone_rev) ? 0 : fraction(cylinder.angle_rev);
    band.track_skew_rev = fraction(cylinder.track_skew_rev);
    angle_rev_ = band.skew_rev;
    state_ = band.skew_rev == 0 ? State::one_cylinder : State::skewed_cylinder;
    bands_.push_back(band);
  }

  // The skew of a switch of cylinders follows from the first. DiskSim counts it to the cylinder
  // with the next number.
  bool continues(const StretchedCylinder& cylinder) {
    G2Band& band = bands_.back();
    if (state_ == State::skewed_cylinder || cylinder.number != before_.number + 1 ||
        cylinder.sectors != band.sectors)
      return false;
    const double from_rev = angle_rev_ + before_.switches * band.track_skew_rev;
    const double skew_rev = state_ == State::one_cylinder ? fraction(cylinder.angle_rev - from_rev)
                                                          : band.cylinder_skew_rev;
    const double angle_rev = fraction(from_rev + skew_rev);
    if (!is_near(angle_rev, cylinder.angle_rev, tolerance_rev_) ||
        odd_track(cylinder, angle_rev, band.track_skew_rev) != nullptr)
      return false;
    band.cylinder_skew_rev = skew_rev;
    angle_rev_ = angle_rev;
    state_ = State::several_cylinders;
    return true;
  }

  // DiskSim forgets a zone's own skew behind its first cylinder: the next cylinder begins at the
  // skews of the switches in front of it. So that cylinder is a zone of its own, whose skew of a
  // switch of cylinders leads to the next; and the rest is a zone that names it, too, but comes
  // behind it in the file. DiskSim then takes none of the rest's own skew, which is right for those
  // who do.
  bool continues_behind_the_first(const StretchedCylinder& cylinder) {
    G2Band& first = bands_.back();
    if (state_ != State::skewed_cylinder || cylinder.number != before_.number + 1 ||
        cylinder.sectors != first.sectors ||
        odd_track(cylinder, cylinder.angle_rev, first.track_skew_rev) != nullptr)
      return false;
    first.cylinder_skew_rev =
        fraction(cylinder.angle_rev - before_.switches * first.track_skew_rev);
    G2Band rest = first;
    rest.first_lbn = stretches_[cylinder.first].lbn;
    rest.skew_rev = fraction(cylinder.angle_rev);
    angle_rev_ = rest.skew_rev;
    state_ = State::one_cylinder;
    bands_.push_back(rest);
    return true;
  }

  // nullptr: all follow at the skew.
  const TrackStretch* odd_track(const StretchedCylinder& cylinder, double angle_rev,
                                double track_skew_rev) const {
    for (std::size_t i = cylinder.first; i < cylinder.end; ++i) {
      if (i > cylinder.first && stretches_[i].head != stretches_[i - 1].head)
        angle_rev += track_skew_rev;
      if (!is_near(stretches_[i].angle_rev, angle_rev, tolerance_rev_)) return &stretches_[i];
    }
    return nullptr;
  }

  void require_equal_skews(const StretchedCylinder& cylinder) const {
    const TrackStretch* odd = odd_track(cylinder, angle_rev_, bands_.back().track_skew_rev);
    if (odd != nullptr)
      no_g2(
          fmt::format("the tracks of cylinder {} do not follow at one skew (head {} does not), "
                      "and each switch of tracks turns by the same angle there",
                      cylinder.number, odd->head));
  }

  static constexpr double kNone_rev = 1e-9;

  // Of the last band, by its cylinders with blocks.
  enum class State : std::uint8_t { skewed_cylinder, one_cylinder, several_cylinders };

  const std::vector<TrackStretch>& stretches_;
  const double tolerance_rev_;
  std::vector<G2Band> bands_{};
  StretchedCylinder before_{};
  State state_ = State::one_cylinder;
  double angle_rev_ = 0;  // of the first track of `before_`, as DiskSim has it
};

// DiskSim keeps the map in memory for as many lines, and looks one behind the last.
void require_room(const G2Export& g2) {
  const std::uint64_t tracks = std::uint64_t{g2.cylinders} * g2.heads;
  if (g2.stretches.size() >= tracks * 2 + tracks / 2)
    no_g2(fmt::format("it has {} runs of blocks, and DiskSim has room for {}", g2.stretches.size(),
                      tracks * 2 + tracks / 2 - 1));
}

std::string band_text(const G2Band& band) {
  const SkewText skews(band.sectors, {band.skew_rev, band.track_skew_rev, band.cylinder_skew_rev});
  BlockText block("dm_layout_g2_zone");
  block.integer("First cylinder number", band.first_cylinder);
  block.integer("Last cylinder number", band.last_cylinder);
  block.integer("First LBN", static_cast<std::int64_t>(band.first_lbn));
  block.integer("Last LBN", static_cast<std::int64_t>(band.last_lbn));
  block.integer("Blocks per track", band.sectors);
  block.add("Skew units", skews.units());
  block.real("Zone Skew", skews.number(band.skew_rev));
  block.real("Skew for track switch", skews.number(band.track_skew_rev));
  block.real("Skew for cylinder switch", skews.number(band.cylinder_skew_rev));
  return block.text(6);
}

}  // namespace

G2Export express_as_g2(const model::Layout& layout, std::uint32_t cylinders, std::uint32_t heads,
                       double tolerance_rev) {
  const engine::LayoutMap map(layout);
  constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 31;  // a signed int
  if (map.blocks() >= kMostBlocks)
    no_g2(fmt::format("the drive has {} blocks, 2^31 or more", map.blocks()));
  G2Export g2;
  g2.stretches = stretches_of(layout, map);
  g2.blocks = map.blocks();
  g2.cylinders = std::max(cylinders, map.cylinders()) + 1;
  g2.heads = std::max(heads, map.heads());
  require_room(g2);
  // DiskSim takes no skew for cylinder 0.
  g2.turned_rev = -g2.stretches.front().angle_rev;
  for (TrackStretch& stretch : g2.stretches)
    stretch.angle_rev = fraction(stretch.angle_rev + g2.turned_rev);
  Bands bands(g2.stretches, tolerance_rev);
  for (const StretchedCylinder& cylinder : cylinders_of(g2.stretches)) bands.add(cylinder);
  g2.bands = bands.take();
  return g2;
}

model::Layout turned(model::Layout layout, double rev) {
  for (model::LayoutNode& node : layout.zones) node.angle_rev = fraction(node.angle_rev + rev);
  return layout;
}

std::string g2_text(const G2Export& layout, const std::string& map_file) {
  BlockText block("dm_layout_g2");
  block.add("Layout Map File", map_file);
  std::string zones = "[\n      ";
  for (std::size_t i = 0; i < layout.bands.size(); ++i)
    zones += band_text(layout.bands[i]) + (i + 1 < layout.bands.size() ? ",\n      " : "\n    ]");
  block.add("Zones", zones);
  return block.text(2);
}

std::string g2_map_text(const G2Export& layout) {
  // One cylinder more than there are: DiskSim writes behind the last.
  std::string text = fmt::format("{} cylinders, 0 rot, {} heads\n", layout.cylinders, layout.heads);
  for (const TrackStretch& s : layout.stretches)
    fmt::format_to(std::back_inserter(text), "lbn {} --> cyl {}, head {}, sect {}, count {}\n",
                   s.lbn, s.cylinder, s.head, s.sector, s.blocks);
  return text;
}

}  // namespace platter::emit_disksim
