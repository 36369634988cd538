#include "layout/defect_lists.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "layout/index_rotation.h"

namespace platter::layout {
namespace {

using Listed = std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>>;

bool in_sectors(const std::optional<DefectPlaces>& list) {
  return !list || list->places.empty() || list->unit == DefectUnit::sectors;
}

bool from_index(const std::optional<DefectPlaces>& list) {
  return list && list->unit == DefectUnit::sectors_from_index;
}

// The first of neighbouring numbers; nullopt if they are none.
std::optional<std::uint64_t> only_run(const std::set<std::uint64_t>& numbers) {
  if (numbers.empty() || *numbers.rbegin() - *numbers.begin() + 1 != numbers.size())
    return std::nullopt;
  return *numbers.begin();
}

// Which slot of a track lies where a list says, in sectors from the index.
class Rotations {
 public:
  Rotations(const DefectLists& lists, Mapper& mapper, Survey& survey, Translator& drive)
      : mapper_(mapper), map_(mapper.map()), survey_(survey), drive_(drive) {
    if (from_index(lists.primary))
      for (const scsi::PhysicalAddress& place : lists.primary->places)
        listed_[{place.cylinder, place.head}].insert(place.sector);
    drive_says_ = drive_.sector_from_index(0).has_value();
    if (!drive_says_) fit();
  }

  bool drive_says() const { return drive_says_; }
  std::size_t fitted_zones() const { return fits_.size(); }

  std::optional<std::uint64_t> slot(const TrackInZone& found, std::uint32_t sector) {
    const std::uint64_t sectors = map_.zones[found.zone].sectors_of(found.track);
    if (sector >= sectors) return std::nullopt;
    if (drive_says_) {
      const auto first = first_slot_from_index(found);
      if (!first) return std::nullopt;
      return (sector + sectors - *first) % sectors;
    }
    const auto fit = fits_.find(map_.zones[found.zone].first_lbn);
    // A repair may have made the zone longer since.
    if (fit == fits_.end() || found.track >= fit->second.tracks()) return std::nullopt;
    const double behind = (sector + 0.5) / static_cast<double>(sectors) -
                          fit->second.at(found.track);
    const double slots = (behind - std::floor(behind)) * static_cast<double>(sectors);
    return static_cast<std::uint64_t>(std::lround(slots)) % sectors;
  }

 private:
  std::optional<std::uint64_t> first_slot_from_index(const TrackInZone& found) {
    const Zone& zone = map_.zones[found.zone];
    const std::uint64_t lbn = zone.first_block(found.track),
                        end = zone.first_block(found.track + 1);
    if (lbn >= end || lbn >= survey_.blocks() || map_.remaps.contains(lbn)) return std::nullopt;
    const auto sector = drive_.sector_from_index(lbn);
    if (!sector) return std::nullopt;
    const std::uint64_t sectors = zone.sectors_of(found.track);
    return (*sector + 2 * sectors - expected(zone, lbn).slot) % sectors;
  }

  // A sample of the listed tracks of each zone is looked at so closely that their holes show.
  void look_at_sample() {
    constexpr std::size_t kOfZone = 24;
    std::map<std::uint64_t, std::vector<TrackPlace>> tracks;  // by the zone's first block
    for (const auto& [place, sectors] : listed_)
      if (const auto found = map_.find({place.first, place.second}))
        tracks[map_.zones[found->zone].first_lbn].push_back({place.first, place.second});
    for (const auto& [zone, places] : tracks) {
      const std::size_t every = (places.size() + kOfZone - 1) / kOfZone;
      for (std::size_t i = 0; i < places.size(); i += every) {
        for (const bool at_end : {false, true}) {
          const auto found = map_.find(places[i]);
          if (!found) break;
          const Zone& here = map_.zones[found->zone];
          const std::uint64_t next = std::min(here.first_block(found->track + 1),
                                              map_.end_of(found->zone));
          mapper_.check(at_end && next > 0 ? next - 1 : here.first_block(found->track));
        }
      }
    }
  }

  // Tracks whose listed sectors, and no others, are holes in their numbers.
  void fit() {
    if (listed_.empty() || mapper_.numbering().from_index || mapper_.numbering().renumbered) return;
    look_at_sample();
    std::map<std::size_t, std::vector<TrackStart>> starts;
    for (const auto& [place, sectors] : listed_) {
      const auto found = map_.find({place.first, place.second});
      if (!found || map_.zones[found->zone].irregular) continue;
      const Zone& zone = map_.zones[found->zone];
      const std::uint64_t first = zone.first_slot(found->track);
      const std::uint64_t end = first + zone.sectors_of(found->track);
      if (zone.slots.slips_between(first, end) != sectors.size()) continue;
      std::set<std::uint64_t> slips;
      for (std::uint64_t slot = first; slot < end; ++slot)
        if (zone.slots.is_slip(slot)) slips.insert(slot);
      const auto slot = only_run(slips), listed = only_run({sectors.begin(), sectors.end()});
      if (!slot || !listed) continue;
      const double rev = (static_cast<double>(*listed) + 0.5 - static_cast<double>(*slot - first)) /
                         static_cast<double>(zone.sectors_of(found->track));
      starts[found->zone].push_back({found->track, rev - std::floor(rev)});
    }
    for (const auto& [index, seen] : starts) {
      const Zone& zone = map_.zones[index];
      if (auto rotation = fit_rotation(zone.order, map_.tracks_of(index), seen,
                                       1.0 / static_cast<double>(zone.slots.sectors())))
        fits_.emplace(zone.first_lbn, std::move(*rotation));
    }
  }

