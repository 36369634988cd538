#include "array/geometry.h"

#include <map>
#include <set>
#include <utility>

#include "catch.h"

using namespace platter;
using array::Geometry;
using array::Level;
using array::Piece;

namespace {

using Place = std::pair<std::uint32_t, std::uint64_t>;  // member, LBN

Geometry of(Level level, std::uint32_t members, std::uint64_t chunk_blocks) {
  return {.level = level,
          .members = members,
          .chunk_blocks = chunk_blocks,
          .member_blocks = 7 * members * chunk_blocks};
}

std::vector<Piece> pieces(const Geometry& geometry, std::uint64_t lbn, std::uint32_t blocks) {
  std::vector<Piece> all;
  pieces_of(geometry, lbn, blocks, all);
  return all;
}

// The oracle: the array's blocks laid down one by one, row after row of chunks, in the order in
// which md's documentation draws the left-symmetric layout.
std::map<std::uint64_t, Place> laid_down(const Geometry& geometry) {
  std::map<std::uint64_t, Place> places;
  std::uint64_t lbn = 0;
  const std::uint32_t n = geometry.members;
  const bool parity = geometry.level == Level::raid5;
  for (std::uint64_t row = 0; row < geometry.member_blocks / geometry.chunk_blocks; ++row) {
    const auto lost = static_cast<std::uint32_t>(n - 1 - row % n);
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < n; ++i)
      if (!parity)
        order.push_back(i);
      else if (const std::uint32_t member = (lost + 1 + i) % n; member != lost)
        order.push_back(member);
    for (const std::uint32_t member : order)
      for (std::uint64_t block = 0; block < geometry.chunk_blocks; ++block)
        places[lbn++] = {member, row * geometry.chunk_blocks + block};
  }
  return places;
}

}  // namespace

TEST_CASE("every block of an array lies where the layout is drawn, and no place holds two") {
  const Level level = GENERATE(Level::raid0, Level::raid5);
  for (std::uint32_t members = 2; members <= 6; ++members)
    for (const std::uint64_t chunk : {1u, 8u, 24u}) {
      const Geometry geometry = of(level, members, chunk);
      const auto oracle = laid_down(geometry);
      CHECK(geometry.blocks() == oracle.size());
      std::set<Place> taken;
      for (std::uint64_t lbn = 0; lbn < geometry.blocks(); ++lbn) {
        const std::vector<Piece> one = pieces(geometry, lbn, 1);
        REQUIRE(one.size() == 1);
        const Place place{one[0].member, one[0].lbn};
        REQUIRE(place == oracle.at(lbn));
        REQUIRE(taken.insert(place).second);
        if (level == Level::raid5)
          REQUIRE(place.first != parity_member(geometry, place.second / chunk));
      }
    }
}

TEST_CASE("a request's pieces are its blocks in order, each within one chunk") {
  const Level level = GENERATE(Level::raid0, Level::raid5);
  const Geometry geometry = of(level, 5, 12);
  const auto oracle = laid_down(geometry);
  for (std::uint64_t lbn = 0; lbn < geometry.blocks(); lbn += 7)
    for (std::uint32_t blocks = 1; blocks < 90 && lbn + blocks <= geometry.blocks(); blocks += 11) {
      std::uint64_t at = lbn;
      for (const Piece& piece : pieces(geometry, lbn, blocks)) {
        REQUIRE(piece.lbn / 12 == (piece.lbn + piece.blocks - 1) / 12);
        for (std::uint32_t i = 0; i < piece.blocks; ++i)
          REQUIRE(oracle.at(at++) == Place{piece.member, piece.lbn + i});
      }
      REQUIRE(at == lbn + blocks);
    }
}

TEST_CASE("a mirror holds a request where it is") {
  Geometry geometry = of(Level::raid1, 3, 1);
  CHECK(geometry.blocks() == geometry.member_blocks);
  CHECK(pieces(geometry, 17, 4000) == std::vector<Piece>{{0, 17, 4000}});
}
