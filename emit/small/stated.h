// How far a small table is from its model, as its file states it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "emit/table/table.h"
#include "model/drive_model.h"
#include "replay/replay_model.h"

namespace platter::emit_small {

// Replays of both, each workload so often, with the seeds 1, 2, ...
constexpr std::uint64_t kReplays = 12, kRequests = 5000;
inline constexpr const char* kWorkloads[] = {"random", "mixed", "sequential"};

// One replay of a workload on both. A sequential one goes on from elsewhere now and then.
model::Demerit replayed(const replay::Subject& whole, const replay::Subject& small,
                        const std::string& workload, std::uint64_t seed);

// What another replay hardly exceeds: the mean demerit and four standard errors of one more replay,
// and, in squares, as if one request more came a revolution late. The other figures are means.
model::Demerit stated(std::span<const model::Demerit> replays, double period_ms);

emit_table::Simplified stated_errors(const model::DriveModel& whole,
                                     const emit_table::Table& whole_table,
                                     const emit_table::Table& small);

}  // namespace platter::emit_small
