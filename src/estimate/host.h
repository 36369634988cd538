// What the host and the path add to every command's time, by commands that need no media and were
// timed all through a run (mtbrc/round_trips.h). Pure.
#pragma once

#include <optional>
#include <vector>

#include "estimate/samples.h"
#include "noise/host_delay.h"

namespace platter::estimate {

// nullopt: too few were timed.
std::optional<noise::HostDelay> host_delay(const Samples& samples);
// Of those that are stamped; nullopt: too few are.
std::optional<noise::HostShares> host_shares(const Samples& samples);
// The round trips of each stage, in ms: a stage's follow one another without another command.
std::vector<std::vector<double>> round_trips_by_stage(const Samples& samples);

}  // namespace platter::estimate
