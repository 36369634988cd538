#include "emit/disksim_check/g1_walk.h"

#include <algorithm>

namespace platter::emit_disksim_check {
namespace {

constexpr std::int64_t kSlipped = -1, kRemapped = -2;  // in place of a block

struct PlaceOfBlock {
  std::int64_t slot = 0;  // from the zone's first sector on
  bool remapped = false;
};
struct TrackBlocks {
  std::int64_t first = 0, last = 0;
};

// DiskSim's two translations in one zone, in slots and blocks that count from the zone's beginning.
class ZoneTranslation {
 public:
  ZoneTranslation(const G1Zone& zone, const G1Drive& drive)
      : zone_(zone), scheme_(drive.scheme), cylinder_(zone.sectors * drive.surfaces) {
    const bool ranges = scheme_ == kRange;
    region_ = scheme_ == kPerTrack              ? zone.sectors
              : ranges                          ? cylinder_ * drive.range
              : is_zone() || scheme_ == kTracks ? (zone.last - zone.first + 1) * cylinder_
                                                : cylinder_;
    kept_ = std::max<std::int64_t>(region_ - zone.spares, 1);
    at_front_ = scheme_ == kCylinderFront || scheme_ == kCylinderFrontToEnd;
    to_end_ = scheme_ == kCylinderToEnd || scheme_ == kCylinderFrontToEnd || scheme_ == kAtEnd;
  }

  // dm_translate_ltop(MAP_FULL).
  PlaceOfBlock place_of(std::int64_t block) const {
    block += zone_.dead;
    if (scheme_ == kTracks) return place_among_tracks(block);
    const std::int64_t region = is_zone() ? 0 : block / kept_;
    std::int64_t offset = is_zone() ? block : block % kept_;
    std::int64_t slips = 0;
    for (const std::int64_t slip : zone_.slips)
      if ((to_end_ && slip / region_ < region) ||
          (slip >= region * region_ && slip - region * region_ <= offset + slips))
        ++slips;
    offset += slips;
    for (const auto& [defect, spare] : zone_.defects)
      if (defect == region * region_ + offset && spare != defect)
        return {scheme_ == kRange ? region * region_ + spare % region_ : spare, true};
    if (is_per_cylinder())  // what slips leave no room for goes to the next cylinder
      return {(region + offset / kept_) * region_ + offset % kept_, false};
    return {region * region_ + offset, false};
  }

  // dm_get_track_boundaries() of the track that has the slot.
  TrackBlocks blocks_of_track(std::int64_t slot) const {
    const std::int64_t track = slot / zone_.sectors;
    if (scheme_ == kTracks) return blocks_among_tracks(track);
    if (scheme_ == kPerTrack) {
      const std::int64_t first = track * kept_ - zone_.dead;
      return {std::max<std::int64_t>(first, 0), first + kept_ - 1};
    }
    return {end_of_track(track, true), end_of_track(track, false)};
  }

  // The block that the slot would have without slips.
  std::int64_t about(std::int64_t slot) const {
    if (scheme_ == kTracks) return slot * zone_.sectors;
    return slot / region_ * kept_ + slot % region_ - zone_.dead;
  }

  std::int64_t track_of(std::int64_t slot) const { return slot / zone_.sectors; }

  // A block that DiskSim's slips put at the slot, or none; remapping left out.
  std::int64_t block_slipped_to(std::int64_t slot) const { return block_at(slot, false); }

 private:
  bool is_zone() const { return scheme_ == kZone || scheme_ == kZoneToEnd; }
  bool is_per_cylinder() const {
    return !is_zone() && scheme_ != kRange && scheme_ != kPerTrack && scheme_ != kTracks;
  }

  PlaceOfBlock place_among_tracks(std::int64_t block) const {
    std::int64_t track = block / zone_.sectors;
    for (const std::int64_t slip : zone_.slips)
      if (slip <= track) ++track;
    for (const auto& [defect, spare] : zone_.defects)
      if (defect == track) {
        track = spare;
        break;
      }
    return {track * zone_.sectors + block % zone_.sectors, false};
  }

  TrackBlocks blocks_among_tracks(std::int64_t track) const {
    bool none = false;
    for (auto pair = zone_.defects.rbegin(); pair != zone_.defects.rend(); ++pair) {
      none = none || track == pair->first;
      if (track == pair->second) {
        track = pair->first;
        break;
      }
    }
    for (auto slip = zone_.slips.rbegin(); slip != zone_.slips.rend(); ++slip) {
      none = none || track == *slip;
      if (track > *slip) --track;
    }
    if (none || track > (zone_.blocks + zone_.dead) / zone_.sectors) return {kSlipped, kSlipped};
    const std::int64_t first = track * zone_.sectors - zone_.dead;
    return {std::max<std::int64_t>(first, 0), first + zone_.sectors - 1};
  }

  // dm_translate_ptol(): of schemes whose tracks are told sector by sector.
  std::int64_t block_at(std::int64_t slot, bool with_defects) const {
    const std::int64_t region = slot / region_;
    if (with_defects)
      for (auto pair = zone_.defects.rbegin(); pair != zone_.defects.rend(); ++pair) {
        if (slot == pair->first) return kRemapped;
        if (slot == pair->second) return kSlipped;
      }
    std::int64_t block = 0;
    for (auto slip = zone_.slips.rbegin(); slip != zone_.slips.rend(); ++slip) {
      if (slot == *slip) return kSlipped;
      if (slot < *slip) continue;
      if (is_zone() || *slip / region_ == region)
        --slot;
      else if (is_per_cylinder() && to_end_)
        --block;
    }
    return block_without_slips(slot, region, block);
  }

