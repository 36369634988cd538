// The map while it is made: zones, remapped blocks, and how the drive numbers its sectors. It grows
// to the end of the drive, and is repaired wherever a block is found elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "layout/survey.h"
#include "layout/told_start.h"
#include "layout/zone.h"

namespace platter::layout {

// How sectors are numbered within a track. From the first: the track's first slot has the lowest
// number. From the index: that slot may have any number, and numbers wrap.
struct Numbering {
  bool from_index = false;
  bool renumbered = false;  // slipped sectors have no number: numbers have no holes
  std::uint32_t base = 0;   // the lowest number
};

inline TrackPlace track_of(const scsi::PhysicalAddress& place) {
  return {place.cylinder, place.head};
}

struct Defects {
  std::vector<scsi::PhysicalAddress> primary, grown;
  // Of these only the track is known; the sector is what the list counts by.
  std::vector<scsi::PhysicalAddress> primary_tracks, grown_tracks;
  bool estimated = false;  // sectors follow from others', by skews
  bool known_primary = false, known_grown = false;
};

class Mapper {
 public:
  Mapper(Survey& survey, Defects defects);

  // Maps up to the last block.
  void grow();
  // Looks a block up; if it is not where it should be, the map is repaired until it is. True if it
  // was right at once.
  bool check(std::uint64_t lbn);
  // Looks a block up and changes nothing.
  bool is_right(std::uint64_t lbn) const {
    return matches(zones_[zone_of(lbn)], lbn, survey_.at(lbn));
  }

  // Where numbers start at the index: which tracks lack blocks in front.
  void find_fronts();
  // Blocks noted as remapped that lie where they should, by what was learned since.
  void drop_needless_remaps();

  // What the map claims nothing about.
  void do_not_understand(std::uint64_t lbn);
  std::vector<model::NotUnderstood> not_understood() const;
  // Questions were no longer allowed: the map is as good as it was then.
  bool ended_early() const { return not_looked_at_.has_value(); }
  bool is_claimed(std::uint64_t lbn) const { return !not_looked_at_ || lbn < *not_looked_at_; }

  const std::vector<Zone>& zones() const { return zones_; }
  const Defects& defects() const { return defects_; }
  const std::map<std::uint64_t, scsi::PhysicalAddress>& remaps() const { return remaps_; }
  const Numbering& numbering() const { return numbering_; }
  std::size_t zone_of(std::uint64_t lbn) const;
  std::uint64_t end_of(std::size_t zone) const;  // one past its last block
  std::uint64_t tracks_of(std::size_t zone) const;
  // The zone and its track where the drive's track is, if blocks are there.
  struct Found {
    std::size_t zone = 0;
    std::uint64_t track = 0;
  };
  std::optional<Found> find(TrackPlace place) const;
  // The slot of a sector within its track. Asks for the track's first block where numbers start at
  // the index.
  std::uint64_t slot_in_track(const Found& found, std::uint32_t sector);
  std::uint64_t slot_of_defect(const Found& found, std::uint32_t sector);
  std::uint32_t sector_of(const Found& found, std::uint64_t slot);
  // A sector beyond the known length of the tracks exists: they have spares at their end.
  void lengthen(std::size_t zone, std::uint32_t sectors);

 private:
  struct TrackMeasure {
    std::uint64_t first = 0, last = 0;  // blocks
    std::uint64_t first_slot = 0;       // within the track
    std::uint32_t span = 0;             // slots from the track's first to the last one seen
    std::vector<SlotRange> holes;       // between the first and the last, within the track
  };
  struct Restart {};  // the numbering was taken wrongly: begin again, with all answers kept
  struct Irregular {  // no rule that is known here holds around the block
    std::uint64_t lbn = 0;
  };
  struct BlockRange {
    std::uint64_t first = 0, end = 0;
  };

  void begin();
  bool advance();
  bool leap();
  void count_restart();
  void leave_the_rest();
  void follow_no_rule(std::uint64_t lbn);
  bool follows_no_rule(std::uint64_t lbn) const;
  bool walk();
  std::optional<std::uint32_t> length_of(TrackPlace place, std::uint32_t hint);
  std::uint32_t slot_of_number(TrackPlace place, std::uint32_t sector) const;
  std::uint32_t number_of_slot(TrackPlace place, std::uint64_t slot) const;
  std::uint32_t lowest_number(scsi::PhysicalAddress place);
  bool tells_base(std::uint32_t sector);
  bool numbers_show(const Zone& zone, std::uint64_t lbn, bool unnumbered);
  bool heads_differ(std::size_t zone, TrackPlace place, std::uint32_t length);
  std::vector<std::uint32_t> sectors_of_heads(TrackPlace place, std::uint32_t length,
                                              const Zone* before);
  bool heads_seem_to_differ(std::size_t zone);
  std::vector<std::uint32_t> seen_sectors_of_heads(std::uint64_t lbn, const Zone* before);
  std::uint64_t end_of_head(std::uint64_t lbn);
  std::uint64_t on_same_cylinders(std::uint64_t lbn, std::int64_t cylinder, std::int64_t step);
  bool lacks_few(TrackPlace beside, std::uint32_t length, std::uint32_t sectors);
  bool lacks_listed(const Zone& zone, std::uint64_t track, std::uint32_t length);
  const std::set<std::uint32_t>& listed_sectors(TrackPlace place) const;
  std::uint32_t listed_on(TrackPlace place) const {
    return static_cast<std::uint32_t>(listed_sectors(place).size());
  }
  // `heads_differ`: the heads' tracks are to be asked for one by one.
  void start_zone(std::uint64_t lbn, bool heads_differ = false);
  bool agrees(std::size_t zone, std::uint64_t lbn) { return agrees(zones_[zone], lbn); }
  bool agrees(const Zone& zone, std::uint64_t lbn);
  std::uint64_t number_of(const Zone& zone, const Expected& where) const;
  bool matches(const Zone& zone, std::uint64_t lbn, const Answer& answer) const;
  bool boundary_agrees(const Zone& zone, std::uint64_t track, std::uint64_t end);
  std::uint64_t last_agreeing(std::size_t zone, std::uint64_t good, std::uint64_t bad);

