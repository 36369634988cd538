// What the probes say of written data that wait for the media: for how long they do, and how many
// blocks of them there may be. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "cache_probe/record.h"

namespace platter::cache_probe {

// How long a write had been through when its sector came by for the last time before SYNCHRONIZE
// CACHE: data that do not wait any more by then are on the media, the others wait for the next
// turn. nullopt: angles do not tell when the sector came.
std::optional<double> passed_after_ns(const Record& record, const Observation& destaged);

// The time without a command after which written data go to the media: median of what the probes
// of `destaged` leave likely, and a standard error from its middle 95 %. nullopt: not both outcomes
// were seen.
struct IdleTime {
  double ns = 0, error_ns = 0;
  double passed_ns = 0, narrow_ns = 0;  // the same from when the host heard of the write
  std::uint64_t samples = 0;
};
std::optional<IdleTime> idle_before_destage(const Record& record);

// Blocks that are taken in one run of writes, and the least number that is not, by write_fill: most
// of the runs of a length tell.
struct Taken {
  std::uint64_t most = 0;
  std::optional<std::uint64_t> too_many;
  std::uint64_t runs = 0;
};
std::optional<Taken> taken_blocks(const Record& record);
// Whether the runs of so many blocks are taken: nullopt where too few agree.
std::optional<bool> is_taken(const Record& record, std::int64_t blocks);

}  // namespace platter::cache_probe
