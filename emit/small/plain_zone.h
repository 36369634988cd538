// A zone of one pattern in place of several zones: as many sectors on every track.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emit/small/units.h"
#include "engine/layout_map.h"
#include "model/drive_model.h"

namespace platter::emit_small {

// In what order a drive's blocks go over its tracks.
enum class Order : std::uint8_t {
  cylinders,          // all heads of a cylinder, then the next one
  bands,              // so many tracks of a surface, those of the next surface, then the next round
  alternating_bands,  // the same, every second band towards the other side
};

// What the tracks in the middle of a zone tell.
struct TrackOrder {
  std::uint32_t heads = 1;
  std::uint32_t sectors = 0;  // of each track; 0: they differ
  std::uint32_t band = 1;     // tracks on a surface before those of the next one
  // From the start of a track to that of the next, in revolutions: within a band (of one track: to
  // the next head), to the next band, to the next round (of one track: to the next cylinder).
  double track_skew_rev = 0, band_skew_rev = 0, round_skew_rev = 0;
};
TrackOrder order_of(const engine::LayoutMap& map, const Unit& unit);

struct PlainZone {
  model::LayoutNode node{};
  std::uint64_t slots = 0;
  std::vector<model::Skip> skips{};  // from its own first slot
};

// Of the blocks of units side by side, on the cylinders that they have: with as few sectors a track
// as hold them, or with so many.
PlainZone plain_zone(std::span<const Unit> units, const TrackOrder& tracks, Order order,
                     double angle_rev, std::uint32_t sectors = 0);

}  // namespace platter::emit_small
