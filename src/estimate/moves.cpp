#include "estimate/moves.h"

#include <cmath>

namespace platter::estimate {

std::size_t ways_of(const ReadTimes& reads, Over over) {
  return over == Over::cylinders && reads.apart ? 2 : 1;
}

std::size_t way_of(std::int64_t group, std::size_t ways) { return ways > 1 && group < 0 ? 1 : 0; }

Moves moves_of(const Evidence& evidence, Over over, bool write, bool after_write, std::size_t way,
               std::size_t ways) {
  const engine::LayoutMap& map = evidence.map();
  Moves found;
  for (const auto& [access, told] :
       evidence.trials(over == Over::heads ? Experiment::head_switch : Experiment::seek, write)) {
    const bool over_this = over == Over::heads || ((access->group == 1 || access->group == -1) &&
                                                   way_of(access->group, ways) == way);
    if (!over_this || access->after_write != after_write || access->after_completed_ns <= 0)
      continue;
    found.cylinders.push_back(map.track_of_slot(map.slot_of_lbn(access->lbn)).cylinder);
    found.trials.push_back(told);
  }
  return found;
}

std::optional<statistics::Estimate> estimate_of(const std::optional<statistics::Threshold>& found,
                                                double period_ns) {
  if (!found || found->error > 0.1 * period_ns) return std::nullopt;
  return statistics::Estimate{found->value, found->error, found->samples};
}

statistics::Estimate borne_out_move(const ReadTimes& reads, const statistics::Estimate& mtbrc,
                                    std::optional<statistics::Estimate> command) {
  constexpr double kTolerance_ns = 15e3, kSigmas = 4;
  if (!reads.constant) command.reset();
  if (command) {
    const statistics::Estimate freed = reads.as_mtbrc(*command);
    if (std::abs(freed.value - mtbrc.value) >=
        kTolerance_ns + kSigmas * std::hypot(freed.error, mtbrc.error))
      command.reset();
  }
  return reads.move(mtbrc, command);
}

model::Parameter in_ms(const statistics::Estimate& time_ns, const std::string& method) {
  model::Parameter result;
  result.unit = "ms";
  result.method = method;
  result.value = time_ns.value * 1e-6;
  result.error = time_ns.error * 1e-6;
  result.samples = time_ns.samples;
  return result;
}

}  // namespace platter::estimate