  Mapper& mapper_;
  const BlockMap& map_;
  Survey& survey_;
  Translator& drive_;
  Listed listed_;
  bool drive_says_ = false;
  std::map<std::uint64_t, IndexRotation> fits_;  // by the zone's first block
};

// The block that a grown defect drove away, at the slot or, as that is known not quite, beside it.
std::optional<std::uint64_t> slot_left(Mapper& mapper, TrackPlace place, std::uint64_t slot) {
  for (const int beside : {0, -1, 1}) {
    const auto found = mapper.map().find(place);
    if (!found) return std::nullopt;
    const Zone& zone = mapper.map().zones[found->zone];
    const std::uint64_t sectors = zone.sectors_of(found->track);
    const std::uint64_t near = (slot + sectors + static_cast<std::uint64_t>(beside)) % sectors;
    const std::uint64_t at = zone.first_slot(found->track) + near;
    const std::uint64_t lbn = zone.first_lbn + zone.slots.blocks_before(at);
    if (zone.slots.is_free(at) || lbn >= mapper.map().end_of(found->zone)) continue;
    mapper.check(lbn);
    if (mapper.map().remaps.contains(lbn)) return near;
  }
  return std::nullopt;
}

void keep_tracks(const std::optional<DefectPlaces>& list,
                 std::vector<scsi::PhysicalAddress>& sectors,
                 std::vector<scsi::PhysicalAddress>& tracks) {
  if (list) (in_sectors(list) ? sectors : tracks) = list->places;
}

std::string count_in_words(const DefectLists& lists) {
  const auto words = [](const char* which, const std::optional<DefectPlaces>& list) {
    return list ? fmt::format("{} {} defects", list->places.size(), which)
                : fmt::format("no {} list", which);
  };
  const bool by_grown = lists.grown && (!lists.primary || lists.primary->places.empty());
  const auto& one = by_grown ? lists.grown : lists.primary;
  return fmt::format("the drive gives {} and {}, in {}", words("primary", lists.primary),
                     words("grown", lists.grown), one->format);
}

}  // namespace

bool DefectLists::name_sectors() const { return in_sectors(primary) && in_sectors(grown); }

DefectLists ask_for_defects(Translator& drive) {
  return {drive.defects(true, false), drive.defects(false, true)};
}

Defects as_given(const DefectLists& lists) {
  Defects defects;
  defects.known_primary = lists.primary.has_value();
  defects.known_grown = lists.grown.has_value();
  keep_tracks(lists.primary, defects.primary, defects.primary_tracks);
  keep_tracks(lists.grown, defects.grown, defects.grown_tracks);
  return defects;
}

LocatedDefects located(const DefectLists& lists, Mapper& mapper, Survey& survey,
                       Translator& drive) {
  LocatedDefects result{as_given(lists), ""};
  Defects& defects = result.defects;
  const Numbering numbering = mapper.numbering();
  if (numbering.from_index) {
    for (const auto& [list, sectors, tracks] :
         {std::tuple(&lists.primary, &defects.primary, &defects.primary_tracks),
          std::tuple(&lists.grown, &defects.grown, &defects.grown_tracks)}) {
      if (!from_index(*list)) continue;
      for (scsi::PhysicalAddress place : std::exchange(*tracks, {})) {
        place.sector += numbering.base;
        sectors->push_back(place);
      }
      result.how = "their sectors are counted from the index as the drive's are";
    }
    return result;
  }
  if (numbering.renumbered) return result;
  Rotations rotations(lists, mapper, survey, drive);
  const auto place_all = [&](std::vector<scsi::PhysicalAddress>& tracks,
                             std::vector<scsi::PhysicalAddress>& sectors, bool grown) {
    for (const scsi::PhysicalAddress& place : std::exchange(tracks, {})) {
      const TrackPlace track{place.cylinder, place.head};
      const auto found = mapper.map().find(track);
      auto slot = found ? rotations.slot(*found, place.sector) : std::nullopt;
      if (slot && grown) slot = slot_left(mapper, track, *slot);
      if (slot) {
        sectors.push_back(
            {place.cylinder, place.head, numbering.base + static_cast<std::uint32_t>(*slot)});
      } else {
        tracks.push_back(place);
      }
    }
  };
  if (from_index(lists.primary)) place_all(defects.primary_tracks, defects.primary, false);
  if (from_index(lists.grown)) place_all(defects.grown_tracks, defects.grown, true);
  if (rotations.drive_says())
    result.how =
        "their sectors follow from the bytes from the index that the drive gives for blocks";
  defects.estimated = rotations.fitted_zones() > 0;
  if (defects.estimated)
    result.how = fmt::format(
        "their sectors follow in {} of {} zones from the skews, and those "
        "from the holes that listed defects leave in the numbers",
        rotations.fitted_zones(), mapper.map().zones.size());
  return result;
}

std::string in_words(const DefectLists& lists, const LocatedDefects& used) {
  if (!lists.primary && !lists.grown) return "the drive gives no primary or grown defect list";
  std::string words = count_in_words(lists);
  if (!used.how.empty()) words += "; " + used.how;
  const std::size_t primary = used.defects.primary_tracks.size();
  const std::size_t grown = used.defects.grown_tracks.size();
  if (primary + grown > 0)
    words += fmt::format("; of {} primary and {} grown ones only the track is known", primary,
                         grown);
  return words;
}

}  // namespace platter::layout
