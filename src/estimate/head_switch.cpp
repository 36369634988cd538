#include "estimate/head_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "estimate/moves.h"
#include "model/interruption.h"
#include "model/parameters.h"

namespace platter::estimate {

HeadSwitch estimate_head_switch(const Evidence& evidence, const ReadTimes& reads) {
  HeadSwitch result;
  if (evidence.map().heads() < 2) {
    result.time = model::absent("the drive has one head", "ms");
    return result;
  }
  std::vector<statistics::CensoredTrial> all;
  std::map<std::int64_t, std::vector<statistics::CensoredTrial>> by_pair;
  for (const auto& [access, told] : evidence.trials(Experiment::head_switch, false)) {
    if (access->after_write) continue;
    all.push_back(told);
    by_pair[access->group].push_back(told);
  }
  statistics::ThresholdPrior prior = reads.trial;
  const auto found = statistics::fit_threshold(all, prior);
  const auto time = estimate_of(found, evidence.period_ns());
  if (!reads.still || !time) {
    result.time = model::absent(reads.still
                                    ? "too few head switches within a cylinder could be timed"
                                    : reads.same_track.reason,
                                "ms");
    return result;
  }
  result.time = in_ms(borne_out_move(reads, *time, command_switch_time(evidence.samples())),
                      "MTBRC to another head, less MTBRC on one track");

  // Do pairs differ? Their scatter about the whole against what their errors explain.
  prior.spread = found->spread;
  prior.log_width = 0.3;
  double excess = 0, chi_squared = 0, pairs = 0;
  for (const auto& [pair, mine] : by_pair) {
    if (mine.size() < 6) continue;
    stop_if_asked();
    const auto one = statistics::fit_threshold(mine, prior);
    if (!one || one->error > 3 * found->spread) continue;
    const double off = one->value - found->value;
    chi_squared += off * off / (one->error * one->error);
    excess += off * off - one->error * one->error;
    pairs += 1;
  }
  // A chi-squared of n has mean n and standard deviation sqrt(2 n); five of them are beyond chance.
  if (pairs >= 3 && chi_squared > 1.5 * pairs + 5 * std::sqrt(2 * pairs)) {
    result.uniform = false;
    result.spread_ms = std::sqrt(std::max(excess, 0.0) / pairs) * 1e-6;
    result.notes.push_back(
        fmt::format("head switches differ between pairs of heads: {:.3f} ms standard deviation "
                    "over {:.0f} pairs",
                    result.spread_ms, pairs));
  }
  return result;
}

}  // namespace platter::estimate
