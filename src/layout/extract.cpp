#include "layout/extract.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <random>

#include "engine/layout_map.h"
#include "layout/compile.h"
#include "layout/defect_lists.h"
#include "layout/even_starts.h"
#include "layout/impossible_remaps.h"
#include "layout/mapper.h"
#include "layout/spare_scheme.h"
#include "layout/survey.h"
#include "model/error.h"

namespace platter::layout {

namespace {

// Looks for what jumps between tracks cannot see: defects that spares of their own unit make up
// for, and remapped blocks.
class Verification {
 public:
  Verification(Mapper& mapper, Survey& survey, const Options& options)
      : mapper_(mapper),
        map_(mapper.map()),
        survey_(survey),
        options_(options),
        random_(options.seed),
        all_listed_(options.all_listed) {}

  void run() {
    constexpr int kMostRounds = 12;
    bool all_spares = !mapper_.defects().known_primary;
    bool ask = !mapper_.defects().known_grown;
    for (int round = 0; round < kMostRounds; ++round) {
      look_where_it_matters(all_spares, ask);
      surprises_.clear();
      if (!look_at_random()) {
        survey_.ask_again(32);
        return;
      }
      checks_ = 0;
      // Something is not in the defect lists, or not of the kind that was thought.
      all_spares = ask = true;
    }
    // Slips in units that were not looked at are no surprise: a note says how many there are.
    if (units_of_sample_ > 0) return;
    for (const std::uint64_t lbn : surprises_) mapper_.do_not_understand(lbn);
  }

  // The map ended early, and nothing was looked for since: a zone of which a block is elsewhere is
  // not claimed. Of `questions` one half is for any blocks, the other for those of each zone.
  void doubt(std::uint64_t questions) {
    const auto look = [this](std::uint64_t first, std::uint64_t last, std::uint64_t count) {
      std::uniform_int_distribution<std::uint64_t> any(first, last);
      for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t lbn = any(random_);
        if (mapper_.is_claimed(lbn) && !mapper_.is_right(lbn)) mapper_.do_not_understand(lbn);
      }
    };
    look(0, map_.zones.back().first_lbn, questions / 2);
    const std::uint64_t zones = map_.zones.size();
    for (std::size_t i = 0; i < zones; ++i)
      look(map_.zones[i].first_lbn, map_.end_of(i) - 1, questions / 2 / zones);
    checks_ = 0;
  }

  model::Notes notes() const {
    model::Notes notes(notes_.begin(), notes_.end());
    if (units_of_sample_ > 0)
      notes.emplace_back(model::Code::defects_sampled,
                         fmt::format("layout: only one of {} units of spares was looked at for "
                                     "defects that no list names, for each "
                                     "takes a question: {} looks met {} slips, so of some {} slips "
                                     "that the map does not have "
                                     "blocks lie in other sectors of their unit",
                                     units_of_sample_, units_seen_, slips_seen_,
                                     slips_seen_ * (units_of_sample_ - 1)));
    return notes;
  }
  // Blocks drawn at random that lay where the map, as it is, had them.
  std::uint64_t checks() const { return checks_; }
  bool looked_at_all_listed() const { return all_listed_; }

 private:
  // Until nothing had to be repaired: what was looked at before the last repair may need it, too.
  void look_where_it_matters(bool all_spares, bool ask) {
    constexpr int kMostRounds = 12;
    for (int round = 0; round < kMostRounds; ++round) {
      repaired_ = false;
      for (const auto* list : {&mapper_.defects().primary, &mapper_.defects().grown})
        for (const scsi::PhysicalAddress& defect : *list)
          look_around(defect, !all_listed_ && list == &mapper_.defects().primary);
      for (const scsi::PhysicalAddress& defect : mapper_.defects().primary_tracks)
        look_at_track(defect);
      look_at_all_of_tracks(mapper_.defects().grown_tracks);
      for (std::size_t zone = 0; zone < map_.zones.size(); ++zone) look_at_ends(zone);
      look_at_exceptions();
      look_at_spares(all_spares ? options_.grid_limit : options_.listed_grid_limit, all_spares);
      if (ask || tracks_left_ > 0) ask_spares();
      mapper_.drop_needless_remaps();
      look_at_remapped();
      if (!look_at_known() || !repaired_) return;
    }
  }

