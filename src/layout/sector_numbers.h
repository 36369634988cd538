// What a drive's sector numbers mean: the lowest of them, whether they start at a track's first
// slot or at the index, whether slipped sectors have one, and so how long a track is of which the
// drive says which numbers exist. Taken in the usual way until an answer says otherwise; the map
// must begin again then.
#pragma once

#include <cstdint>
#include <optional>

#include "layout/defects.h"
#include "layout/survey.h"
#include "layout/zone.h"

namespace platter::layout {

// From the first: the track's first slot has the lowest number. From the index: that slot may have
// any number, and numbers wrap.
struct Numbering {
  bool from_index = false;
  bool renumbered = false;  // slipped sectors have no number: numbers have no holes
  std::uint32_t base = 0;   // the lowest number
};

class SectorNumbers {
 public:
  // `defects` must outlive this.
  SectorNumbers(Survey& survey, const Defects& defects);

  const Numbering& numbering() const { return numbering_; }
  const DefectsByTrack& listed() const { return listed_; }

  // The map begins, for the first time or again.
  void begin(bool first_time);
  // True if a number that was seen tells another base than was taken.
  bool tells_base(std::uint32_t sector);
  void count_from_index() { numbering_.from_index = true; }
  void leave_slips_unnumbered(bool unnumbered) { numbering_.renumbered = unnumbered; }
  void note_holes(bool seen) { holes_seen_ |= seen; }

  // Counted from the base.
  std::uint32_t from_base(std::uint32_t sector) const { return sector - numbering_.base; }
  std::uint64_t number_at(const Zone& zone, const Expected& where) const;
  // Where numbers start at a track's first slot.
  std::uint32_t slot_of(TrackPlace place, std::uint32_t sector) const;
  std::uint32_t sector_at(TrackPlace place, std::uint64_t slot) const;
  // The zone learns which of its slots are listed as slipped.
  void load_slips(Zone& zone) const;

  // How many sectors a track has, by asking which of their numbers exist; nullopt where the drive
  // does not say. Slipped sectors without a number are those that the drive lists.
  std::optional<std::uint32_t> length_of(TrackPlace place, std::uint32_t hint);
  // The track has a few numbers less than the one beside it, or, where heads differ, than others of
  // its head further on: slipped sectors, in no list, have none.
  bool lacks_few(TrackPlace track, TrackPlace beside, bool heads_differ, std::uint32_t length,
                 std::uint32_t sectors);
  // The track has fewer numbers than it has sectors, by as many as it has listed defects, and the
  // next one of its head that has none has all the numbers.
  bool lacks_listed(const Zone& zone, std::uint64_t track, std::uint32_t length);
  // Whether the numbers that the track of a block has say that slipped sectors have none
  // (`unnumbered`), or that they do.
  bool confirm_slips(const Zone& zone, std::uint64_t lbn, bool unnumbered);

 private:
  std::uint32_t lowest_on(scsi::PhysicalAddress place);

  Survey& survey_;
  const Defects& defects_;
  DefectsByTrack listed_;
  Numbering numbering_;
  bool base_is_assumed_ = false;  // no number below 2 was seen
  bool holes_seen_ = false;       // slipped sectors have numbers
};

}  // namespace platter::layout
