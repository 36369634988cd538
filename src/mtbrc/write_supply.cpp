#include "mtbrc/write_supply.h"

#include <cmath>
#include <map>

#include "mtbrc/seek.h"

namespace platter::mtbrc {
namespace {

constexpr std::uint32_t kSizes[] = {4, 8, 16};
constexpr std::uint32_t kGlance = 8;  // blocks
constexpr double kSigmas = 4, kShows_ns = 15e3;

std::optional<statistics::Estimate> on_one_track(const Samples& samples,
                                                 const engine::LayoutMap& map,
                                                 const model::Rotation& rotation, bool after_write,
                                                 std::uint32_t blocks) {
  const model::Parameter found = estimate_same_track(samples, map, rotation, true, after_write,
                                                     blocks);
  if (!found) return std::nullopt;
  return statistics::Estimate{*found.value * 1e6, *found.error * 1e6, found.samples};
}

bool later(const std::optional<statistics::Estimate>& than,
           const std::optional<statistics::Estimate>& that) {
  return than && that &&
         than->value - that->value > kShows_ns + kSigmas * std::hypot(than->error, that->error);
}

}  // namespace

std::optional<WriteSupply> write_supply(const Samples& samples, const engine::LayoutMap& map,
                                        const model::Rotation& rotation) {
  const auto of = [&](std::uint32_t blocks) {
    return on_one_track(samples, map, rotation, false, blocks);
  };
  // The two smallest sizes that wait for their data: a drive may wait for no more than so many.
  std::map<std::uint32_t, statistics::Estimate> waiting;
  const auto one = of(1);
  for (const std::uint32_t size : kSizes)
    if (const auto several = of(size); later(several, one)) waiting[size] = *several;
  if (waiting.size() < 2) return std::nullopt;
  const auto& [few, less] = *waiting.begin();
  const auto& [many, more] = *std::next(waiting.begin());
  if (!later(more, less)) return std::nullopt;
  const double apart = many - few, share = few / apart;
  WriteSupply found;
  found.block = {(more.value - less.value) / apart, std::hypot(more.error, less.error) / apart,
                 less.samples + more.samples};
  found.begins = {less.value - few * found.block.value,
                  std::hypot((1 + share) * less.error, share * more.error), found.block.samples};
  const statistics::Estimate alone{one->value - found.begins.value,
                                   std::hypot(one->error, found.begins.error), one->samples};
  found.over = {alone.value - found.block.value, std::hypot(alone.error, found.block.error),
                alone.samples};
  if (found.over.value > kShows_ns + kSigmas * found.over.error) found.least = alone;
  return found;
}

void measure_write_supply(Context& context, const std::vector<engine::Track>& tracks,
                          double target_error_ms) {
  const auto of = [&](bool after_write, std::uint32_t blocks) {
    return on_one_track(context.samples, *context.map, context.rotation, after_write, blocks);
  };
  const auto measure = [&](bool after_write, std::uint32_t blocks, double error_ms) {
    const auto known = of(after_write, blocks);
    if (blocks > context.drive.most_blocks()) return;
    if (!known || known->error > 1e6 * error_ms)
      measure_same_track(context, true, after_write, error_ms, tracks, blocks);
  };
  const auto measure_sizes = [&](double error_ms) {
    std::size_t waiting = 0;
    for (const std::uint32_t size : kSizes) {
      if (waiting >= 2) return;
      measure(false, size, error_ms);
      waiting += later(of(false, size), of(false, 1)) ? 1 : 0;
    }
  };
  // Writes after writes are the cheaper ones.
  constexpr double kGlanceError_ms = 0.012, kDoubt = 1.5;
  measure(true, kGlance, kGlanceError_ms);
  if (!later(of(true, kGlance), of(true, 1))) return;
  measure(false, 1, target_error_ms);
  measure_sizes(kGlanceError_ms);
  const auto supply = write_supply(context.samples, *context.map, context.rotation);
  // Where a write's data begin is drawn from two sizes, by two to three of their errors.
  if (supply && supply->over.value > kShows_ns + kDoubt * supply->over.error)
    measure_sizes(target_error_ms / 2);
}

}  // namespace platter::mtbrc
