// Which slots of one zone hold blocks: every slot does, but for spares that come every so many
// tracks, slipped defects, and what measured tracks showed. Slots count from the zone's first
// track.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "layout/track_lengths.h"

namespace platter::layout {

struct SlotRange {
  std::uint64_t first = 0, end = 0;  // end exclusive
  bool operator==(const SlotRange&) const = default;
};

// So many slots behind the beginning of a track, or, negative, in front of it: the same place on
// tracks of any length.
struct Edge {
  std::uint64_t track = 0;
  std::int64_t slots = 0;
};

// Spares that the format leaves free again and again: for each track, cylinder, group of cylinders.
// Spare sectors have both edges at one track's beginning, spare tracks at those of two.
struct SpareSeries {
  static constexpr std::uint64_t kOpen = std::numeric_limits<std::uint64_t>::max();
  Edge first, end;              // of the first occurrence
  std::uint64_t stride = 1;     // tracks
  std::uint64_t count = kOpen;  // kOpen: as far as the zone goes
  bool of_tracks() const { return first.track != end.track; }
};

// What a slipped defect does to the spares of its unit: nothing (all later blocks move by one), or
// it uses one up, of those behind it or of those in front of it.
enum class Absorb : std::uint8_t { next, none, previous };

class SlotMap {
 public:
  explicit SlotMap(TrackLengths lengths = TrackLengths()) : lengths_(std::move(lengths)) {}

  const TrackLengths& lengths() const { return lengths_; }
  // Of the longest track.
  std::uint32_t sectors() const { return lengths_.longest(); }
  Absorb absorb() const { return absorb_; }
  const std::vector<SpareSeries>& series() const { return series_; }
  const std::vector<SlotRange>& slips() const { return slips_; }  // sorted, disjoint

  std::uint64_t blocks_before(std::uint64_t slot) const;
  std::uint64_t slot_of(std::uint64_t block) const;  // block: counted from the zone's first
  bool is_free(std::uint64_t slot) const { return blocks_before(slot + 1) == blocks_before(slot); }
  bool is_slip(std::uint64_t slot) const { return slips_between(slot, slot + 1) > 0; }
  std::uint64_t slips_between(std::uint64_t first, std::uint64_t end) const;
  SlotRange range(const SpareSeries& series, std::uint64_t occurrence) const {
    const std::uint64_t tracks = occurrence * series.stride;
    return {slot_at(series.first, tracks), slot_at(series.end, tracks)};
  }
  // The occurrence that holds the slot, or the first one behind it.
  std::optional<std::uint64_t> occurrence_from(const SpareSeries& series, std::uint64_t slot) const;
  // The spares behind a slot, as they are left; nullopt: none come at a stride.
  std::optional<SlotRange> next_spares(std::uint64_t slot) const;
  // Where measured tracks differ from what slips and series make expect.
  std::vector<SlotRange> exceptions() const;
  std::uint64_t exceptions_met() const { return overrides_.size() + found_.size(); }
  // Free slots in [first, end), joined, in order.
  std::vector<SlotRange> free_ranges(std::uint64_t first, std::uint64_t end) const;

  void set_absorb(Absorb absorb);
  void add_series(const SpareSeries& series);
  // The order of the tracks was learned anew, from one that was not looked at on.
  void set_lengths(TrackLengths lengths);
  // Slips known beforehand, from the drive's defect list, in any order; replaces those given
  // before.
  void set_listed_slips(std::vector<SlotRange> slips);
  // The truth about [first, end): only the slots of `free` hold no block. A free slot between used
  // ones of its track is a slip; the rest is looked at for spares that come again.
  void measured(SlotRange range, const std::vector<SlotRange>& free);
  // Spares met again and again at the same place of their tracks become a series; a series that was
  // missed twice ends. True if the map changed.
  bool learn_series();
  // Tracks are longer than was known. With `as_spares` all of them have these slots as spares;
  // otherwise only the first `tracks` tracks lacked them.
  void widen(TrackLengths lengths, bool as_spares, std::uint64_t tracks);

 private:
  struct Override {  // authoritative: whether [first, end) is free
    SlotRange range;
    bool free = false;
  };
  struct Free {
    SlotRange range;
    SpareSeries series;  // whose first occurrence it is
  };
  struct Correction {  // to what the series say
    SlotRange range;
    std::int64_t sign = 0;    // +1: free besides, -1: used though a spare
    std::int64_t before = 0;  // net slots of all corrections before
  };
  // Slots of the first occurrences of a series, one sum after the other, until they repeat.
  struct Sums {
    std::vector<std::uint64_t> of_first{0};
    std::uint64_t once = 0;  // so many of them do not repeat
    std::uint64_t of(std::uint64_t occurrences) const;
  };
  void rebuild();
  void add_slips_to_corrections();
  std::uint64_t slot_at(Edge edge, std::uint64_t tracks_on) const {
    const auto begin = static_cast<std::int64_t>(lengths_.first_slot(edge.track + tracks_on));
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, begin + edge.slots));
  }
  Sums sums_of(const SpareSeries& series) const;
  bool in_series(std::uint64_t slot) const;
  std::vector<SlotRange> series_ranges(SlotRange within) const;
  std::set<std::uint64_t> absorbed() const;
  void override_range(SlotRange range, bool free);
  std::int64_t corrections_before(std::uint64_t slot) const;
  std::uint64_t series_before(std::uint64_t slot) const;
  bool add_fitting(const SpareSeries& series);
  SpareSeries from(SlotRange spares) const;
  SlotRange unused(SlotRange left, const Edge& end, std::uint64_t stride) const;
  const Override* free_until(std::uint64_t end) const;
  std::optional<SpareSeries> repetition(const Free& early, const Free& late, bool used) const;
  bool found_repetition();
  bool ended_series();

  TrackLengths lengths_;
  Absorb absorb_ = Absorb::next;
  std::vector<SpareSeries> series_;
  std::vector<Sums> sums_;  // of each
  static constexpr std::uint64_t kLeastEvidence = 3;
  std::uint64_t evidence_ = kLeastEvidence;  // so many spares alike make a series
  std::vector<SlotRange> listed_;            // a scratch is thousands of them side by side
  std::set<std::uint64_t> found_;
  std::set<std::uint64_t> refuted_;      // listed or found, but a block is there
  std::vector<SlotRange> slips_;         // both, less those refuted
  std::vector<Override> overrides_;      // sorted, disjoint
  std::vector<Correction> corrections_;  // sorted, disjoint
};

}  // namespace platter::layout