  bool check(std::uint64_t lbn) {
    if (lbn >= survey_.blocks() || mapper_.check(lbn)) return true;
    repaired_ = all_listed_ = true;
    return false;
  }

  // The blocks on both sides of a listed defect, the one that lies there in spite of it, the ends
  // of its track, and the last block before the spares that may make up for it.
  void look_around(const scsi::PhysicalAddress& defect, bool sampled) {
    auto found = map_.find({defect.cylinder, defect.head});
    if (!found || defect.sector < mapper_.numbering().base) return;
    const bool numbers_tell = !mapper_.numbering().from_index && !mapper_.numbering().renumbered;
    for (const std::uint64_t next : {0, 1}) {
      if (numbers_tell) break;
      const std::uint64_t lbn = map_.zones[found->zone].first_block(found->track + next);
      look_before(std::min(lbn, survey_.blocks()));
    }
    found = map_.find({defect.cylinder, defect.head});
    if (!found) return;
    std::vector<std::uint64_t> suspects;
    const Zone& zone = map_.zones[found->zone];
    const std::uint64_t track = zone.first_slot(found->track);
    const std::uint64_t end = map_.end_of(found->zone);
    const std::uint64_t slot = track + mapper_.slots().slot_of_defect(*found, defect.sector);
    if (slot >= track + zone.sectors_of(found->track)) return;
    const std::uint64_t lbn = zone.first_lbn + zone.slots.blocks_before(slot);
    // The block behind a slip tells that there is one, the one in front of it that it is there and
    // not sooner: that lists name the right sectors is seen from a sample.
    constexpr std::uint64_t kAllOfFirst = 32, kThen = 8;
    const bool in_sample = mapper_.defects().estimated || looked_around_ < kAllOfFirst ||
                           looked_around_ % kThen == 0;
    ++looked_around_;
    if (lbn > zone.first_lbn && in_sample) suspects.push_back(lbn - 1);
    if (lbn < end && (in_sample || !sampled)) suspects.push_back(lbn);
    if (mapper_.numbering().renumbered) {
      // Numbers and places differ by as many slips as the track has.
      const std::uint64_t blocks = zone.first_block(found->track + 1) -
                                   zone.first_block(found->track);
      const std::uint64_t slips = zone.sectors_of(found->track) - blocks;
      for (std::uint64_t i = 1; i <= std::min<std::uint64_t>(slips, 8); ++i)
        if (lbn + i < end) suspects.push_back(lbn + i);
    }
    if (const auto spares = zone.slots.next_spares(slot); spares && (in_sample || !sampled)) {
      // The block that a spare would hold: the map's last one in front, or the one behind.
      const std::uint64_t behind = zone.first_lbn + zone.slots.blocks_before(spares->end);
      const bool used = zone.slots.absorb() != Absorb::none;
      if (behind < end + used) suspects.push_back(used ? behind - 1 : behind);
    }
    if (mapper_.numbering().from_index) {
      for (const std::uint64_t suspect : suspects) look_before(suspect + 1);
    } else {
      for (const std::uint64_t suspect : suspects) check(suspect);
    }
  }

  // Of a defect somewhere on a track: the track's ends, and the last block before the spares that
  // may make up for it.
  void look_at_track(const scsi::PhysicalAddress& defect) {
    for (const int look : {0, 1, 2}) {
      const auto found = map_.find({defect.cylinder, defect.head});
      if (!found) return;
      const Zone& zone = map_.zones[found->zone];
      const std::uint64_t next = zone.first_slot(found->track + 1);
      const auto spares = zone.slots.next_spares(next - 1);
      if (look == 2 && !spares) return;
      const std::uint64_t slot = look == 0   ? zone.first_slot(found->track)
                                 : look == 1 ? next
                                             : spares->end;
      const std::uint64_t lbn = zone.first_lbn + zone.slots.blocks_before(slot);
      if (lbn <= map_.end_of(found->zone)) look_before(lbn);
    }
  }

