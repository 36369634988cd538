// Where blocks of a layout lie, and which block lies at a place: what `platter layout` prints.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/layout_map.h"

namespace platter::report {

// One block, or a place without one.
struct Place {
  std::optional<std::uint64_t> lbn;
  engine::Pbn pbn;
  engine::Angle angle = 0;                              // where the sector begins
  std::uint32_t track_sectors = 0;                      // physical sectors around
  std::uint64_t track_first_lbn = 0, track_blocks = 0;  // of the track it lies on; 0 blocks: none
                                                        // there
  bool remapped = false;
  std::string not_understood;  // why the map claims nothing of the block; empty: it does
};

// Throw Error(usage) for what the drive does not have.
Place place_of_lbn(const engine::LayoutMap& map, std::uint64_t lbn);
Place place_at(const engine::LayoutMap& map, const engine::Pbn& pbn);

engine::Pbn parse_pbn(const std::string& text);  // "C,H,S"; throws Error(usage)

std::string places_as_text(const std::vector<Place>& places);
std::string places_as_json(const std::vector<Place>& places);

// One line a track that holds blocks: first LBN, LBNs on it, cylinder, head, angle of the first
// LBN's sector in revolutions. In pieces as they are made, for large drives have millions.
using TakePiece = std::function<void(std::string_view)>;
void tracks_as_text(const engine::LayoutMap& map, const TakePiece& take);
void tracks_as_json(const engine::LayoutMap& map, const TakePiece& take);

}  // namespace platter::report
