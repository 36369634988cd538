// Writes whose data come over a bus that is as fast as the media, or nearly: the engine against a
// look at each sector.

#include <algorithm>
#include <random>

#include "catch.h"
#include "engine/mechanics.h"
#include "engine/random_layout.h"
#include "engine/small_drive.h"
#include "engine/tables.h"

using namespace platter;
using namespace platter::engine;
using testing::value;

namespace {

// When the last block of the piece has passed, each having waited for its turn behind its data.
Nanoseconds written_by_sectors(const Tables& tables, const Piece& piece, const Track& track,
                               Nanoseconds on_track_ns, const Supply& supply) {
  const Platter& rotation = tables.rotation;
  Nanoseconds begins = 0, ends = 0;
  std::uint64_t from = 0;
  bool waits = true;
  for (std::uint64_t lbn = piece.first_lbn; lbn <= piece.last_lbn; ++lbn) {
    const std::uint64_t slot = tables.layout.slot_of_lbn(lbn);
    if (!waits)
      waits = supply.at(lbn) > begins + passing_ns(rotation, track, slot - from) + Platter::kSlack;
    if (waits) {
      from = slot;
      begins = rotation.next_passage(tables.layout.angle_of_slot(track, slot),
                                     std::max(on_track_ns, supply.at(lbn)));
      waits = false;
    }
    ends = begins + passing_ns(rotation, track, slot - from + 1);
  }
  return ends;
}

}  // namespace

TEST_CASE("a write that its bus supplies waits a turn for each sector whose data are late") {
  std::mt19937_64 random(5);
  int waited = 0, writes = 0;
  for (int round = 0; round < 300; ++round) {
    model::DriveModel drive = testing::small_drive();
    drive.layout = testing::random_layout(random);
    const Tables tables(drive);
    const Mechanics mechanics(tables);
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t lbn = random() % tables.layout.blocks();
      Whereabouts at;
      const Piece piece = mechanics.piece_at(lbn, tables.layout.blocks() - 1, at);
      // From a third to three times as long as a sector passes, many of them just as long.
      const Nanoseconds sector_ns = passing_ns(tables.rotation, at.track, 1);
      const Nanoseconds near_ns = static_cast<Nanoseconds>(random() % 5) - 2;
      const Nanoseconds any_ns = static_cast<Nanoseconds>(random() % 2'667 + 333) * sector_ns /
                                 1000;
      const Nanoseconds start_ns = static_cast<Nanoseconds>(random() % 50'000'000);
      const Supply supply{lbn, start_ns + static_cast<Nanoseconds>(random() % 20'000'000),
                          random() % 2 == 0 ? sector_ns + near_ns : any_ns, 0};
      MediaCursor cursor;
      cursor.next_lbn = lbn;
      cursor.time_ns = start_ns;
      cursor.arm = at.track.arm();
      const Nanoseconds expected = written_by_sectors(tables, piece, at.track, start_ns, supply);
      Mechanics::FirstAccess how;
      how.write = true;
      mechanics.access(cursor, piece.last_lbn + 1, how, &supply, nullptr, nullptr);
      REQUIRE(cursor.time_ns == expected);
      ++writes;
      const Nanoseconds turn = tables.rotation.period_ns();
      if (expected - std::max(start_ns, supply.first_ns) > 2 * turn) ++waited;
    }
  }
  INFO(waited << " of " << writes);
  REQUIRE(waited > writes / 20);
}
