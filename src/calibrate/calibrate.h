// A model refined by a trace that was measured on its drive: learned from one part of the requests,
// judged by the other, and kept only if it is better there. docs/methods/calibration.md has the
// order of the groups and the tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/measurement.h"
#include "calibrate/verdict.h"
#include "model/drive_model.h"
#include "replay/compare.h"

namespace platter::calibrate {

// Groups of parameters, in the order in which they are calibrated.
struct Groups {
  bool rotation = true, angles = true, hits = true, positioning = true, cache = true;
};

struct Options {
  Groups groups{};
  // Replayed requests after which no new search begins: work, so that every machine finds the same.
  std::uint64_t most_replayed = 100'000'000;
  // Of the whole work, 0 to 1, as far as can be told.
  std::function<void(const std::string& stage, double share)> progress{};
};

struct Change {
  std::string group{}, path{};
  std::optional<double> from{}, to{};
  std::optional<double> error{};
  std::string unit{};
  std::size_t samples = 0;
  std::string why{};
};

// What a model makes of one part of the requests: replayed in its own time, and in the drive's.
struct Standing {
  replay::Comparison own_time{}, drives_time{};
};

// A zone of the layout whose accesses do not keep step, or far less well than those of the other
// zones: where its tracks lie was not found.
struct ZoneNotFound {
  std::size_t zone = 0;  // of the layout as it was then
  std::uint32_t first_cylinder = 0;
  std::size_t accesses = 0;
  double coherence = 0;  // length of the mean vector, 0 to 1
};

// What of a calibration is in the model: all that was found; only where the tracks lie and how fast
// they turn, for the rest is no better in the half that judges; nothing.
enum class Kept : std::uint8_t { all, positions, nothing };

struct Outcome {
  model::DriveModel model{};  // the calibrated one; the one that came in if it is no better
  Kept kept = Kept::nothing;
  std::vector<Change> changes{};    // that were tried
  std::vector<std::string> left{};  // groups that were left as they are, and why
  bool cut = false;                 // a search ended at the bound of its work
  bool think_times_in_front = false;
  bool phase_known = false;  // the rotational position of accesses can be told
  double spread_rev = 0;     // of one access about it
  std::vector<ZoneNotFound> zones_not_found{};
  Range learn{}, judge{};
  Standing learn_before{}, learn_after{}, judge_before{}, judge_after{};
  // Where think times were taken as those in front: the demerits with them as the format means
  // them.
  std::optional<double> judge_as_written_before{}, judge_as_written_after{};
  Verdict verdict{};  // by the half that was not learned from; of what was kept, else of all
  bool judged_in_drives_time = false;   // else each model in its own
  std::vector<std::string> warnings{};  // of the calibrated model, one sentence each
};

Outcome calibrate(const model::DriveModel& model, const Measurement& measured,
                  const Options& options = {});

}  // namespace platter::calibrate
