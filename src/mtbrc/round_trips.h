// Commands that need no media, timed all through a run: what the host and the path add to every
// other command's time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mtbrc/context.h"
#include "noise/host_delay.h"
#include "scsi/device.h"

namespace platter::mtbrc {

// So many TEST UNIT READYs, one after the other; fewer where time ends. Stamped where the host does
// that.
void measure_round_trips(Context& context, std::uint32_t count);
// Each round trip takes the one stamp that lies in it; of several none is known to be its own.
// Pure.
void take_stamps(std::span<Sample> round_trips, std::span<const scsi::Stamp> stamps);

// nullopt: too few were timed. Pure.
std::optional<noise::HostDelay> host_delay(const Samples& samples);
// Of those that are stamped; nullopt: too few are. Pure.
std::optional<noise::HostShares> host_shares(const Samples& samples);
// What a number is unsure by for the host's delay, in ms; 0 where it is not known. Pure.
double host_unsure_ms(const Samples& samples, double period_ms);
// The round trips of each stage, in ms: a stage's follow one another without another command. Pure.
std::vector<std::vector<double>> round_trips_by_stage(const Samples& samples);

}  // namespace platter::mtbrc
