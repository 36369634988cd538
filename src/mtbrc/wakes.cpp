#include "mtbrc/wakes.h"

#include <cmath>
#include <optional>

#include "mtbrc/access.h"

namespace platter::mtbrc {
namespace {

// When the command is to leave for the block to pass `wanted_ns` behind it: a whole number of
// revolutions from where it passed last. A spindle that stopped meanwhile passes somewhere; then
// this is as good a phase as any.
Nanoseconds leave_at(const Context& context, Nanoseconds passed_ns, Nanoseconds rest_ns,
                     double wanted_ns) {
  const double period_ns = context.period_ns();
  const double turns = std::ceil((static_cast<double>(rest_ns) + wanted_ns) / period_ns);
  return passed_ns + static_cast<Nanoseconds>(turns * period_ns - wanted_ns);
}

}  // namespace

bool read_behind_rests(Context& context, std::uint64_t lbn, std::int64_t group,
                       const WakeOptions& options) {
  const Meter meter(context);
  Accesses accesses(context);
  estimate::Bracketing seen(context.period_ns());
  for (std::uint32_t i = 0; i < 2 * options.most && seen.samples() < options.most; ++i) {
    if (meter.exhausted()) break;
    const auto awake = accesses.probe(estimate::Experiment::other, lbn);
    if (!awake) continue;
    const std::optional<estimate::Bracket> known = seen.samples() > 0
                                                       ? std::optional(seen.bracket())
                                                       : std::nullopt;
    const Nanoseconds leaves_ns = known ? leave_at(context, awake->completed_ns, options.rest_ns,
                                                   known->value_ns)
                                        : awake->completed_ns + options.rest_ns;
    context.drive.rest_ns(leaves_ns - context.drive.now_ns());
    const auto sample = accesses.probe(estimate::Experiment::wake, lbn, group);
    if (!sample) continue;
    seen.add(static_cast<double>(sample->completed_ns - sample->issued_ns));
    const estimate::Bracket now = seen.bracket();
    if (seen.samples() >= options.least && now.error_ns < options.enough * now.value_ns) break;
  }
  return seen.samples() >= options.least;
}

}  // namespace platter::mtbrc
