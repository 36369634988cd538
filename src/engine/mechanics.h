// Arm and platter at work: how long a run of consecutive LBNs takes on the media. A run is played
// track by track; each piece seeks (or switches heads), waits for its first sector and transfers.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "engine/state.h"
#include "engine/tables.h"

namespace platter::engine {

// Consecutive LBNs that pass under one head in one go (slipped sectors between them included).
struct Piece {
  std::uint64_t first_lbn = 0, last_lbn = 0;  // inclusive
  std::uint64_t first_slot = 0, last_slot = 0;

  std::uint64_t slots() const { return last_slot - first_slot + 1; }
  bool without_gaps() const { return last_slot - first_slot == last_lbn - first_lbn; }
};

// The data of a write on their way into the buffer: block i is there at first_ns + i * block_ns,
// and the media are not begun before begin_ns.
struct Supply {
  std::uint64_t first_lbn = 0;
  Nanoseconds first_ns = 0, block_ns = 0;
  Nanoseconds begin_ns = 0;

  Nanoseconds at(std::uint64_t lbn) const {
    return first_ns + static_cast<Nanoseconds>(lbn - first_lbn) * block_ns;
  }
};

// What the bus needs to know of a media run: the earliest time at which sending blocks in order,
// block_ns each, can end. Fed with stretches of blocks that become available one after another.
class Delivery {
 public:
  Delivery(std::uint64_t first_lbn, std::uint64_t blocks, Nanoseconds block_ns,
           std::uint64_t watermark_blocks = 1, std::uint64_t portion_blocks = 1)
      : first_lbn_(first_lbn),
        blocks_(blocks),
        block_ns_(block_ns),
        watermark_lbn_(first_lbn + watermark_blocks - 1),
        portion_blocks_(portion_blocks) {}

  // Blocks first..last are available at first_ns .. last_ns, evenly spaced between.
  void available(std::uint64_t first, Nanoseconds first_ns, std::uint64_t last,
                 Nanoseconds last_ns);
  // The bus can begin at start_ns; when the last block has been sent.
  Nanoseconds end_ns(Nanoseconds start_ns) const;
  // When the first watermark_blocks of the request are in the buffer.
  Nanoseconds filled_ns() const { return filled_ns_; }

 private:
  std::uint64_t first_lbn_, blocks_;
  Nanoseconds block_ns_;
  std::uint64_t last_of_portion(std::uint64_t lbn) const;
  std::uint64_t watermark_lbn_;
  std::uint64_t portion_blocks_;  // so many are sent together, once the last of them is there
  static constexpr Nanoseconds kAnyTime = std::numeric_limits<Nanoseconds>::min();
  Nanoseconds end_ns_ = kAnyTime;  // not earlier, whatever the start
  Nanoseconds filled_ns_ = kAnyTime;
};

// Arm from one track to another: the longer of seek and head switch, and for writes the settle
// time if anything moved (Worthington 1995; DiskSim 4.0's dm_mech_g1). Where seeks of writes have a
// curve of their own, the settle is in it.
inline Nanoseconds move_ns(const Tables& tables, const Arm& from, const Arm& to, bool write) {
  const auto way = static_cast<std::int32_t>(from.cylinder) -
                   static_cast<std::int32_t>(to.cylinder);
  const auto cylinders = static_cast<std::uint32_t>(std::abs(way));
  if (tables.seeks.apart()) {
    const Nanoseconds seek = tables.seeks.time_ns(cylinders, SeekTable::curve(way > 0, write));
    if (from.head == to.head) return seek;
    return std::max(seek,
                    tables.motion.head_switch_ns + (write ? tables.motion.write_settle_ns : 0));
  }
  Nanoseconds move = tables.seeks.time_ns(cylinders);
  if (from.head != to.head) move = std::max(move, tables.motion.head_switch_ns);
  if (write && move != 0) move = std::max<Nanoseconds>(0, move + tables.motion.write_settle_ns);
  return move;
}

// The move that a command begins with: inward it may take longer than outward. Not so the switch to
// the next track of a run, which the servo knows.
inline Nanoseconds first_move_ns(const Tables& tables, const Arm& from, const Arm& to, bool write) {
  const Nanoseconds move = move_ns(tables, from, to, write);
  if (from.cylinder == to.cylinder || tables.motion.inward_seek_ns == 0) return move;
  const Nanoseconds inward = tables.motion.inward_seek_ns;
  return std::max<Nanoseconds>(0, from.cylinder < to.cylinder ? move + inward : move - inward);
}

// Time for `slots` of a track, at most all of them, to pass.
inline Nanoseconds passing_ns(const Platter& rotation, const Track& track, std::uint64_t slots) {
  if (slots >= track.sectors) return rotation.period_ns();
  return rotation.turn_ns(track.slot_angle * slots);
}

class Mechanics {
 public:
  explicit Mechanics(const Tables& tables) : tables_(tables) {}