  std::int64_t block_without_slips(std::int64_t slot, std::int64_t region,
                                   std::int64_t block) const {
    if (is_zone()) {
      if (slot >= zone_.blocks) return kSlipped;
      block += slot;
    } else {
      const std::int64_t offset = slot % region_;
      if (at_front_ ? offset < zone_.spares : offset >= kept_) return kSlipped;
      if (is_per_cylinder()) region = slot / region_;
      block += region * kept_ + offset - (at_front_ ? zone_.spares : 0);
    }
    block -= zone_.dead;
    return block < 0 ? kSlipped : block;
  }

  std::int64_t end_of_track(std::int64_t track, bool first) const {
    std::int64_t remapped = 0;
    for (std::int64_t i = 0; i < zone_.sectors; ++i) {
      const std::int64_t sector = first ? i : zone_.sectors - 1 - i;
      const std::int64_t block = block_at(track * zone_.sectors + sector, true);
      if (block == kRemapped) ++remapped;
      if (block >= 0) return first ? std::max<std::int64_t>(block - remapped, 0) : block + remapped;
    }
    return kSlipped;
  }

  const G1Zone& zone_;
  std::int64_t scheme_, cylinder_, region_ = 1, kept_ = 1;
  bool at_front_ = false, to_end_ = false;
};

class Walk {
 public:
  explicit Walk(const G1Drive& drive) : drive_(drive) {}

  std::vector<BadBlocks> take() {
    std::int64_t first_block = 0;
    for (const G1Zone& zone : drive_.zones) {
      if (zone.blocks < 1) continue;
      walk_tracks(zone, first_block);
      look_at_defects(zone, first_block);
      first_block += zone.blocks;
    }
    std::ranges::sort(found_, {}, &BadBlocks::first);
    return std::move(found_);
  }

 private:
  bool is_full() const {
    constexpr std::size_t kMostTold = 10'000;
    return found_.size() >= kMostTold;
  }

  void add(std::int64_t first, std::int64_t last, const char* why) {
    if (!is_full()) found_.push_back({first, last, why});
  }

  // Places grow with blocks along a track, so that its two ends stand for all between them.
  void walk_tracks(const G1Zone& zone, std::int64_t first_block) {
    const ZoneTranslation translation(zone, drive_);
    const std::int64_t width = zone.sectors * drive_.surfaces;
    for (std::int64_t block = 0; block < zone.blocks && !is_full();) {
      const PlaceOfBlock place = translation.place_of(block);
      const std::int64_t cylinder = zone.first + place.slot / width;
      if (!place.remapped && (cylinder > zone.last || cylinder >= drive_.cylinders)) {
        add(first_block + block, first_block + zone.blocks - 1,
            "lie behind the last cylinder of their zone, or of the drive");
        return;
      }
      const TrackBlocks track = translation.blocks_of_track(place.slot);
      if (place.remapped || (track.first <= block && block <= track.last)) {
        const std::int64_t last = place.remapped ? block : std::min(track.last, zone.blocks - 1);
        block = last_on_track(translation, translation.track_of(place.slot), block, last) + 1;
        continue;
      }
      add(first_block + block, first_block + block,
          "lie on a track that begins and ends with other blocks by DiskSim's way back from place "
          "to block");
      ++block;
    }
  }

  // The ones behind are said to lie on the track, and do not.
  static std::int64_t last_on_track(const ZoneTranslation& translation, std::int64_t track,
                                    std::int64_t first, std::int64_t last) {
    while (last > first) {
      const PlaceOfBlock place = translation.place_of(last);
      if (place.remapped || translation.track_of(place.slot) == track) break;
      --last;
    }
    return last;
  }

  void look_at_defects(const G1Zone& zone, std::int64_t first_block) {
    if (drive_.scheme == kTracks) return;  // whole tracks are no remapped blocks to DiskSim
    const ZoneTranslation translation(zone, drive_);
    for (const auto& [defect, spare] : zone.defects) {
      const std::int64_t guess = drive_.scheme == kPerTrack
                                     ? translation.blocks_of_track(defect).first
                                     : translation.block_slipped_to(defect);
      if (guess < 0) continue;
      const std::int64_t end = drive_.scheme == kPerTrack ? guess + zone.sectors : guess + 1;
      for (std::int64_t block = guess; block < std::min(end, zone.blocks); ++block)
        if (translation.place_of(block).remapped)
          add(first_block + block, first_block + block,
              "are remapped, and DiskSim never sees the sectors of remapped blocks");
    }
  }

  const G1Drive& drive_;
  std::vector<BadBlocks> found_{};
};

}  // namespace

constexpr std::int64_t kNear = 32;  // blocks, to either side of a slip

std::int64_t cost_of_order(const G1Zone& zone) {
  const auto slips = static_cast<std::int64_t>(zone.slips.size());
  return 2 * slips * (zone.blocks / zone.sectors + 1 + 2 * kNear * slips);
}

bool is_moved_by_order(const G1Zone& zone, const G1Drive& drive) {
  G1Zone sorted = zone;
  std::ranges::sort(sorted.slips);
  const ZoneTranslation as_told(zone, drive), in_order(sorted, drive);
  const auto differs = [&](std::int64_t block) {
    return as_told.place_of(block).slot != in_order.place_of(block).slot;
  };
  for (std::int64_t block = 0; block < zone.blocks; block += zone.sectors)
    if (differs(block)) return true;
  for (const std::int64_t slip : zone.slips) {
    const std::int64_t first = std::max<std::int64_t>(in_order.about(slip) - kNear, 0);
    for (std::int64_t block = first; block < std::min(first + 2 * kNear, zone.blocks); ++block)
      if (differs(block)) return true;
  }
  return false;
}

std::vector<BadBlocks> walk_g1(const G1Drive& drive) { return Walk(drive).take(); }

}  // namespace platter::emit_disksim_check
