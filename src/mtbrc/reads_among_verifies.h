// What a READ of one block takes more or less than a VERIFY, where the media are reached by VERIFYs
// alone: MTBRCs on one track, of reads of blocks that had not been read before.
#pragma once

#include "estimate/samples.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

// Trials until both differ by no more than the error, or the budget is used. Nothing where reads
// reach the media. context.map with angles. Caches off as far as they go.
void measure_reads_among_verifies(Context& context, double target_error_ms);

}  // namespace platter::mtbrc
