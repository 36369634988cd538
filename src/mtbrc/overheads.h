// What tells the command processing overheads, the eight of DIXtrac (section 4.4), and the bus time
// of a block (estimate/overheads.h).
#pragma once

#include <vector>

#include "estimate/samples.h"
#include "mtbrc/context.h"
#include "scsi/guard.h"

namespace platter::mtbrc {

struct OverheadOptions {
  double target_error_ms = 0.002;
  std::size_t tracks = 16;  // that are written to for misses; for hits half as many
  std::uint32_t hits = 24;  // of each kind and size
  std::uint32_t most_hit_blocks = 64;
  Budget budget{6000, 20 * kSecond};  // where the context has none
};

// Misses, caches off: MTBRC on one track of a read after a read; with permitted ranges also of a
// read after a write, a write after a read, a write after a write.
void measure_miss_overheads(Context& context, const std::vector<LbnRange>& permitted,
                            const OverheadOptions& options = {});

// Hits, caches on (the caller has turned them on): reads of 1, 2, 4, ... blocks that the cache
// holds; with permitted ranges reads after a write and cached writes.
void measure_hit_overheads(Context& context, const std::vector<LbnRange>& permitted,
                           const OverheadOptions& options = {});

}  // namespace platter::mtbrc
