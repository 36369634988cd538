#include "mtbrc/write_supply.h"

#include "estimate/estimates.h"
#include "estimate/write_supply.h"
#include "mtbrc/known.h"
#include "mtbrc/seek.h"

namespace platter::mtbrc {

void measure_write_supply(Context& context, const std::vector<engine::Track>& tracks,
                          double target_error_ms) {
  const std::uint32_t unit = context.write_unit(), glance = estimate::sizes_beyond(unit)[1];
  const auto of = [&](bool after_write, std::uint32_t blocks) {
    return estimate::writes_on_one_track(known(context).of<Figure::same_track>(), after_write,
                                         blocks);
  };
  const auto measure = [&](bool after_write, std::uint32_t blocks, double error_ms) {
    const auto so_far = of(after_write, blocks);
    if (blocks > context.drive.most_blocks()) return;
    if (!so_far || so_far->error > 1e6 * error_ms)
      measure_same_track(context, true, after_write, error_ms, tracks, blocks);
  };
  const auto measure_sizes = [&](double error_ms) {
    std::size_t waiting = 0;
    for (const std::uint32_t size : estimate::sizes_beyond(unit)) {
      if (waiting >= 2) return;
      measure(false, size, error_ms);
      waiting += estimate::is_later(of(false, size), of(false, unit)) ? 1 : 0;
    }
  };
  // Writes after writes are the cheaper ones.
  constexpr double kGlanceError_ms = 0.012, kDoubt = 1.5;
  measure(true, glance, kGlanceError_ms);
  if (!estimate::is_later(of(true, glance), of(true, unit))) return;
  measure(false, unit, target_error_ms);
  measure_sizes(kGlanceError_ms);
  const auto supply = known(context).of<Figure::write_supply>();
  // Where a write's data begin is drawn from two sizes, by two to three of their errors.
  if (supply && supply->over.value > estimate::kShows_ns + kDoubt * supply->over.error)
    measure_sizes(target_error_ms / 2);
}

}  // namespace platter::mtbrc
