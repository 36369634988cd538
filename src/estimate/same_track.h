// MTBRC(1-sector access, 1-sector access) on one track, ms: the constant part of every access.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "estimate/evidence.h"
#include "statistics/threshold.h"

namespace platter::estimate {

// Of each kind that was tried.
struct SameTrack {
  struct Kind {
    bool write = false, after_write = false;  // and what came before it
    bool verify = false;
    std::uint32_t blocks = 1;
    auto operator<=>(const Kind&) const = default;
  };
  std::map<Kind, statistics::Threshold> found;
  double period_ns = 0;
  std::uint32_t write_unit = 1;
  bool by_verifies = false;

  // Of writes those of so many blocks, else of the smallest. Where the media are reached by
  // VERIFYs, what is no write is of these.
  Kind kind(bool write, bool after_write, std::optional<std::uint32_t> blocks = {}) const;
  // ms; absent: too few could be timed.
  model::Parameter of(bool write, bool after_write, std::optional<std::uint32_t> blocks = {}) const;
  // Where the media are reached by VERIFYs: the same of READs of blocks that had not been read
  // before, behind such. Their data's way to the host is not in it: from issue to completion, both
  // as those of any MTBRC.
  model::Parameter reads_among_verifies() const;
  // Of the reads on one track the share that something held up before they reached the media;
  // nullopt: too few reads.
  std::optional<double> late_share() const;
};

SameTrack estimate_same_track(const Evidence& evidence);

// What it is made of, of one kind, for a threshold that is still measured.
std::vector<statistics::CensoredTrial> same_track_trials(const Evidence& evidence,
                                                         const SameTrack::Kind& kind);

}  // namespace platter::estimate
