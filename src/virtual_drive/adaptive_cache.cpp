#include "virtual_drive/adaptive_cache.h"

#include <algorithm>
#include <cmath>

namespace platter::virtual_drive {

AdaptiveCache::AdaptiveCache(const model::DriveModel& model) {
  const std::uint32_t fewest =
      model.imperfections ? model.imperfections->adaptive_cache_min_segments : 0;
  const auto most = static_cast<std::uint32_t>(std::max(0.0, model.cache.segments.or_else(0)));
  if (fewest == 0 || fewest >= most) return;
  const double total_blocks = most * model.cache.segment_blocks.or_else(0);
  model::DriveModel divided = model;
  for (std::uint64_t segments = fewest;; segments *= 2) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(segments, most));
    divided.cache.segments.value = count;
    divided.cache.segment_blocks.value = std::floor(total_blocks / count);
    divisions_.push_back({count, engine::Engine(divided)});
    if (count == most) break;
  }
  current_ = divisions_.size() - 1;  // what the model says, and the engine at hand has
}

// Requests that go on where none of those before them ended: each begins a stream.
std::size_t AdaptiveCache::streams() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kWindow; ++i) {
    const auto before = end_.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(end_.begin(), before, first_[i]) == before) ++count;
  }
  return count;
}

std::size_t AdaptiveCache::wanted_division() const {
  const std::size_t wanted = streams();
  for (std::size_t i = 0; i < divisions_.size(); ++i)
    if (divisions_[i].segments >= wanted) return i;
  return divisions_.size() - 1;
}

void AdaptiveCache::follow(engine::Engine& engine, std::uint64_t lbn, std::uint32_t blocks,
                           Nanoseconds now_ns) {
  if (!adapts()) return;
  if (seen_ == kWindow) {
    const std::size_t wanted = wanted_division();
    const bool idle = engine.outstanding() == 0 && engine.synchronize(now_ns) <= now_ns;
    if (wanted != current_ && idle) {
      constexpr Nanoseconds kLongBefore = kSecond;  // the arm is back long before the request
      const engine::CacheSettings settings = engine.cache_settings();
      const std::uint64_t arm_at = end_[kWindow - 1] - 1;
      engine = divisions_[wanted].engine;
      engine.reset(now_ns - kLongBefore);
      engine.set_cache(settings, now_ns - kLongBefore);
      engine.seek(arm_at, now_ns - kLongBefore);
      current_ = wanted;
    }
    if (wanted == current_) seen_ = 0;
  }
  if (seen_ == kWindow) return;
  first_[seen_] = lbn;
  end_[seen_] = lbn + blocks;
  ++seen_;
}

}  // namespace platter::virtual_drive
