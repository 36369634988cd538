// The map of a drive while it is made: it grows to the end of the drive, and is repaired wherever a
// block is found elsewhere. Where an answer shows that sector numbers mean something else than was
// taken, all begins anew, with the answers kept.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "layout/agreement.h"
#include "layout/attempts.h"
#include "layout/block_map.h"
#include "layout/block_repairs.h"
#include "layout/defects.h"
#include "layout/irregular_tracks.h"
#include "layout/map_and_drive.h"
#include "layout/outcome.h"
#include "layout/repairs.h"
#include "layout/sector_numbers.h"
#include "layout/sector_slots.h"
#include "layout/survey.h"
#include "layout/track_meter.h"
#include "layout/track_reader.h"
#include "layout/zone_growth.h"
#include "layout/zone_start.h"
#include "model/drive_model.h"

namespace platter::layout {

// How far a map has grown, and what was asked for it.
struct Growth {
  std::uint64_t blocks = 0, translations = 0;  // blocks: up to the last zone's last sure track
  std::size_t zones = 0;
};

class Mapper {
 public:
  // `grown` is told after each step, and ends all by what it throws.
  Mapper(Survey& survey, Defects defects, std::function<void(const Growth&)> grown = {});
  Mapper(const Mapper&) = delete;
  Mapper& operator=(const Mapper&) = delete;

  // Maps up to the last block.
  void grow();
  // Looks a block up; if it is not where it should be, the map is repaired until it is. True if it
  // was right at once.
  bool check(std::uint64_t lbn);
  // Looks a block up and changes nothing.
  bool is_right(std::uint64_t lbn) const {
    return agreement_.matches(map_.zones[map_.zone_of(lbn)], lbn, survey_.at(lbn));
  }

  // Where numbers start at the index: which tracks lack blocks in front. Error(unsupported) if
  // numbers do not mean what was taken.
  void find_fronts();
  // Blocks noted as remapped that lie where they should, by what was learned since.
  void drop_needless_remaps() { block_repairs_.drop_needless_remaps(); }

  // What the map claims nothing about.
  void do_not_understand(std::uint64_t lbn);
  std::vector<model::NotUnderstood> not_understood() const;
  // Questions were no longer allowed: the map is as good as it was then.
  bool ended_early() const { return not_looked_at_.has_value(); }
  bool is_claimed(std::uint64_t lbn) const { return !not_looked_at_ || lbn < *not_looked_at_; }

  const BlockMap& map() const { return map_; }
  const Defects& defects() const { return defects_; }
  const Numbering& numbering() const { return numbers_.numbering(); }
  SectorSlots& slots() { return slots_; }
  // A sector beyond the known length of the tracks exists: they have spares at their end.
  void lengthen(std::size_t zone, std::uint32_t sectors);

 private:
  Outcome begin();
  Outcome advance();
  Outcome advance_to_end();
  Outcome leap();
  static std::uint64_t half_way(const Zone& zone);
  Outcome put_right(std::uint64_t lbn, bool& at_once);
  void begin_again();
  [[noreturn]] void refuse_numbers() const;
  void leave_the_rest();

  Survey& survey_;
  Defects defects_;
  std::function<void(const Growth&)> grown_;
  BlockMap map_;
  SectorNumbers numbers_{survey_, defects_};
  TrackReader reader_{survey_, numbers_, map_};
  TrackMeter meter_{survey_, numbers_, reader_, map_};
  Agreement agreement_{survey_, numbers_, map_};
  MapAndDrive all_{map_, survey_, numbers_, reader_, meter_, agreement_};
  Attempts attempts_{survey_};
  ZoneStart starts_{all_};
  BlockRepairs block_repairs_{all_};
  ZoneGrowth growth_{all_, starts_, block_repairs_, attempts_};
  Repairs repairs_{all_, block_repairs_, growth_, attempts_};
  IrregularTracks irregular_{all_, starts_, attempts_};
  SectorSlots slots_{survey_, numbers_, reader_, map_};
  int restarts_ = 0;
  std::optional<std::uint64_t> not_looked_at_;
};

}  // namespace platter::layout
