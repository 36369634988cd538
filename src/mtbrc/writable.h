// Tracks all of whose blocks may be written, and what must be known of a track before it is.
#pragma once

#include <optional>

#include "mtbrc/context.h"

namespace platter::mtbrc {

// The track holds LBNs, and the drive's guard permits to write every one of them.
bool is_writable(const Context& context, const engine::Track& track);

// The LBN of a slot of the track, if a write of so many blocks from it on is of whole physical
// blocks, which lie in a row on the track, none of them elsewhere.
std::optional<std::uint64_t> writable_run(const Context& context, const engine::Track& track,
                                          std::uint64_t slot, std::uint32_t blocks);

// Reads what the track's blocks hold, so that each timed write of them is one command. False: some
// of them cannot be read, so none of it may be written.
bool learn_contents(Context& context, const engine::Track& track);

}  // namespace platter::mtbrc
