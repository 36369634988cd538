// Where an array's blocks lie on its members, as Linux md lays them out. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace platter::array {

enum class Level : std::uint8_t {
  raid0,  // chunks go round the members
  raid1,  // every member holds everything
  raid5   // left-symmetric: parity moves from the last member down, data begin behind it
};

// "raid0", "raid1", "raid5", and the way back; nullopt for a name that no level has.
const char* name_of(Level level);
std::optional<Level> level_of(const std::string& name);

struct Geometry {
  Level level = Level::raid0;
  std::uint32_t members = 1;
  std::uint64_t chunk_blocks = 1;   // raid0, raid5: consecutive blocks of the array on one member
  std::uint64_t member_blocks = 0;  // of the smallest member

  std::uint32_t data_members() const;  // that hold data in each row of chunks
  std::uint64_t blocks() const;        // of the array; whole rows of chunks
};

// Consecutive blocks of the array that are consecutive on one member.
struct Piece {
  std::uint32_t member = 0;
  std::uint64_t lbn = 0;  // of the member
  std::uint32_t blocks = 0;

  bool operator==(const Piece&) const = default;
};

// Where the data of [lbn, lbn + blocks) lie, in order, split at the chunks' borders; replaces what
// is in `pieces`. Of RAID 1 one piece, on member 0: it is at the same place on all.
void pieces_of(const Geometry& geometry, std::uint64_t lbn, std::uint32_t blocks,
               std::vector<Piece>& pieces);

// RAID 5: which member holds the parity of a row of chunks, whose first block is
// `row * chunk_blocks` on each member.
std::uint32_t parity_member(const Geometry& geometry, std::uint64_t row);

}  // namespace platter::array