  // A block was remapped from somewhere on each of these tracks: all of theirs are looked up, as
  // far as the limit goes.
  void look_at_all_of_tracks(const std::vector<scsi::PhysicalAddress>& defects) {
    std::uint64_t asked = 0;
    tracks_left_ = 0;
    for (const scsi::PhysicalAddress& defect : defects) {
      const auto found = map_.find({defect.cylinder, defect.head});
      if (!found) continue;
      const Zone& zone = map_.zones[found->zone];
      const std::uint64_t end = std::min(zone.first_block(found->track + 1),
                                         map_.end_of(found->zone));
      const std::uint64_t first = zone.first_block(found->track);
      asked += end - std::min(first, end);
      if (asked > options_.listed_track_limit) {
        ++tracks_left_;
        continue;
      }
      for (std::uint64_t lbn = first; lbn < end; ++lbn) check(lbn);
    }
  }

  void look_at_ends(std::size_t index) {
    const std::uint64_t first = map_.zones[index].first_lbn, end = map_.end_of(index);
    for (const std::uint64_t lbn : {first, first + 1, end - 1, end >= 2 ? end - 2 : 0}) check(lbn);
    // The order of tracks was seen in jumps only: all of one repetition, at both ends; of a short
    // zone, as they come where rules are broken, all.
    constexpr std::uint64_t kMostTracks = 64;
    for (const bool at_end : {false, true}) {
      for (std::uint64_t i = 0; i < kMostTracks && index < map_.zones.size(); ++i) {
        const Zone& zone = map_.zones[index];
        const std::uint64_t tracks = map_.tracks_of(index);
        if (i >= tracks || (i > zone.order.cycle() && tracks > kMostTracks)) break;
        const std::uint64_t lbn = zone.first_block(at_end ? tracks - 1 - i : i);
        if (lbn >= map_.end_of(index)) continue;
        // Counted from the index the first block of a track tells nothing of the one before it.
        check(lbn);
        if (mapper_.numbering().from_index && lbn > first) check(lbn - 1);
      }
    }
  }

  // Two wrong guesses may make up for one another: wherever the map has an exception or a series of
  // spares begins or ends, the blocks around and those around the nearest spares are looked up.
  void look_at_exceptions() {
    for (std::size_t i = 0; i < map_.zones.size(); ++i) {
      std::vector<std::uint64_t> slots;
      const SlotMap& map = map_.zones[i].slots;
      for (const SlotRange& range : map.exceptions()) {
        slots.insert(slots.end(), {range.first, range.end});
        for (const SpareSeries& series : map.series()) add_around(map, series, range.first, slots);
      }
      for (const SpareSeries& series : map.series()) {
        add_around(map, series, map.range(series, 0).first, slots);
        if (series.count != SpareSeries::kOpen)
          add_around(map, series, map.range(series, series.count).first, slots);
      }
      for (const std::uint64_t slot : slots) {
        if (i >= map_.zones.size()) return;
        const Zone& zone = map_.zones[i];
        const std::uint64_t lbn = zone.first_lbn + zone.slots.blocks_before(slot);
        if (lbn <= map_.end_of(i)) look_before(lbn);
      }
    }
  }

  // Both ends of what the series has, or would have, next to a slot.
  static void add_around(const SlotMap& map, SpareSeries series, std::uint64_t slot,
                         std::vector<std::uint64_t>& slots) {
    series.count = SpareSeries::kOpen;
    const std::uint64_t next = *map.occurrence_from(series, slot);
    for (std::uint64_t k = next > 1 ? next - 2 : 0; k <= next + 1; ++k)
      slots.push_back(map.range(series, k).end);
  }

