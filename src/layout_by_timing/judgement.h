// What a finished map is worth: blocks drawn at random, which nothing else used, against where the
// map has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "layout_by_timing/prober.h"
#include "model/drive_model.h"

namespace platter::layout_by_timing {

// How far each of so many blocks ends behind where `end_rev` has it, in revolutions, after their
// common angle is taken off. Fewer where time ends or blocks cannot be read. A host that held a
// reading up is told from a wrong map by asking again, or, where that is not allowed, by the next
// blocks.
std::vector<double> offs_of_random_blocks(Prober& prober, std::uint64_t blocks, std::size_t count,
                                          const std::function<double(std::uint64_t)>& end_rev);

// Shares within 1/32, 1/100 and 1/200 of a revolution with Wilson's intervals. Pure.
std::vector<model::MapShare> shares_of(const std::vector<double>& offs_rev);

}  // namespace platter::layout_by_timing
