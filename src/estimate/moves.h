// Trials of the shortest moves: to another head of a cylinder, or to the cylinder beside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimate/evidence.h"
#include "estimate/read_times.h"
#include "statistics/robust.h"
#include "statistics/threshold.h"

namespace platter::estimate {

// Over what writes move to show their settle: to other heads of a cylinder, or to the cylinder
// beside.
enum class Over { heads, cylinders };

// The ways of a move that take each its time: to the next cylinder and to the one before, where
// seeks inward and outward differ; else one.
std::size_t ways_of(const ReadTimes& reads, Over over);
std::size_t way_of(std::int64_t group, std::size_t ways);

struct Moves {
  std::vector<statistics::CensoredTrial> trials;
  std::vector<std::uint32_t> cylinders;  // where each ended
};

// Of one way, reads or writes behind reads or writes.
Moves moves_of(const Evidence& evidence, Over over, bool write, bool after_write, std::size_t way,
               std::size_t ways);

// nullopt: it is not known to a tenth of a turn.
std::optional<statistics::Estimate> estimate_of(const std::optional<statistics::Threshold>& found,
                                                double period_ns);
// The move of an MTBRC; what a SEEK command says of it as well counts where it says the same.
statistics::Estimate borne_out_move(const ReadTimes& reads, const statistics::Estimate& mtbrc,
                                    std::optional<statistics::Estimate> command);
model::Parameter in_ms(const statistics::Estimate& time_ns, const std::string& method);

}  // namespace platter::estimate