  // Piece that begins with `lbn` and does not go beyond `last`, and where that is, in place of
  // where the heads were.
  Piece piece_at(std::uint64_t lbn, std::uint64_t last, Whereabouts& at) const;
  Track track_of(std::uint64_t lbn) const {
    return tables_.layout.track_of_slot(tables_.layout.slot_of_lbn(lbn));
  }

  // Reads in order from the cursor up to, not including, end_lbn.
  void read_until_lbn(MediaCursor& cursor, std::uint64_t end_lbn,
                      Delivery* delivery = nullptr) const;
  // As far as the heads get by `time_ns`: whole sectors only. The cursor stays where the last whole
  // sector ended; returns when the arm can leave if it is called off at time_ns (after the sector
  // in transfer unless stop_in_sector, after a seek that has begun).
  Nanoseconds read_until_time(MediaCursor& cursor, std::uint64_t limit_lbn,
                              Nanoseconds time_ns) const;

  struct FirstAccess {
    Disturbance disturbance;
    bool write = false;
    bool zero_latency = false;
    Nanoseconds minimum_seek_ns = 0;
    Nanoseconds beside_ns = 0;  // a move takes longer while another arm is busy
  };
  // A request's own access: from `cursor` (time = when the arm may begin to move) over
  // [cursor.next_lbn, end_lbn). `first_passed` receives the LBN of the first whole sector that
  // passes under the head in front of the first one wanted, or of that.
  void access(MediaCursor& cursor, std::uint64_t end_lbn, const FirstAccess& how,
              const Supply* supply, Delivery* delivery, std::uint64_t* first_passed) const;

 private:
  void go_on(Piece& piece, const Track& track, std::uint64_t end_of_run, std::uint64_t last) const;
  std::uint64_t first_to_pass(const Piece& piece, const Whereabouts& at, Angle landing) const;
  // Up to rounding, the angle under the heads at a time.
  Angle landing(Nanoseconds on_track_ns, Nanoseconds phase_ns) const {
    return tables_.rotation.angle_at(on_track_ns - Platter::kSlack, phase_ns);
  }
  // First slot of the track whose beginning has not passed yet.
  static std::uint64_t next_slot(const Track& track, Angle landing);
  Nanoseconds slot_passage(const Track& track, std::uint64_t slot, Nanoseconds now_ns,
                           Nanoseconds phase_ns) const;
  Nanoseconds transfer(const Piece& piece, const Track& track, Nanoseconds on_track_ns,
                       Angle landing, Nanoseconds phase_ns, bool zero_latency,
                       Delivery* delivery) const;
  Nanoseconds pass(const Piece& piece, const Track& track, Nanoseconds begins_ns,
                   Delivery* delivery) const;
  Nanoseconds transfer_supplied(const Piece& piece, const Track& track, Nanoseconds on_track_ns,
                                Nanoseconds phase_ns, bool zero_latency,
                                const Supply& supply) const;
  // Of a block of the piece.
  std::uint64_t slot_in(const Piece& piece, std::uint64_t lbn) const {
    return piece.without_gaps() ? piece.first_slot + (lbn - piece.first_lbn)
                                : tables_.layout.slot_of_lbn(lbn);
  }
  std::uint64_t first_late(const Piece& piece, const Track& track, std::uint64_t from,
                           Nanoseconds begins_ns, const Supply& supply) const;

  const Tables& tables_;
};

}  // namespace platter::engine
