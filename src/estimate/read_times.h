// What timed reads and SEEK commands of the same distances say together: the time of a read that
// moves nothing, the MTBRCs and SEEK times of every distance, and the constant between them.
#pragma once

#include "estimate/evidence.h"
#include "estimate/same_track.h"
#include "estimate/seek_commands.h"
#include "statistics/threshold.h"

namespace platter::estimate {

struct ReadTimes {
  model::Parameter same_track;       // MTBRC on one track
  bool apart = false;                // seeks inward and outward take other times
  SeekTimes mtbrcs, commands;        // of moves over cylinders, each direction apart if they are
  std::optional<Constant> constant;  // of commands over MTBRCs; nullopt: SEEK tells nothing
  // What is thought of a trial that moves the arm: its spread as most distances have it.
  statistics::ThresholdPrior trial;
  // The MTBRC of a read without a move, ns: by a SEEK to the track where the arm is, if that bears
  // out the MTBRC on one track (which positioning noise can only delay), else that. nullopt:
  // neither.
  std::optional<statistics::Estimate> still;
  bool still_by_commands = false;
  double host_unsure_ns = 0;  // by the host's delay (host.h)

  // Over that distance, the mean of both directions; nullopt: not known.
  std::optional<statistics::Estimate> of(const SeekTimes& times, std::uint32_t distance) const;
  // A SEEK's time as the MTBRC of the same move, the constant's own error not in it. `constant`
  // must be there.
  statistics::Estimate as_mtbrc(const statistics::Estimate& command) const;
  // The move that its MTBRC and its SEEK tell (one of them may be missing; `constant` must be there
  // for a SEEK), ns, from a read that moves nothing. Where SEEK tells both, the constant between
  // SEEKs and MTBRCs drops out, and with it its error. `still` must be there.
  statistics::Estimate move(const std::optional<statistics::Estimate>& mtbrc,
                            const std::optional<statistics::Estimate>& command) const;
};

ReadTimes estimate_read_times(const Evidence& evidence, const SameTrack& same_track);

}  // namespace platter::estimate
