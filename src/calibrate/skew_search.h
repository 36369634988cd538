// The skews of a zone, searched over a whole turn: those at which its accesses keep step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/accesses.h"
#include "model/drive_model.h"

namespace platter::calibrate {

// What is added to the angle of a track of the zone, in revolutions: angle + per_head * (head -
// that of the zone's first track) + per_cylinder * (cylinder - its) + per_range * (number of steps
// up to it). A step comes behind every `range` cylinders, the first one behind `first` of them.
struct ZoneCorrection {
  double angle = 0, per_head = 0, per_cylinder = 0, per_range = 0;
  std::uint32_t range = 0;  // cylinders; 0: the zone has no steps
  std::uint32_t first = 0;  // 1 to `range`
  double angle_error = 0, per_head_error = 0, per_cylinder_error = 0, per_range_error = 0;
};

// One access of a zone: by how much the platter stood elsewhere than the model says, and where.
struct Sample {
  double time_ns = 0;
  double lead = 0;                // rev
  double head = 0, cylinder = 0;  // from the zone's first
  std::size_t surface = 0;        // the head, of the drive
  std::size_t command = 0;        // see command_of
  std::size_t set = 0;            // samples of one set share a constant
};

Sample sample_of(const Access& access, const model::LayoutNode& zone, double period_ns);

// Steps up to a cylinder of the zone.
double steps_before(double cylinder, std::uint32_t range, std::uint32_t first);

// What the skews of a correction make at a sample's place; not its angle.
double correction_at(const ZoneCorrection& correction, const Sample& sample);

// How well samples keep step: the squared lengths of the sums of their unit vectors, over sets.
class Sets {
 public:
  explicit Sets(std::span<const Sample> samples);

  std::size_t count() const { return count_; }
  // Length of the mean vector that a score stands for.
  double coherence(double score) const;
  // By how much the logarithm of the likelihood is above that of angles anywhere, if the angles of
  // a set lie about its mean as von Mises' distribution has them, with one concentration for all
  // sets; the sets' means, which are free, are allowed for.
  double evidence(double score) const;
  // Upper bound of ln(probability) that the best of `tried` reaches the score by chance: Rayleigh's
  // for one set, Chernoff's for several.
  double log_chance(double score, std::size_t tried) const;

 private:
  std::size_t count_ = 0;
  double most_ = 0;  // sum of squares of a perfect fit
  double samples_ = 0;
};

double score_of(std::span<const Sample> samples, const Sets& sets, const ZoneCorrection& c);

// Corrections tried, and how well the samples keep step with the best of them.
struct Found {
  ZoneCorrection correction{};
  double score = 0;  // sum over sets of |sum|^2
  std::size_t tried = 0;
};

// All skews, in steps that no sample misses by more than 0.15 turns, to either side.
Found search_skews(std::span<const Sample> samples);

// How many skews such a search tries.
std::size_t skews_tried(std::span<const Sample> samples);

// All steps behind every `range` cylinders, wherever the first one is. Even skews mimic steps: with
// those of `level`, of which none is taken for a step, as many remain in step as at least 0.63 of
// all (half a turn behind every range, taken as even). So the steps and the skew that they are
// mimicked by are searched for together, and no others.
Found search_steps(std::span<const Sample> samples, const ZoneCorrection& level,
                   std::uint32_t range);

// The logarithm of the likelihood of one angle about the mean direction, in the best case, against
// one anywhere: von Mises' distribution of that mean resultant length.
double evidence_of_each(double coherence);

// From the best of a grid to the best near it.
void climb_skews(std::span<const Sample> samples, const Sets& sets, Found& found);

// Evenly spread in time; all, if they are no more than `most`.
std::vector<Sample> thinned(std::span<const Sample> samples, std::size_t most);

}  // namespace platter::calibrate
