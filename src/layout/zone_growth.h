// A zone is followed past a track behind which the next one is not where it should be: the track is
// measured, and what differs there is put into the map, or another zone begins.
#pragma once

#include <cstdint>

#include "layout/attempts.h"
#include "layout/block_repairs.h"
#include "layout/map_and_drive.h"
#include "layout/outcome.h"
#include "layout/zone_start.h"

namespace platter::layout {

class ZoneGrowth : MapAndDrive {
 public:
  ZoneGrowth(const MapAndDrive& all, ZoneStart& starts, BlockRepairs& repairs, Attempts& attempts)
      : MapAndDrive(all), starts_(starts), repairs_(repairs), attempts_(attempts) {}

  // Track `track` begins where it should, the next one does not.
  Outcome pass(std::size_t zone, std::uint64_t track);

 private:
  Outcome repair_next(std::size_t zone, std::uint64_t track);
  Outcome fit_length(std::size_t zone, std::uint64_t track, const TrackMeasure& found);
  Outcome fit_asked_length(std::size_t zone, std::uint64_t track, const TrackMeasure& found,
                           std::uint32_t length);
  Outcome lengthen(std::size_t zone, std::uint64_t track, const TrackMeasure& found);
  bool head_grows(std::size_t zone, std::uint64_t track, const TrackMeasure& found);
  Outcome land(std::size_t zone, std::uint64_t track, std::uint64_t lbn);
  Outcome begin_next(std::size_t zone, std::uint64_t lbn);
  Outcome skipped_ahead(std::size_t zone, std::uint64_t track, std::uint64_t lbn,
                        std::uint32_t front);
  Outcome goes_on_behind(Zone& zone, std::uint64_t track, std::uint64_t end);
  Outcome order_turns(std::size_t zone, std::uint64_t track, std::uint64_t lbn,
                      std::uint32_t front);
  Outcome spares_go_on(Zone& zone, SlotRange from, std::uint64_t end);
  Outcome spares_are_used(Zone& zone, const SpareSeries& series, std::uint64_t occurrence,
                          std::uint64_t end);
  Outcome spares_agree(const Zone& zone, SlotRange spares, std::uint64_t track, std::uint64_t end);
  bool order_goes_on(std::size_t zone, std::uint64_t track, std::uint64_t lbn, std::uint32_t front);
  bool tracks_are_as_long(const Zone& zone, std::uint64_t lbn, std::uint32_t front);

  ZoneStart& starts_;
  BlockRepairs& repairs_;
  Attempts& attempts_;
};

}  // namespace platter::layout
