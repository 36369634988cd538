#include "engine/mechanics.h"

#include <algorithm>

namespace platter::engine {

void Delivery::available(std::uint64_t first, Nanoseconds first_ns, std::uint64_t last,
                         Nanoseconds last_ns) {
  // Sending from block i on takes (blocks - i) * block_ns from the time that i is there; over an
  // evenly spaced stretch the latest of these is at one of its ends.
  const auto ends = [this](std::uint64_t lbn, Nanoseconds there_ns) {
    const auto behind = static_cast<Nanoseconds>(first_lbn_ + blocks_ - lbn);
    return there_ns + behind * block_ns_;
  };
  if (portion_blocks_ <= 1) {
    end_ns_ = std::max({end_ns_, ends(first, first_ns), ends(last, last_ns)});
  } else {
    // The same for portions, each of which is there with its last block.
    const auto there_ns = [&](std::uint64_t lbn) {
      return last == first
                 ? last_ns
                 : first_ns + (last_ns - first_ns) * static_cast<Nanoseconds>(lbn - first) /
                                  static_cast<Nanoseconds>(last - first);
    };
    const auto portion_ends = [&](std::uint64_t lbn) {
      const std::uint64_t into = (lbn - first_lbn_) % portion_blocks_;
      end_ns_ = std::max(end_ns_, ends(lbn - into, there_ns(lbn)));
    };
    if (const std::uint64_t one = last_of_portion(first); one <= last) portion_ends(one);
    if (last_of_portion(last) == last) {
      portion_ends(last);
    }
    if (const std::uint64_t into = (last - first_lbn_) % portion_blocks_; last > first_lbn_ + into)
      if (const std::uint64_t before = last - into - 1; before >= first) portion_ends(before);
  }
  if (first > watermark_lbn_) return;
  Nanoseconds there = last_ns;
  if (watermark_lbn_ == first)
    there = first_ns;
  else if (watermark_lbn_ < last)
    there = first_ns + (last_ns - first_ns) * static_cast<Nanoseconds>(watermark_lbn_ - first) /
                           static_cast<Nanoseconds>(last - first);
  filled_ns_ = std::max(filled_ns_, there);
}

std::uint64_t Delivery::last_of_portion(std::uint64_t lbn) const {
  const std::uint64_t portions = (lbn - first_lbn_) / portion_blocks_ + 1;
  return first_lbn_ + std::min(portions * portion_blocks_, blocks_) - 1;
}

Nanoseconds Delivery::end_ns(Nanoseconds start_ns) const {
  return std::max(end_ns_, start_ns + static_cast<Nanoseconds>(blocks_) * block_ns_);
}

Piece Mechanics::piece_at(std::uint64_t lbn, std::uint64_t last, Whereabouts& at) const {
  Piece piece;
  piece.first_lbn = lbn;
  std::uint64_t end_of_run = at.run.end;
  if (at.run.holds(lbn)) {
    piece.first_slot = at.run.slot_of(lbn);
  } else {
    const LbnPieces::Run run = tables_.layout.run_at(lbn);
    piece.first_slot = run.slot;
    at.run.first = run.even.first;  // one by one: they are read so soon
    at.run.end = run.even.end;
    at.run.shift = run.even.shift;
    end_of_run = run.end;
  }
  tables_.layout.go_to_track(piece.first_slot, at.track);
  const std::uint64_t to_track_end = at.track.first_slot + at.track.sectors - 1 - piece.first_slot;
  piece.last_lbn = std::min({last, end_of_run - 1, lbn + to_track_end});
  piece.last_slot = piece.first_slot + (piece.last_lbn - lbn);
  if (piece.last_lbn != last && piece.last_lbn != lbn + to_track_end)
    go_on(piece, at.track, end_of_run, last);
  return piece;
}

// Behind skipped slots the piece goes on, if it is still the same track and nothing is remapped.
void Mechanics::go_on(Piece& piece, const Track& track, std::uint64_t end_of_run,
                      std::uint64_t last) const {
  const LayoutMap& layout = tables_.layout;
  const std::uint64_t beyond_track = track.first_slot + track.sectors;
  if (layout.is_remapped(piece.first_lbn)) return;
  while (piece.last_lbn != last && !layout.is_remapped(end_of_run)) {
    const LbnPieces::Run run = layout.run_at(end_of_run);
    if (run.slot >= beyond_track) return;
    piece.last_lbn = std::min({last, run.end - 1, end_of_run + (beyond_track - 1 - run.slot)});
    piece.last_slot = run.slot + (piece.last_lbn - end_of_run);
    end_of_run = run.end;
    if (piece.last_slot == beyond_track - 1) return;
  }
}

Nanoseconds Mechanics::slot_passage(const Track& track, std::uint64_t slot, Nanoseconds now_ns,
                                    Nanoseconds phase_ns) const {
  return tables_.rotation.next_passage(tables_.layout.angle_of_slot(track, slot), now_ns, phase_ns);
}

std::uint64_t Mechanics::next_slot(const Track& track, Angle landing) {
  const Angle into = landing - track.angle;
  const auto passed = static_cast<std::uint64_t>((Uint128{into} * track.sectors) >> 64) + 1;
  return track.first_slot + (passed == track.sectors ? 0 : passed);
}

Nanoseconds Mechanics::transfer(const Piece& piece, const Track& track, Nanoseconds on_track_ns,
                                Angle landing, Nanoseconds phase_ns, bool zero_latency,
                                Delivery* delivery) const {
  const Platter& rotation = tables_.rotation;
  const Nanoseconds early = on_track_ns - Platter::kSlack;
  const Angle until_first = tables_.layout.angle_of_slot(track, piece.first_slot) - landing;
  // Landed between the first and the last wanted sector: the rest of the track's part first, then
  // the sectors in front when they come round.
  if (zero_latency && Angle{0} - until_first < track.slot_angle * piece.slots()) {
    const std::uint64_t next = next_slot(track, landing);
    if (next > piece.first_slot && next <= piece.last_slot) {
      const Nanoseconds round_ns = slot_passage(track, next, on_track_ns, phase_ns) +
                                   rotation.period_ns();
      Piece in_front = piece;
      in_front.last_lbn = tables_.layout.lbn_at_or_after_slot(next, piece.first_lbn) - 1;
      in_front.last_slot = tables_.layout.slot_of_lbn(in_front.last_lbn);
      // What was read before they came is sent behind them, and so never later than they allow.
      const Nanoseconds before = passing_ns(rotation, track, next - piece.first_slot);
      return pass(in_front, track, round_ns - before, delivery);
    }
  }
  // Where the head is at the first sector within the slack, the sector begins when it passes: if it
  // began at on_track_ns, a stream of requests would fall behind the platter by what each rounds
  // up, until it misses a revolution.
  return pass(piece, track, early + rotation.turn_ns(until_first), delivery);
}

// The whole piece in order, its first sector beginning at begins_ns.
Nanoseconds Mechanics::pass(const Piece& piece, const Track& track, Nanoseconds begins_ns,
                            Delivery* delivery) const {
  const auto end_of = [&](std::uint64_t slots) {
    return begins_ns + passing_ns(tables_.rotation, track, slots);
  };
  const Nanoseconds ends = end_of(piece.slots());
  if (delivery == nullptr) return ends;
  if (piece.without_gaps()) {
    delivery->available(piece.first_lbn, end_of(1), piece.last_lbn, ends);
  } else {  // slipped sectors between them: one by one
    for (std::uint64_t lbn = piece.first_lbn; lbn <= piece.last_lbn; ++lbn) {
      const Nanoseconds there = end_of(tables_.layout.slot_of_lbn(lbn) - piece.first_slot + 1);
      delivery->available(lbn, there, lbn, there);
    }
  }
  return ends;
}

// A write whose data come over the bus while the platter turns: a sector whose data are not there
// when it passes must wait for another turn.
Nanoseconds Mechanics::transfer_supplied(const Piece& piece, const Track& track,
                                         Nanoseconds on_track_ns, Nanoseconds phase_ns,
                                         bool zero_latency, const Supply& supply) const {
  on_track_ns = std::max(on_track_ns, supply.begin_ns);
  if (supply.at(piece.last_lbn) <= on_track_ns)
    return transfer(piece, track, on_track_ns, landing(on_track_ns, phase_ns), phase_ns,
                    zero_latency, nullptr);
  if (zero_latency) {
    const Nanoseconds all_ns = std::max(on_track_ns, supply.at(piece.last_lbn));
    return transfer(piece, track, all_ns, landing(all_ns, phase_ns), phase_ns, true, nullptr);
  }
  std::uint64_t lbn = piece.first_lbn;
  while (true) {
    const Nanoseconds ready = std::max(on_track_ns, supply.at(lbn));
    const std::uint64_t slot = slot_in(piece, lbn);
    const Nanoseconds begins = slot_passage(track, slot, ready, phase_ns);
    const std::uint64_t late = first_late(piece, track, lbn, begins, supply);
    if (late > piece.last_lbn)
      return begins + passing_ns(tables_.rotation, track, piece.last_slot - slot + 1);
    lbn = late;
  }
}

// The first sector from `from` on that passes before its data are there, where that one begins to
// pass at begins_ns; piece.last_lbn + 1: none.
std::uint64_t Mechanics::first_late(const Piece& piece, const Track& track, std::uint64_t from,
                                    Nanoseconds begins_ns, const Supply& supply) const {
  const std::uint64_t slot = slot_in(piece, from);
  const auto spare_ns = [&](std::uint64_t lbn) {
    return begins_ns + passing_ns(tables_.rotation, track, slot_in(piece, lbn) - slot) +
           Platter::kSlack - supply.at(lbn);
  };
  std::uint64_t lbn = from;
  // Without gaps both go on evenly, up to a rounding of less than a nanosecond: as long as two are
  // to spare at both ends of a stretch, nothing in it is late.
  constexpr Nanoseconds kSurely = 2;
  if (piece.without_gaps() && spare_ns(from) >= kSurely) {
    if (spare_ns(piece.last_lbn) >= kSurely) return piece.last_lbn + 1;
    for (std::uint64_t beyond = piece.last_lbn; beyond - lbn > 1;) {
      const std::uint64_t middle = lbn + (beyond - lbn) / 2;
      (spare_ns(middle) >= kSurely ? lbn : beyond) = middle;
    }
  }
  while (lbn <= piece.last_lbn && spare_ns(lbn) >= 0) ++lbn;
  return lbn;
}

void Mechanics::read_until_lbn(MediaCursor& cursor, std::uint64_t end_lbn,
                               Delivery* delivery) const {
  while (cursor.next_lbn < end_lbn) {
    const Piece piece = piece_at(cursor.next_lbn, end_lbn - 1, cursor.at);
    const Arm arm = cursor.at.track.arm();
    const Nanoseconds on_track = cursor.time_ns + move_ns(tables_, cursor.arm, arm, false);
    cursor.time_ns = transfer(piece, cursor.at.track, on_track, landing(on_track, cursor.phase_ns),
                              cursor.phase_ns, false, delivery);
    cursor.arm = arm;
    cursor.next_lbn = piece.last_lbn + 1;
  }
}

Nanoseconds Mechanics::read_until_time(MediaCursor& cursor, std::uint64_t limit_lbn,
                                       Nanoseconds time_ns) const {
  const Track& track = cursor.at.track;
  while (cursor.next_lbn < limit_lbn && cursor.time_ns < time_ns) {
    const Piece piece = piece_at(cursor.next_lbn, limit_lbn - 1, cursor.at);
    const Arm arm = track.arm();
    const Nanoseconds on_track = cursor.time_ns + move_ns(tables_, cursor.arm, arm, false);
    const Nanoseconds begins = slot_passage(track, piece.first_slot, on_track, cursor.phase_ns);
    if (begins >= time_ns) {
      // Called off while the arm moves or the platter turns: nothing of this piece was read.
      if (cursor.arm != arm) {
        cursor.arm = arm;
        cursor.time_ns = on_track;
      }
      return std::max(time_ns, on_track);
    }
    const auto end_of = [&](std::uint64_t slots) {
      return begins + passing_ns(tables_.rotation, track, slots);
    };
    cursor.arm = arm;
    if (const Nanoseconds ends = end_of(piece.slots()); ends <= time_ns) {
      cursor.time_ns = ends;
      cursor.next_lbn = piece.last_lbn + 1;
      continue;
    }
    // Somewhere in this piece: the whole slots that have passed, up to rounding.
    const Angle turned = tables_.rotation.about_turned(time_ns - begins);
    auto passed = static_cast<std::uint64_t>((Uint128{turned} * track.sectors) >> 64);
    while (end_of(passed) > time_ns) --passed;
    while (end_of(passed + 1) <= time_ns) ++passed;
    cursor.next_lbn = piece.without_gaps()
                          ? piece.first_lbn + passed
                          : tables_.layout.lbn_at_or_after_slot(piece.first_slot + passed);
    cursor.time_ns = end_of(passed);
    if (tables_.cache.stop_in_sector || cursor.next_lbn >= limit_lbn) return time_ns;
    return end_of(passed + 1);
  }
  return std::max(time_ns, cursor.time_ns);
}

std::uint64_t Mechanics::first_to_pass(const Piece& piece, const Whereabouts& at,
                                       Angle landing) const {
  const std::uint64_t next = next_slot(at.track, landing);
  const std::uint64_t from = next <= piece.first_slot ? next : at.track.first_slot;
  if (at.run.holds_slot(from)) return std::min(piece.first_lbn, at.run.lbn_of(from));
  if (tables_.layout.is_remapped(piece.first_lbn)) return piece.first_lbn;
  return std::min(piece.first_lbn, tables_.layout.lbn_at_or_after_slot(from, piece.first_lbn));
}

void Mechanics::access(MediaCursor& cursor, std::uint64_t end_lbn, const FirstAccess& how,
                       const Supply* supply, Delivery* delivery,
                       std::uint64_t* first_passed) const {
  const Track& track = cursor.at.track;
  bool first = true;
  while (cursor.next_lbn < end_lbn) {
    const Piece piece = piece_at(cursor.next_lbn, end_lbn - 1, cursor.at);
    const Arm arm = track.arm();
    Nanoseconds moves = first ? first_move_ns(tables_, cursor.arm, arm, how.write)
                              : move_ns(tables_, cursor.arm, arm, how.write);
    if (first && moves != 0) moves += how.beside_ns;
    if (first)
      moves =
          std::max({moves + how.disturbance.positioning_ns, how.minimum_seek_ns, Nanoseconds{0}}) +
          how.disturbance.media_delay_ns;
    const Nanoseconds on_track = cursor.time_ns + moves;
    if (supply != nullptr) {
      cursor.time_ns = transfer_supplied(piece, track, on_track, cursor.phase_ns, how.zero_latency,
                                         *supply);
    } else {
      const Angle landed = landing(on_track, cursor.phase_ns);
      if (first && first_passed != nullptr) *first_passed = first_to_pass(piece, cursor.at, landed);
      cursor.time_ns = transfer(piece, track, on_track, landed, cursor.phase_ns, how.zero_latency,
                                delivery);
    }
    cursor.arm = arm;
    cursor.next_lbn = piece.last_lbn + 1;
    first = false;
  }
}

}  // namespace platter::engine
