// The zones of a drive that its host writes in order (ZBC-2), as runs of zones that are alike.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"
#include "model/lbn_range.h"

namespace platter::model {

constexpr std::uint64_t kMostZones = std::uint64_t{1} << 20;

// By ZONE TYPE from 1 on, and by ZONE CONDITION (ZBC-2, REPORT ZONES); "" is reserved.
constexpr std::array<std::string_view, 3> kZoneTypes = {"conventional", "sequential-required",
                                                        "sequential-preferred"};
constexpr std::array<std::string_view, 16> kZoneConditions = {"not-write-pointer",
                                                              "empty",
                                                              "implicitly-open",
                                                              "explicitly-open",
                                                              "closed",
                                                              "",
                                                              "",
                                                              "",
                                                              "",
                                                              "",
                                                              "",
                                                              "",
                                                              "",
                                                              "read-only",
                                                              "full",
                                                              "offline"};

// How many blocks of each such zone hold what a host wrote: all of a conventional or a full one,
// those below the write pointer of another. Of one that can only be read nobody knows it: none.
std::uint64_t written_in(const ZoneRun& run);

// With the zones before it, if they are alike: one zone, which follows them.
void append_zone(std::vector<ZoneRun>& runs, const ZoneRun& zone);

// Ascending, apart: what nothing was written to, and what has to be written in order.
std::vector<LbnRange> unwritten_in_zones(const Identity& drive);
std::vector<LbnRange> sequential_zones(const Identity& drive);

// Whether these blocks, on the drive, lie in several zones of which one is written in order.
bool crosses_zones(const std::vector<ZoneRun>& runs, std::uint64_t lbn, std::uint64_t blocks);

// Of the drive's blocks, those that nothing was written to. With more of them a model would have
// holes.
constexpr double kMostUnwritten = 0.25;
double unwritten_share(const Identity& drive);

// "1863 of 524288 blocks: 18 conventional, 1845 sequential-required (1476 full, ...)"
std::string zones_in_words(const Identity& drive);

}  // namespace platter::model
