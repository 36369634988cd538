// Reads of several blocks whose first sector's place on the track is known: how much later they end
// than that sector alone would, and what a bus and a buffer of given numbers would make of it.
// Pure.
#pragma once

#include <vector>

#include "engine/layout_map.h"
#include "estimate/samples.h"

namespace platter::estimate {

struct SeveralBlocks {
  double blocks, sector_ms, late_ms;  // later than its first sector alone would end
};

// Those of experiment transfer (watermark.h). They are less than a turn late, or counted so.
std::vector<SeveralBlocks> reads_of_several(const Samples& samples, const engine::LayoutMap& map,
                                            const model::Rotation& rotation);

// How late it is where it is sent in portions, of which the first waits `held_ms` more, like any
// read of one block does. What all reads have in common is left in.
double late_ms_of_portions(const SeveralBlocks& read, double portion, double transfer_ms,
                           double held_ms);

// And where sending begins with a share of it in the buffer.
double late_ms_of_share(const SeveralBlocks& read, double share, double transfer_ms,
                        double held_ms);

// Log-likelihood, less a constant, of residuals with tails (Student's t with 3 degrees of freedom)
// at the scale that makes it greatest, by expectation and maximization; Lange, Little and Taylor,
// JASA 84 (1989), 881-896.
double log_likelihood_ms(const std::vector<double>& residuals_ms);

}  // namespace platter::estimate