  // A slip that spares of its unit make up for moves the blocks next to these. In front of spares
  // at the end of a track one look is enough: what they do not make up for moves all blocks behind.
  // The same units are looked at each time: what was looked at is known.
  void look_at_spares(std::uint64_t limit, bool tell) {
    constexpr std::uint64_t kMoreTracks = 10;
    std::uint64_t units = 0;
    for (std::size_t i = 0; i < map_.zones.size(); ++i)
      for (const SpareSeries& series : map_.zones[i].slots.series()) units += count(i, series);
    std::uint64_t& every = units_apart_[limit];
    if (every == 0)
      every = tell ? apart(units, limit) : units / std::max<std::uint64_t>(1, limit) + 1;
    units_of_sample_ = every > 1 && tell ? every : 0;
    units_seen_ = 0;
    for (std::size_t i = 0; i < map_.zones.size(); ++i) {
      for (std::size_t s = 0; s < map_.zones[i].slots.series().size(); ++s) {
        starts_.clear();
        for (std::uint64_t k = 0; i < map_.zones.size();) {
          const Zone& zone = map_.zones[i];
          if (s >= zone.slots.series().size()) break;
          const SpareSeries& series = zone.slots.series()[s];
          if (k >= count(i, series)) break;
          // Whole tracks that are left out are few, and one elsewhere is seen by no other look.
          const SlotRange spares = zone.slots.range(series, k);
          const bool is_tracks = spares.end - spares.first >= zone.slots.sectors();
          const std::uint64_t apart = is_tracks ? every / kMoreTracks + 1 : every;
          k += apart;
          const std::uint64_t behind = zone.first_lbn + zone.slots.blocks_before(spares.end);
          if (is_tracks || behind == 0 || series.end.slots != 0)
            look_before(behind);
          else
            look_in_front(behind - 1);
        }
      }
    }
  }

  // The last block in front of spares. Counted from the index its number says
  // as much as where numbers start at the first: by the skew, the tracks at one place of the
  // order's cycle begin at numbers that move on evenly. After a slip its track seems to begin at
  // another.
  void look_in_front(std::uint64_t lbn) {
    if (lbn >= survey_.blocks()) return;
    ++units_seen_;
    if (!check(lbn)) {
      ++slips_seen_;
      return;
    }
    if (!mapper_.numbering().from_index) return;
    const Expected here = expected(map_.zones[map_.zone_of(lbn)], lbn);
    const TrackOrder& order = map_.zones[map_.zone_of(lbn)].order;
    const std::uint64_t met = order.met_before_cycle(), cycle = order.cycle();
    if (here.track < met || map_.remaps.contains(lbn)) return look_before(lbn + 1);
    const std::uint64_t sectors = map_.zones[map_.zone_of(lbn)].sectors_of(here.track);
    const std::uint64_t number = survey_.at(lbn).place.sector - mapper_.numbering().base;
    const auto start = [&] {
      const std::uint64_t slot = expected(map_.zones[map_.zone_of(lbn)], lbn).slot;
      return (number + sectors - slot % sectors) % sectors;
    };
    EvenStarts& starts = starts_.try_emplace((here.track - met) % cycle, sectors).first->second;
    const std::uint64_t index = (here.track - met) / cycle;
    if (!starts.tells(index, start())) look_before(lbn + 1);
    starts.see(index, start());
  }

  // Blocks that a shift before block `lbn` would move.
  void look_before(std::uint64_t lbn) {
    bool moved = !check(lbn);
    if (lbn > 0) moved = !check(lbn - 1) || moved;
    // Counted from the index a shift shows only at the track's start and by the distance from it.
    while (mapper_.numbering().from_index && lbn > 0) {
      const std::uint64_t first = first_on_track(lbn - 1);
      moved = !check(first);
      if (first > 0) moved = !check(first - 1) || moved;
      moved = !check(lbn - 1) || moved;
      if (!moved) break;
    }
  }

  std::uint64_t first_on_track(std::uint64_t lbn) const {
    return lbn - expected(map_.zones[map_.zone_of(lbn)], lbn).rank;
  }

  std::uint64_t count(std::size_t index, const SpareSeries& series) const {
    const Zone& zone = map_.zones[index];
    const std::uint64_t slots = zone.first_slot(map_.tracks_of(index));
    return zone.slots.occurrence_from(series, slots).value_or(series.count);
  }

  // Remapped blocks lie in spare sectors: those say which blocks they hold.
  void ask_spares() {
    if (survey_.back(survey_.at(0).place) != scsi::PlaceContent{0}) {
      note(
          "the drive does not say which blocks its spare sectors hold: remapped blocks were looked "
          "for in its defect lists and by random samples only");
      return;
    }
    const std::vector<SpareRange> spares = spare_ranges();
    std::uint64_t slots = 0;
    for (const SpareRange& range : spares) slots += range.slots.end - range.slots.first;
    remapped_.clear();
    if (slots <= options_.spare_limit) {
      for (const SpareRange& range : spares)
        for (std::uint64_t slot = range.slots.first; slot < range.slots.end; ++slot)
          holds_block(range.zone, slot);
    } else {
      ask_ends(spares);
    }
    for (const std::uint64_t lbn : std::vector(remapped_)) check(lbn);
  }

