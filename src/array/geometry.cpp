#include "array/geometry.h"

#include <algorithm>
#include <array>

namespace platter::array {
namespace {

constexpr std::array<const char*, 3> kLevels = {"raid0", "raid1", "raid5"};

// The member that holds a row's chunk of data of that number.
std::uint32_t data_member(const Geometry& geometry, std::uint64_t row, std::uint32_t number) {
  if (geometry.level != Level::raid5) return number;
  return (parity_member(geometry, row) + 1 + number) % geometry.members;
}

}  // namespace

const char* name_of(Level level) { return kLevels[static_cast<std::size_t>(level)]; }

std::optional<Level> level_of(const std::string& name) {
  const auto found = std::ranges::find(kLevels, name);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<Level>(found - kLevels.begin());
}

std::uint32_t Geometry::data_members() const {
  return level == Level::raid1 ? 1 : level == Level::raid5 ? members - 1 : members;
}

std::uint64_t Geometry::blocks() const {
  if (level == Level::raid1) return member_blocks;
  return member_blocks / chunk_blocks * chunk_blocks * data_members();
}

void pieces_of(const Geometry& geometry, std::uint64_t lbn, std::uint32_t blocks,
               std::vector<Piece>& pieces) {
  pieces.clear();
  if (geometry.level == Level::raid1) {
    pieces.push_back({0, lbn, blocks});
    return;
  }
  while (blocks > 0) {
    const std::uint64_t chunk = lbn / geometry.chunk_blocks;
    const std::uint64_t within = lbn % geometry.chunk_blocks;
    const std::uint64_t row = chunk / geometry.data_members();
    const auto number = static_cast<std::uint32_t>(chunk % geometry.data_members());
    const auto count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, geometry.chunk_blocks - within));
    pieces.push_back(
        {data_member(geometry, row, number), row * geometry.chunk_blocks + within, count});
    lbn += count;
    blocks -= count;
  }
}

std::uint32_t parity_member(const Geometry& geometry, std::uint64_t row) {
  return geometry.members - 1 - static_cast<std::uint32_t>(row % geometry.members);
}

}  // namespace platter::array
