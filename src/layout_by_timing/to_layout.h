// The runs of a map as a model's layout: tracks with their angles, sectors without blocks, surfaces
// and radii as far as the order of the runs tells them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout_by_timing/band_order.h"
#include "layout_by_timing/found_surfaces.h"
#include "layout_by_timing/run.h"
#include "model/drive_model.h"

namespace platter::layout_by_timing {

struct DriveBlocks {
  std::uint64_t logical = 0;    // that the layout has to hold
  std::uint32_t unit = 1;       // logical blocks of a physical one, in which runs count
  std::uint64_t first_lbn = 0;  // of physical block 0
};

// How bands lie on the drive. Angles do not tell surfaces; the order in which they come again does.
struct Surfaces {
  std::uint32_t heads = 1;
  bool cylinders = false;  // a run is a cylinder, each of its tracks on another surface
  bool told = false;       // the order of the bands tells; else all is taken for one surface
  std::vector<std::uint32_t> others{};  // what the same order may also be
  // Measured, by run: the band (of runs that are cylinders the first track) as the order counts it.
  BandOrder order{};
  std::vector<std::uint64_t> bands{};
  std::optional<FoundSurfaces> measured{};

  std::string in_words() const;  // how they are known
};

// `ring`: how many slots the tracks of each place of the pattern have. Where it is empty, or longer
// than a drive has surfaces, all is taken for one surface.
Surfaces surfaces_of(std::span<const Run> runs, std::span<const std::uint32_t> ring);

// Those that go on longer than so many tracks, such as what was guessed, in pieces; the first piece
// has `before` tracks fewer.
std::vector<Run> cut_after(std::span<const Run> runs, std::uint32_t tracks,
                           std::uint32_t before = 0);

// Every block in one run: what lies between runs, or behind the last one, is guessed to go on with
// the tracks in front of it; what overlaps or is empty goes.
std::vector<Run> without_gaps(std::span<const Run> runs, std::uint64_t blocks);

// Rounds over all surfaces that are alike become one node. Runs must follow one another without a
// gap up to the drive's last block.
model::Layout to_layout(std::span<const Run> runs, const DriveBlocks& blocks,
                        const Surfaces& surfaces);

}  // namespace platter::layout_by_timing