  struct SpareRange {
    std::size_t zone = 0;
    SlotRange slots;
  };
  std::vector<SpareRange> spare_ranges() const {
    std::vector<SpareRange> spares;
    for (std::size_t i = 0; i < map_.zones.size(); ++i) {
      const Zone& zone = map_.zones[i];
      const std::uint64_t used = zone.slots.slot_of(map_.end_of(i) - 1 - zone.first_lbn) + 1;
      const std::uint64_t tracks = map_.tracks_of(i);
      const std::uint64_t all = zone.first_slot(tracks + zone.order.missing_after(tracks));
      for (const SlotRange& range : zone.slots.free_ranges(0, used)) spares.push_back({i, range});
      if (all > used) spares.push_back({i, {used, all}});
    }
    return spares;
  }

  // A drive takes the spares of a unit one after the other: of each the first is asked, of some the
  // last, and on from one that holds a block.
  void ask_ends(const std::vector<SpareRange>& spares) {
    constexpr std::uint64_t kLasts = 8;  // Chosen: a few of them show how the drive does it
    const std::uint64_t every = apart(spares.size() + spares.size() / kLasts, options_.spare_limit);
    note(fmt::format(
        "spare sectors were asked for remapped blocks from the first of {} on, until one held none",
        every > 1 ? fmt::format("each {}th unit", every) : "each unit"));
    std::uint64_t lasts = kLasts;
    for (std::uint64_t i = 0; i < spares.size(); i += every) {
      const auto& [zone, range] = spares[i];
      for (std::uint64_t slot = range.first; slot < range.end && holds_block(zone, slot);) ++slot;
      if (i / every % lasts != 0) continue;
      for (std::uint64_t slot = range.end; slot > range.first && holds_block(zone, slot - 1);
           --slot)
        lasts = 1;
    }
  }

  // So far apart lie those that are looked at: each where the limit allows that; else not all can
  // be found, and a fifth of it is a sample.
  static std::uint64_t apart(std::uint64_t all, std::uint64_t limit) {
    constexpr std::uint64_t kSample = 5;
    const std::uint64_t most = std::max<std::uint64_t>(1, limit);
    return all <= most ? 1 : all / std::max<std::uint64_t>(1, most / kSample) + 1;
  }

  // Another one than the map has there.
  bool holds_block(std::size_t zone, std::uint64_t slot) {
    const Zone& where = map_.zones[zone];
    const TrackInZone found{zone, where.slots.lengths().track_of(slot)};
    const TrackPlace place = where.order.at(found.track);
    const auto content = survey_.back(
        {static_cast<std::uint32_t>(place.cylinder), static_cast<std::uint32_t>(place.head),
         mapper_.slots().sector_of(found, slot - where.first_slot(found.track))});
    if (!content || !content->lbn || *content->lbn >= survey_.blocks()) return false;
    // Behind the end of a zone the next one may begin, on the same track.
    const std::size_t next = map_.zone_of(*content->lbn);
    const bool is_next = next != zone && expected(map_.zones[next], *content->lbn).place == place;
    if (is_next && !map_.remaps.contains(*content->lbn)) return false;
    remapped_.push_back(*content->lbn);
    return true;
  }

  // Where a remapped block lies, no other one does.
  void look_at_remapped() {
    const auto remaps = map_.remaps;
    for (const auto& [lbn, place] : remaps) {
      const auto found = map_.find({place.cylinder, place.head});
      if (!found || place.sector < mapper_.numbering().base) continue;
      const std::uint64_t slot = mapper_.slots().slot_of(*found, place.sector);
      const Zone& zone = map_.zones[found->zone];
      if (slot >= zone.sectors_of(found->track)) {
        if (!zone.slots.lengths().alike()) continue;
        mapper_.lengthen(found->zone, static_cast<std::uint32_t>(slot + 1));
        continue;
      }
      const std::uint64_t zone_slot = zone.first_slot(found->track) + slot;
      const std::uint64_t holder = zone.first_lbn + zone.slots.blocks_before(zone_slot);
      if (!zone.slots.is_free(zone_slot) && holder < map_.end_of(found->zone)) check(holder);
    }
  }

