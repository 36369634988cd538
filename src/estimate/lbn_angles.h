// Angles of single LBNs relative to a reference, where nothing is known of the layout. What is seen
// is the end of a sector plus a constant (bus, host), which cancels against the reference. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/samples.h"
#include "model/drive_model.h"
#include "statistics/robust.h"

namespace platter::estimate {

// Angles of the ends of the targets' sectors less that of the reference's, as the completions of
// one sector reads show them (value in [0, 1)). nullopt where none tells.
std::vector<std::optional<statistics::Estimate>> estimate_lbn_angles(
    const Samples& samples, const model::Rotation& rotation,
    const std::vector<std::uint64_t>& targets);

}  // namespace platter::estimate
