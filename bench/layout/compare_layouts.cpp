#include "compare_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/layout_map.h"
#include "virtual_drive/defects.h"

namespace platter::bench {
namespace {

// Walks a map's blocks upward.
class Walker {
 public:
  explicit Walker(const engine::LayoutMap& map) : map_(map) {}

  struct Stretch {  // blocks up to `end`, not included, lie side by side on one track
    engine::Pbn place;
    std::uint64_t end = 0, slot = 0;
    std::uint32_t sectors = 0;  // of the track
  };
  Stretch at(std::uint64_t lbn) {
    const auto run = map_.run_at(lbn);
    map_.go_to_track(run.slot, track_);
    const std::uint64_t left = track_.first_slot + track_.sectors - run.slot;
    return {
        {track_.cylinder, track_.head, static_cast<std::uint32_t>(run.slot - track_.first_slot)},
        std::min(run.end, lbn + left),
        run.slot,
        track_.sectors};
  }

 private:
  const engine::LayoutMap& map_;
  engine::Track track_;
};

std::string words(const engine::Pbn& place) {
  return fmt::format("{}/{}/{}", place.cylinder, place.head, place.sector);
}

bool same_track(const engine::Pbn& a, const engine::Pbn& b) {
  return a.cylinder == b.cylinder && a.head == b.head;
}

// What the drive's numbers say of slots.
struct Told {
  bool slots = true;      // the number is the slot; else:
  bool distances = true;  // numbers are counted from the index, slipped sectors have one
  bool lowest = true;     // the drive says which numbers there are
  std::vector<std::uint64_t> unnumbered;  // slots
};

bool names(const std::vector<std::string>& formats, const char* format) {
  return std::ranges::find(formats, format) != formats.end();
}

// Page 40h speaks of sectors, else in bytes from the index. Lists name slipped sectors by the slot,
// whatever page 40h counts by.
Told told_by(const model::DriveModel& drive) {
  const model::Firmware& firmware = *drive.firmware;
  const bool sectors = names(firmware.address_formats, "physical sector");
  Told told;
  told.lowest = firmware.translates_back;
  told.distances = !sectors || firmware.sector_numbers == "from index" ||
                   names(firmware.address_formats, "bytes from index");
  told.slots = sectors && (firmware.sector_numbers == "from first" ||
                           (firmware.sector_numbers == "without slipped" && firmware.defect_list));
  if (sectors && firmware.sector_numbers == "without slipped" && !told.slots) {
    told.unnumbered = virtual_drive::defects_of(drive).primary;
    std::ranges::sort(told.unnumbered);
  }
  return told;
}

// Blocks of one track that lie side by side in both maps.
struct Piece {
  std::uint64_t lbn = 0, count = 0;
  std::uint32_t truly = 0, found = 0;  // slots within the track
  std::uint32_t number = 0;            // of the first one, by the drive; without slipped ones
};

struct TrackPieces {
  engine::Pbn place;  // of its first block, truly
  std::uint32_t sectors = 0, found_sectors = 0;
  std::vector<Piece> pieces;

  std::uint32_t shift(const Piece& piece) const {
    return (piece.truly + sectors - piece.found % sectors) % sectors;
  }
  bool equal() const {
    return std::ranges::all_of(pieces,
                               [](const Piece& piece) { return piece.truly == piece.found; });
  }
  // The whole track lies so many slots further; sectors are numbered around it.
  bool turned() const {
    return sectors == found_sectors && std::ranges::all_of(pieces, [this](const Piece& piece) {
             return shift(piece) == shift(pieces.front());
           });
  }
  // The map's free slots can be those without a number: numbers go up as the map's slots do or more
  // slowly, and side by side where the map has no slot between.
  bool same_order() const {
    std::int64_t unnumbered = 0;
    return std::ranges::all_of(pieces, [&unnumbered](const Piece& piece) {
      const std::int64_t before = std::int64_t{piece.found} - piece.number;
      return before >= std::exchange(unnumbered, before);
    });
  }
};

class Judge {
 public:
  Judge(const model::DriveModel& truth, const model::Layout& found)
      : told_(told_by(truth)), a_(truth.layout), b_(found), found_(found) {}

  Comparison compare() {
    for (const auto& range : found_.not_understood)
      result_.not_claimed += range.last_lbn - range.first_lbn + 1;
    if (a_.blocks() != b_.blocks()) {
      result_.first_difference = fmt::format("{} blocks, found {}", a_.blocks(), b_.blocks());
      result_.other_track = std::max(a_.blocks(), b_.blocks());
      return result_;
    }
    walk();
    end_track();
    judge_remapped();
    judge_base();
    if (result_.first_difference.empty()) result_.first_difference = first_shifted_;
    return std::move(result_);
  }