  // What was repaired late agrees with all that was seen early. False: the questions ran out, or
  // repairs undo one another, so no rule that is known here holds for these blocks.
  bool look_at_known() {
    constexpr int kMostRounds = 12;
    std::vector<std::uint64_t> wrong;
    for (int round = 0; round < kMostRounds; ++round) {
      std::vector<std::uint64_t> lbns;
      for (const auto& [lbn, answer] : survey_.known()) lbns.push_back(lbn);
      wrong.clear();
      for (const std::uint64_t lbn : lbns)
        if (!check(lbn)) wrong.push_back(lbn);
      if (wrong.empty()) return true;
      if (mapper_.ended_early()) return false;  // nothing more may be asked
    }
    for (const std::uint64_t lbn : wrong) mapper_.do_not_understand(lbn);
    return false;
  }

  // True if a block was found elsewhere than the map said.
  bool look_at_random() {
    std::uniform_int_distribution<std::uint64_t> any(0, survey_.blocks() - 1);
    bool surprised = false;
    for (std::uint64_t i = 0; i < options_.random_checks; ++i) {
      const std::uint64_t lbn = any(random_);
      if (mapper_.numbering().from_index) {  // sectors are told by their distance from the first
        if (!check(first_on_track(lbn))) surprised = true;
      }
      if (!check(lbn)) {
        surprised = true;
        surprises_.push_back(lbn);
      }
      ++checks_;
    }
    // Every track boundary of some cylinders.
    constexpr int kCylinders = 4;
    for (int i = 0; i < kCylinders; ++i) {
      const std::uint64_t lbn = any(random_);
      const std::size_t index = map_.zone_of(lbn);
      const std::uint64_t track = expected(map_.zones[index], lbn).track;
      constexpr std::uint64_t kMostTracks = 32;
      const std::uint64_t tracks = std::min<std::uint64_t>(map_.zones[index].order.cycle(),
                                                           kMostTracks);
      for (std::uint64_t k = 0; k <= tracks && index < map_.zones.size(); ++k) {
        const std::uint64_t first = map_.zones[index].first_block(track + k);
        if (first >= map_.end_of(index)) break;
        if (first > 0 && !check(first - 1)) surprised = true;
        if (!check(first)) surprised = true;
      }
    }
    return surprised;
  }

  void note(const std::string& text) {
    const std::string note = "layout: " + text;
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
  }

