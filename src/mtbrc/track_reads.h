// Timed reads of the sectors of one track, and re-reads of the run's reference sector between them:
// what all experiments about angles are made of. Where no block may be read twice, other sectors of
// the reference's track stand for it, whose angles behind it the map tells, and when these are used
// up those of the tracks before.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "engine/layout_map.h"
#include "estimate/samples.h"
#include "mtbrc/access.h"

namespace platter::mtbrc {

// An LBN at or after slot `from` of the track (counted in turning order, around), in its own place.
std::optional<std::uint64_t> readable_near(const engine::LayoutMap& map, std::uint64_t track_slot,
                                           std::uint32_t sectors, std::uint64_t from);
// The same; where no block may be read twice, one that had not been read.
std::optional<std::uint64_t> accessible_near(const Context& context, const engine::LayoutMap& map,
                                             std::uint64_t track_slot, std::uint32_t sectors,
                                             std::uint64_t from);
// The last one of the track.
std::optional<std::uint64_t> last_readable(const engine::LayoutMap& map, std::uint64_t track_slot,
                                           std::uint32_t sectors);

class ReferenceReads {
 public:
  // Of the sector that earlier samples refer to, else of the map's first. `every_ns`: how long a
  // phase is good; `reads`: commands for each look.
  ReferenceReads(Accesses& accesses, Context& context, const engine::LayoutMap& map,
                 Nanoseconds every_ns, std::uint32_t reads);

  std::uint64_t lbn() const { return reference_; }
  // Looks where the reference is, unless that was done a short time ago.
  void refresh();
  void refresh_now();
  // Many reads in a row: the first phase, and how far one completion scatters (in revolutions).
  // Throws Error(drive_error) if the sector cannot be read.
  double begin();
  double phase_rev() const { return phase_rev_; }  // of its completions, modulo 1

 private:
  std::optional<estimate::Sample> look();
  std::optional<std::uint64_t> fresh_on_track();
  bool go_to_track_before();
  double angle_on_track_rev(std::uint64_t lbn) const;

  Accesses& accesses_;
  Context& context_;
  std::uint64_t reference_;
  const engine::LayoutMap& map_;
  Nanoseconds every_ns_;
  std::uint32_t reads_;
  Nanoseconds last_ns_ = std::numeric_limits<Nanoseconds>::min() / 2;
  double phase_rev_ = 0;
  std::uint32_t session_ = 0;  // of which it is
  // Where no block may be read twice: whose sectors stand for the reference, and how far behind the
  // reference's end it begins.
  engine::Track track_;
  double behind_rev_ = 0;
};

}  // namespace platter::mtbrc