 private:
  void walk() {
    Walker truly(a_), as_found(b_);
    auto unclear = found_.not_understood.begin();
    for (std::uint64_t lbn = 0; lbn < a_.blocks();) {
      while (unclear != found_.not_understood.end() && unclear->last_lbn < lbn) ++unclear;
      if (unclear != found_.not_understood.end() && unclear->first_lbn <= lbn) {
        lbn = unclear->last_lbn + 1;
        continue;
      }
      const auto x = truly.at(lbn), y = as_found.at(lbn);
      std::uint64_t end = std::min(x.end, y.end);
      if (unclear != found_.not_understood.end()) end = std::min(end, unclear->first_lbn);
      see(lbn, end, x, y);
      lbn = end;
    }
  }

  void see(std::uint64_t lbn, std::uint64_t end, const Walker::Stretch& x,
           const Walker::Stretch& y) {
    if (!same_track(x.place, y.place)) {
      result_.other_track += end - lbn;
      if (a_.is_remapped(lbn)) ++result_.remapped_other_track;
      differs(lbn, x.place, y.place);
      return;
    }
    if (a_.is_remapped(lbn) || b_.is_remapped(lbn)) {
      if (x.place != y.place) remapped_.push_back({lbn, end - lbn, x, y});
      return;
    }
    if (track_.pieces.empty() || !same_track(track_.place, x.place)) {
      end_track();
      track_.place = x.place;
      track_.sectors = x.sectors;
      track_.found_sectors = y.sectors;
    }
    const auto first = std::ranges::lower_bound(told_.unnumbered, x.slot - x.place.sector);
    const auto here = std::ranges::lower_bound(told_.unnumbered, x.slot);
    track_.pieces.push_back({lbn, end - lbn, x.place.sector, y.place.sector,
                             x.place.sector - static_cast<std::uint32_t>(here - first)});
  }

  void end_track() {
    if (track_.pieces.empty()) return;
    const bool is_right = track_.equal();
    if (is_right || told_.slots) one_further_ &= !is_right && all_one_further();
    if (!is_right) {
      const bool as_told = !told_.slots && (!told_.distances || track_.turned()) &&
                           (told_.unnumbered.empty() || track_.same_order());
      if (as_told && told_.distances)
        turned_[{track_.place.cylinder, track_.place.head}] = track_.shift(track_.pieces.front());
      for (const Piece& piece : track_.pieces) {
        if (piece.truly == piece.found) continue;
        const engine::Pbn found{track_.place.cylinder, track_.place.head, piece.found};
        const engine::Pbn truly{track_.place.cylinder, track_.place.head, piece.truly};
        (as_told ? result_.shifted : result_.other_sector) += piece.count;
        differs(piece.lbn, truly, found, as_told);
      }
    }
    track_.pieces.clear();
  }

  bool all_one_further() const {
    return std::ranges::all_of(track_.pieces,
                               [](const Piece& piece) { return piece.truly == piece.found + 1; });
  }

  // Remapped blocks move with the track that they lie on.
  void judge_remapped() {
    for (const auto& [lbn, count, x, y] : remapped_) {
      const auto turned = turned_.find({x.place.cylinder, x.place.head});
      const bool as_told = told_.distances && !told_.slots && turned != turned_.end() &&
                           x.sectors == y.sectors &&
                           (y.place.sector + turned->second) % x.sectors == x.place.sector;
      (as_told ? result_.shifted : result_.other_sector) += count;
      if (!as_told && a_.is_remapped(lbn)) ++result_.remapped_other_sector;
      differs(lbn, x.place, y.place, as_told);
    }
  }

  // Numbers begin at 0 or at 1. A drive whose tracks all begin with a spare, and which does not say
  // that there is a sector 0, does not tell which.
  void judge_base() {
    const bool unknown = told_.slots && !told_.lowest && one_further_ && result_.other_track == 0;
    if (!unknown) return;
    result_.shifted += std::exchange(result_.other_sector, 0);
  }

  void differs(std::uint64_t lbn, const engine::Pbn& truly, const engine::Pbn& found,
               bool as_told = false) {
    std::string& first = as_told ? first_shifted_ : result_.first_difference;
    if (!first.empty()) return;
    first = fmt::format("block {}: true {}, found {}{}", lbn, words(truly), words(found),
                        a_.is_remapped(lbn) ? " (remapped)" : "");
  }

  struct RemappedPiece {
    std::uint64_t lbn = 0, count = 0;
    Walker::Stretch truly, found;
  };
  Told told_;
  engine::LayoutMap a_, b_;
  const model::Layout& found_;
  Comparison result_;
  TrackPieces track_;
  std::vector<RemappedPiece> remapped_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> turned_;  // tracks, by so much
  bool one_further_ = true;
  std::string first_shifted_;
};

}  // namespace

Comparison compare(const model::DriveModel& truth, const model::Layout& found) {
  return Judge(truth, found).compare();
}

}  // namespace platter::bench