  Mapper& mapper_;
  const BlockMap& map_;
  Survey& survey_;
  const Options& options_;
  std::mt19937_64 random_;
  bool all_listed_, repaired_ = false;
  std::uint64_t checks_ = 0;
  std::vector<std::uint64_t> surprises_, remapped_;
  std::uint64_t units_of_sample_ = 0;  // one of so many was looked at; 0: each
  std::uint64_t units_seen_ = 0, slips_seen_ = 0;
  std::map<std::uint64_t, std::uint64_t> units_apart_;  // of spares, by the most that may be asked
  std::map<std::uint64_t, EvenStarts> starts_;          // of tracks, by their place in the cycle
  std::uint64_t looked_around_ = 0;                     // defects
  std::uint64_t tracks_left_ = 0;  // with a grown defect, not looked at block by block
  std::vector<std::string> notes_;
};

// The layout as others will read it still says what the drive said; a zone where it does not is not
// claimed. Nor are the blocks whose remaps were taken out, of which the answers contradict each
// other.
void confirm(model::Layout& layout, const std::vector<model::NotUnderstood>& taken_out,
             const Survey& survey, Mapper& mapper) {
  const engine::LayoutMap map(layout);
  if (map.blocks() != survey.blocks())
    throw CannotMap(
        ExitStatus::incomplete,
        fmt::format("what {} translates makes a map of {} of its {} blocks: it does not add up",
                    survey.name(), map.blocks(), survey.blocks()));
  for (const auto& [lbn, answer] : survey.known()) {
    if (std::ranges::binary_search(taken_out, lbn, {}, &model::NotUnderstood::first_lbn)) continue;
    const engine::Pbn place = map.pbn_of_lbn(lbn);
    if (place.cylinder != answer.place.cylinder || place.head != answer.place.head)
      mapper.do_not_understand(lbn);
  }
  layout.not_understood = mapper.not_understood();
  add_not_understood(layout.not_understood, taken_out);
}

std::string in_words(const std::vector<model::NotUnderstood>& taken_out) {
  return fmt::format(
      "layout: {} remapped blocks have no place in the map and are not understood; of the "
      "first, LBN {}: {}",
      taken_out.size(), taken_out.front().first_lbn, taken_out.front().reason);
}

model::Notes facts(const Mapper& mapper, const Survey& survey, std::size_t remaps,
                   const std::string& about_lists, bool all_listed) {
  const Numbering& numbering = mapper.numbering();
  model::Notes notes;
  notes.emplace_back(fmt::format(
      "layout: {} zones, {} remapped blocks, by {} address translations; sectors are numbered from "
      "{} {}{}",
      mapper.map().zones.size(), remaps, survey.translations(), numbering.base,
      numbering.from_index ? "at the index" : "at the first of each track",
      numbering.renumbered ? ", slipped ones without a number" : ""));
  const Defects& defects = mapper.defects();
  std::string listed = "layout: " + about_lists;
  if (defects.known_primary || defects.known_grown)
    listed += all_listed ? "; the neighbourhood of all listed defects was checked"
                         : "; the neighbourhood of a sample of the listed defects was checked";
  if (!defects.known_primary || !defects.known_grown)
    listed +=
        "; spares were checked unit by unit, and asked for remapped blocks (one in a spare sector "
        "that the map does not know, or among those not asked, may be missed)";
  notes.emplace_back(listed);
  return notes;
}

// Lists that do not name sectors are placed by a map that was made without them.
LocatedDefects place(const DefectLists& lists, Survey& survey, Translator& drive,
                     const Options& options) {
  LocatedDefects listed{as_given(lists), ""};
  if (lists.name_sectors()) return listed;
  Defects tracks = listed.defects;
  tracks.known_primary = tracks.known_grown = false;
  Mapper map(survey, std::move(tracks), options.grown);
  map.grow();
  return map.ended_early() ? listed : located(lists, map, survey, drive);
}

}  // namespace

Extraction by_address_translation(Translator& drive, const Options& options) {
  Extraction result;
  // Some are kept for a look at what a map that ends early claims.
  const std::uint64_t kept = options.translation_limit / 20;
  Survey survey(drive, options.translation_limit - kept);
  if (survey.blocks() == 0 || !survey.answers()) {
    result.layout.reason = survey.blocks() == 0 ? "the drive has no blocks"
                                                : "the drive does not answer address translation";
    result.translations = survey.translations();
    return result;
  }
  const DefectLists lists = ask_for_defects(drive);
  const LocatedDefects listed = place(lists, survey, drive, options);
  Mapper mapper(survey, listed.defects, options.grown);
  mapper.grow();
  Verification verification(mapper, survey, options);
  try {
    if (!mapper.ended_early()) verification.run();
    if (!mapper.ended_early()) mapper.find_fronts();
  } catch (const OutOfTranslations&) {
    mapper.do_not_understand(survey.blocks() - 1);
  }
  survey.allow(options.translation_limit);
  if (mapper.ended_early()) verification.doubt(kept / 2);
  try {
    result.layout = compile(mapper);
  } catch (const OutOfTranslations&) {
    throw CannotMap(
        ExitStatus::unsupported,
        fmt::format("{} has a layout without a regularity known here: {} address "
                    "translations were not enough to map it; raise the limit or go without",
                    survey.name(), survey.translations()));
  }
  const std::vector<model::NotUnderstood> taken_out = take_out_impossible_remaps(result.layout);
  result.layout.checks = verification.checks();
  try {
    result.layout.spares = spare_scheme(mapper, survey);
  } catch (const OutOfTranslations&) {
    result.layout.spares = "not known: no more address translations were allowed";
  }
  confirm(result.layout, taken_out, survey, mapper);
  result.translations = survey.translations();
  result.notes = facts(mapper, survey, result.layout.remaps.size(), in_words(lists, listed),
                       verification.looked_at_all_listed());
  if (!taken_out.empty())
    result.notes.emplace_back(model::Code::remaps_not_understood, in_words(taken_out));
  std::ranges::move(verification.notes(), std::back_inserter(result.notes));
  return result;
}

}  // namespace platter::layout
