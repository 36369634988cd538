// Which slots of one zone hold blocks: every slot does, but for spares that come at a constant
// stride, slipped defects, and what measured tracks showed. Slots count from the zone's first
// track.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <vector>

namespace platter::layout {

struct SlotRange {
  std::uint64_t first = 0, end = 0;  // end exclusive
  bool operator==(const SlotRange&) const = default;
};

// Spares that the format leaves free again and again: for each track, cylinder, group of cylinders.
struct SpareSeries {
  static constexpr std::uint64_t kOpen = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t first = 0, length = 0, stride = 0;  // slots
  std::uint64_t count = kOpen;                      // kOpen: as far as the zone goes

  std::uint64_t slots_before(std::uint64_t slot) const;
  // The occurrence that holds the slot, or the first one behind it.
  std::optional<std::uint64_t> occurrence_from(std::uint64_t slot) const;
  SlotRange range(std::uint64_t occurrence) const {
    return {first + occurrence * stride, first + occurrence * stride + length};
  }
};

// What a slipped defect does to the spares of its unit: nothing (all later blocks move by one), or
// it uses one up, of those behind it or of those in front of it.
enum class Absorb : std::uint8_t { next, none, previous };

class SlotMap {
 public:
  explicit SlotMap(std::uint32_t sectors_per_track = 1) : sectors_(sectors_per_track) {}

  std::uint32_t sectors() const { return sectors_; }
  Absorb absorb() const { return absorb_; }
  const std::vector<SpareSeries>& series() const { return series_; }
  const std::set<std::uint64_t>& slips() const { return slips_; }

  std::uint64_t blocks_before(std::uint64_t slot) const;
  std::uint64_t slot_of(std::uint64_t block) const;  // block: counted from the zone's first
  bool is_free(std::uint64_t slot) const { return blocks_before(slot + 1) == blocks_before(slot); }
  bool is_slip(std::uint64_t slot) const { return slips_.contains(slot); }
  std::uint64_t slips_between(std::uint64_t first, std::uint64_t end) const {
    return static_cast<std::uint64_t>(
        std::distance(slips_.lower_bound(first), slips_.lower_bound(end)));
  }
  // The spares behind a slot, as they are left; nullopt: none come at a stride.
  std::optional<SlotRange> next_spares(std::uint64_t slot) const;
  // Where measured tracks differ from what slips and series make expect.
  std::vector<SlotRange> exceptions() const;
  // Free slots in [first, end), joined, in order.
  std::vector<SlotRange> free_ranges(std::uint64_t first, std::uint64_t end) const;

  void set_absorb(Absorb absorb);
  void add_series(const SpareSeries& series);
  // Slots that no track has: the ends of those that are shorter than sectors().
  // Sorted by `first`; all that are open have one stride, and lie within one of it.
  void set_absent(std::vector<SpareSeries> absent);
  // Slips known beforehand, from the drive's defect list; replaces those given before.
  void set_listed_slips(const std::set<std::uint64_t>& slips);
  // The truth about [first, end): only the slots of `free` hold no block. A free slot between used
  // ones of its track is a slip; the rest is looked at for spares that come again.
  void measured(SlotRange range, const std::vector<SlotRange>& free);
  // Spares met twice at the same place of a track become a series; a series that was missed twice
  // ends. True if the map changed.
  bool learn_series();
  // The track is longer than was known. With `as_spares`, every track has had these slots as
  // spares; otherwise only the first `tracks` tracks lacked them.
  void widen(std::uint32_t sectors, bool as_spares, std::uint64_t tracks);

 private:
  struct Override {  // authoritative: whether [first, end) is free
    SlotRange range;
    bool free = false;
  };
  struct Correction {  // to what the series say
    SlotRange range;
    std::int64_t sign = 0;    // +1: free besides, -1: used though a spare
    std::int64_t before = 0;  // net slots of all corrections before
  };
  void rebuild();
  bool in_series(std::uint64_t slot) const;
  std::vector<SlotRange> series_ranges(SlotRange within) const;
  std::set<std::uint64_t> absorbed() const;
  void override_range(SlotRange range, bool free);
  std::int64_t corrections_before(std::uint64_t slot) const;
  std::uint64_t series_before(std::uint64_t slot) const;
  std::uint64_t absent_before(std::uint64_t slot) const;
  bool is_absent(std::uint64_t slot) const {
    return absent_before(slot + 1) > absent_before(slot);
  }
  bool fits(const SpareSeries& series) const;
  bool found_repetition();
  bool found_used_repetition();
  bool ended_series();

  std::uint32_t sectors_;
  Absorb absorb_ = Absorb::next;
  std::vector<SpareSeries> series_, absent_;
  std::vector<std::uint64_t> absent_sums_;  // slots of those before each of absent_, once each
  std::size_t absent_once_ = 0;             // so many of absent_ come once, in front of the others
  std::set<std::uint64_t> listed_, found_, slips_;  // slips_: both, less those refuted
  std::set<std::uint64_t> refuted_;                 // listed or found, but a block is there
  std::vector<Override> overrides_;                 // sorted, disjoint
  std::vector<Correction> corrections_;             // sorted, disjoint
};

}  // namespace platter::layout
