// The largest x for which a hypothesis holds, from probes at several x: how many segments, how far
// read-ahead goes. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "cache_probe/record.h"
#include "cache_probe/responses.h"
#include "cache_probe/verdict.h"

namespace platter::cache_probe {

// A hit may start read-ahead again, so that only the first probe of a setup tells how far what was
// read goes; that a segment is still there every probe tells.
bool later_probes_count(Question question);

Tally tally_of(const Record& record, Question question, std::int64_t x);
std::map<std::int64_t, Tally> tallies_of(const Record& record, Question question);
bool is_fast(const Record& record, const Observation& seen);

Judgement judge(const Record& record, Question question, std::int64_t x);

// Hits up to `last_hit`, misses from `first_miss` on: the cut with the highest likelihood.
struct Edge {
  std::int64_t last_hit = 0;               // largest x probed that hits
  std::optional<std::int64_t> first_miss;  // smallest x probed beyond; nullopt: none missed
  // Cuts outside these two are 1000 times less likely.
  std::int64_t sure_hit = 0;
  std::optional<std::int64_t> sure_miss;
  bool mixed = false;  // between the two the drive both hits and misses
  std::uint64_t samples = 0;

  double error() const;  // half of the range that remains open, 0 if it is one x wide
};

// nullopt: nothing was probed, or the smallest x misses.
std::optional<Edge> edge_of(const Record& record, Question question);

// Of the two ways to count segments the one that found more.
Question segments_counted_by(const Record& record);

}  // namespace platter::cache_probe