  void resolve(std::size_t zone, std::uint64_t track);
  bool tracks_grow_short(const Zone& zone, const TrackMeasure& found, std::uint64_t track);
  bool head_grows(std::size_t zone, std::uint64_t track, const TrackMeasure& found);
  bool heads_grow_short(const Zone& zone, const TrackMeasure& found, std::uint64_t track);
  bool zone_ends(const Zone& zone, const TrackMeasure& found, std::uint64_t track);
  bool reinterpret(std::size_t zone, std::uint64_t lbn);
  bool note_remap(std::size_t zone, std::uint64_t lbn);
  void land(std::size_t zone, std::uint64_t track, std::uint64_t lbn);
  bool skipped_ahead(std::size_t zone, std::uint64_t track, std::uint64_t lbn, std::uint32_t front);
  bool spares_go_on(const Zone& zone, SlotRange from, std::uint64_t end);
  bool order_goes_on(std::size_t zone, std::uint64_t track, std::uint64_t lbn, std::uint32_t front);
  void settle(std::size_t zone, std::uint64_t frontier);
  void repair(std::size_t zone, std::uint64_t lbn);

  void note_measured(Zone& zone, std::uint64_t track, const TrackMeasure& found, bool disk_ends);
  TrackMeasure measure(const Zone& zone, std::uint64_t track, std::uint64_t end);
  std::uint64_t front_slips(const Zone& zone, std::uint64_t track, std::uint32_t start_sector,
                            std::uint64_t missing);
  struct FirstBlock {          // of a track
    std::uint64_t number = 0;  // of its sector, from 0
    std::uint64_t slot = 0;    // within the track
    std::uint64_t start(std::uint64_t sectors) const { return (number + sectors - slot) % sectors; }
  };
  std::optional<FirstBlock> first_block_seen(const Zone& zone, std::uint64_t track);
  std::uint64_t listed_before(TrackPlace place, std::uint64_t number, std::uint64_t sectors) const;
  std::optional<ToldStarts> starts_by_neighbours(std::size_t zone, std::uint64_t track);
  void find_front(std::size_t zone, std::uint64_t track);
  void insert_slips(const Zone& zone, std::uint64_t track, TrackMeasure& found) const;
  std::uint64_t last_on_track(std::uint64_t lbn, std::uint64_t hint,
                              const std::function<bool(std::uint64_t)>& on_track,
                              std::uint64_t end);
  std::uint64_t last_on_track(std::uint64_t lbn, std::uint64_t hint);
  void find_holes(std::uint64_t low, std::uint64_t high, TrackPlace place,
                  std::uint64_t slot_of_low, std::uint32_t modulus, std::vector<SlotRange>& holes);
  std::optional<std::uint64_t> first_after_wrap(std::uint64_t first, std::uint64_t last);
  std::uint64_t span_of(std::uint64_t first, std::uint64_t last);
  std::uint32_t front_offset(std::uint64_t lbn);
  bool is_remapped(std::uint64_t lbn);
  void load_slips(Zone& zone) const;
  void inherit_series(const Zone& from, Zone& to) const;
  [[noreturn]] void give_up(std::uint64_t lbn);
  void count_attempt(std::uint64_t lbn);

  Survey& survey_;
  Defects defects_;
  Numbering numbering_;
  std::vector<Zone> zones_;
  std::map<std::uint64_t, scsi::PhysicalAddress> remaps_;
  std::map<std::uint64_t, int> attempts_;  // repairs that began at a block
  std::uint64_t repairs_ = 0;
  int restarts_ = 0;
  std::size_t heads_looked_at_ = 0;    // so many zones before heads are looked at again
  std::vector<BlockRange> irregular_;  // where every track is looked at by itself
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::uint32_t>> listed_;  // sectors
  std::optional<std::uint64_t> not_looked_at_;
  bool base_is_assumed_ = false;  // no number below 2 was seen
  bool holes_seen_ = false;       // slipped sectors have numbers
  bool unsettled_ = false;        // what was seen before must be compared with the map anew
};

}  // namespace platter::layout
