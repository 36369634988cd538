// A trace on an array of models: what `replay --array` does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "array/array_player.h"
#include "replay/model_run.h"
#include "replay/replay_model.h"
#include "replay/result_file.h"

namespace platter::array {

// What a user says of an array.
struct ArrayPlan {
  Level level = Level::raid0;
  std::uint64_t chunk_bytes = 512 * 1024;  // raid0, raid5
  Balance balance = Balance::nearest;      // raid1
  std::uint32_t stripes = 256;             // raid5: of the stripe cache
  std::optional<std::uint32_t> missing{};  // member, from 0
  std::optional<std::uint32_t> rebuild{};  // member, from 0: present, and made again from its begin
  RebuildRate rate{};
  std::uint64_t merge_bytes = 512 * 1024;  // neighbours go as one command up to so many
  std::uint32_t device_queue = 0;          // commands that a member has at once; 0: all
  // Of the members' rotational phases, each somewhere in its revolution; 0: none has one.
  std::uint64_t phase_seed = 1;
};

// The array that the plan makes of those members. Throws Error(usage) for fewer members than the
// level needs, for members of different block sizes, for a chunk that is not whole blocks or pages
// or is larger than a member, for a missing or rebuilt member that is not there or of which the
// level cannot spare one.
ArraySetup setup_of(const ArrayPlan& plan, const std::vector<replay::Subject>& members);

// The array as something that a trace can be made to fit: its blocks, their size, its name.
replay::Subject subject_of(const ArraySetup& setup, const std::vector<replay::Subject>& members);

// What a result will say that is known before the replay.
replay::ResultHead head_of_replay(const ArrayPlan& plan, const ArraySetup& setup,
                                  const std::vector<replay::Subject>& members,
                                  const trace::Source& trace, const replay::ModelReplay& options);

// Of the options: caches, depth (most requests of the trace outstanding), queue (of each member).
// Throws Error(bad_input) for a request past the array's end.
replay::ResultHead replay_on_array(const ArrayPlan& plan,
                                   const std::vector<replay::Subject>& members,
                                   trace::Reader& trace, const replay::ModelReplay& options,
                                   replay::Rows& rows);

// A trace on an array from its first byte to its summary, as replay::run_on_model() has it of one
// model.
struct PlannedArray {
  ArrayPlan plan{};
  std::vector<replay::Subject> members{};
  ArraySetup setup{};
  replay::Subject subject{};
};

// Throws as setup_of() does.
PlannedArray planned(const ArrayPlan& plan, std::vector<replay::Subject> members);

// Of `run`: fit, shape, think_in_front, how (as replay_on_array() takes it), output, shares. Throws
// as replay::run_on_model() does.
replay::ModelRan run_on_array(const PlannedArray& array, const replay::OpenTrace& open,
                              const replay::ModelRun& run);

}  // namespace platter::array
