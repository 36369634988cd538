// How a zone begins: how long its tracks are, in which order, and what it has from zones before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/map_and_drive.h"
#include "layout/outcome.h"

namespace platter::layout {

class ZoneStart {
 public:
  explicit ZoneStart(const MapAndDrive& all)
      : survey_(all.survey), numbers_(all.numbers), reader_(all.reader), map_(all.map) {}

  // The map begins anew with one zone.
  Outcome first_zone();
  // A zone begins with block `lbn`; of those there are, the first `kept` stay.
  Outcome begin(std::size_t kept, std::uint64_t lbn) { return begin(kept, lbn, false); }

  // Tracks of one head are as long as they were at the zone's beginning, though not as those of
  // other heads: the zone begins anew, with a length for each head. Only the last zone can.
  // No, too, where it began anew and the heads are alike after all.
  Outcome heads_differ(std::size_t zone, TrackPlace place, std::uint32_t length);
  // A track is not as long as it should be, and the drive does not say how long tracks are: the
  // zone begins anew with what its first tracks show of each head, if that differs. Looked at less
  // and less often where it does not.
  Outcome heads_seem_to_differ(std::size_t zone);

  // In [first, end) no rule holds that is known here.
  void add_irregular(std::uint64_t first, std::uint64_t end) { irregular_.push_back({first, end}); }
  std::size_t irregular_ranges() const { return irregular_.size(); }
  bool follows_no_rule(std::uint64_t lbn) const;

 private:
  struct BlockRange {
    std::uint64_t first = 0, end = 0;
  };
  struct FirstTracks {
    std::vector<TrackPlace> places;
    std::uint64_t sectors = 1;            // of the longest, as far as blocks show
    std::optional<std::uint32_t> length;  // as the drive says
  };
  Outcome begin(std::size_t kept, std::uint64_t lbn, bool heads_differ);
  Result<FirstTracks> look_at_first_tracks(std::uint64_t lbn, int looked_at, const Zone* before);
  Result<std::uint64_t> span_of_new(std::uint64_t first, std::uint64_t last);
  const Zone* set_order(Zone& zone, const std::vector<TrackPlace>& tracks) const;
  void leave_front_free(Zone& zone);

  Survey& survey_;
  SectorNumbers& numbers_;
  TrackReader& reader_;
  BlockMap& map_;
  std::vector<BlockRange> irregular_;
  std::size_t heads_looked_at_ = 0;  // so many zones before heads are looked at again
};

}  // namespace platter::layout
