// LBN to physical place and back, over a compiled layout. Slots are the physical sectors in layout
// order (model/drive_model.h); LBNs are the slots that no skip covers.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/flat_tables.h"
#include "engine/key_index.h"
#include "engine/lbn_pieces.h"
#include "engine/request.h"
#include "engine/run_list.h"
#include "model/drive_model.h"

namespace platter::engine {

// Fraction of a revolution, 2^64 to the turn: sums wrap without error.
using Angle = std::uint64_t;

Angle angle_from_rev(double rev);    // any real number of revolutions, taken modulo 1
double rev_from_angle(Angle angle);  // 0 <= result < 1

struct Pbn {
  std::uint32_t cylinder = 0, head = 0, sector = 0;  // sector: slot within its track, from 0
  bool operator==(const Pbn&) const = default;
};

struct Track {
  std::uint32_t cylinder = 0, head = 0;
  std::uint32_t sectors = 0;  // physical sectors (slots) around
  std::uint64_t first_slot = 0;
  Angle angle = 0;         // where its first slot begins
  Angle slot_angle = 0;    // what one slot turns by, short of 1 / sectors by less than 2^-64
  std::uint32_t zone = 0;  // index of the top-level node

  Arm arm() const { return {cylinder, head}; }
  bool holds(std::uint64_t slot) const { return slot - first_slot < sectors; }
};

class LayoutMap {
 public:
  // Throws Error(bad_input) for a layout that is empty, overlaps itself, or has indices out of
  // range.
  explicit LayoutMap(const model::Layout& layout);
  // Over tables that complete_layout filled in; `owner` keeps them in memory.
  LayoutMap(const LayoutView& view, std::shared_ptr<const void> owner);

  std::uint64_t blocks() const { return view_.totals.blocks; }  // LBNs mapped
  std::uint64_t slots() const { return view_.totals.slots; }
  std::uint64_t tracks() const { return view_.totals.tracks; }
  std::uint32_t cylinders() const { return view_.totals.cylinders; }  // highest cylinder + 1
  std::uint32_t heads() const { return view_.totals.heads; }
  const LayoutView& view() const { return view_; }
  const LbnPieces& pieces() const { return pieces_; }
  // Of a root of the compiled tree: the number of the model's zone that it holds, or of the first.
  std::uint32_t first_zone(std::size_t root) const {
    return view_.root_zones.empty() ? static_cast<std::uint32_t>(root) : view_.root_zones[root];
  }

  std::uint64_t slot_of_lbn(std::uint64_t lbn) const {  // lbn < blocks()
    return run_at(lbn).slot;
  }
  // The slot of an LBN, and up to which LBN the slots follow one another.
  [[gnu::always_inline]] LbnPieces::Run run_at(std::uint64_t lbn) const {
    assert(lbn < blocks());
    return pieces_.run_at(lbn);
  }
  std::optional<std::uint64_t> lbn_of_slot(std::uint64_t slot) const;  // nullopt: no LBN there
  // First LBN (in sequence order, remaps ignored) at or after a slot; blocks() past the last.
  std::uint64_t lbn_at_or_after_slot(std::uint64_t slot) const {
    return pieces_.at_or_after_slot(slot);
  }
  // The same; quick if `near` is an LBN not far from there.
  std::uint64_t lbn_at_or_after_slot(std::uint64_t slot, std::uint64_t near) const {
    return pieces_.at_or_after_slot(slot, near);
  }
  Track track_of_slot(std::uint64_t slot) const;
  // The same in place of `track`, which may be it already.
  void go_to_track(std::uint64_t slot, Track& track) const {
    if (!track.holds(slot)) look_up_track(slot, track);
  }
  std::optional<Track> track_at(std::uint32_t cylinder, std::uint32_t head) const;
  Pbn pbn_of_lbn(std::uint64_t lbn) const;
  std::optional<std::uint64_t> lbn_of_pbn(const Pbn& pbn) const;
  Angle angle_of_slot(const Track& track, std::uint64_t slot) const {
    return track.angle + track.slot_angle * (slot - track.first_slot);
  }
  Angle angle_of_lbn(std::uint64_t lbn) const;
  bool is_remapped(std::uint64_t lbn) const { return pieces_.is_remapped(lbn); }
  std::span<const FlatRemap> remaps() const { return view_.remaps; }  // by slot

 private:
  void look_up_track(std::uint64_t slot, Track& track) const;
  const FlatRemap* remap_into(std::uint64_t slot) const;
  // In the list of runs of a node: slot `rest` of its instance, which lies at the cylinder, the
  // head and the angle of `track`.
  void find_in_run(const FlatNode& node, std::uint64_t slot, std::uint64_t rest,
                   std::int64_t cylinder, std::int64_t head, Track& track) const;

  LayoutView view_;
  KeyIndex roots_;
  LbnPieces pieces_;
  std::shared_ptr<const void> owner_;
};

}  // namespace platter::engine
