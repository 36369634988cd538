#include "emit/small/distance.h"

#include <algorithm>
#include <cstdlib>

#include "engine/int128.h"
#include "model/interruption.h"

namespace platter::emit_small {
namespace {

using engine::Int128;
using engine::LayoutMap;
using engine::Track;

constexpr std::uint64_t kThirtySecond = std::uint64_t{1} << 59;  // of a revolution

// Walks over the blocks of a map.
class Walk {
 public:
  explicit Walk(const LayoutMap& map) : map_(map) {}

  // From `lbn` on: the first LBN that does not lie behind the one before it on the same track.
  std::uint64_t to(std::uint64_t lbn) {
    const engine::LbnPieces::Run run = map_.run_at(lbn);
    map_.go_to_track(run.slot, track);
    angle = map_.angle_of_slot(track, run.slot);
    return std::min(run.end, lbn + (track.first_slot + track.sectors - run.slot));
  }

  Track track{};
  engine::Angle angle = 0;

 private:
  const LayoutMap& map_;
};

std::uint32_t between(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

}  // namespace

Nanoseconds farthest_seek_ns(const engine::Tables& one, const engine::Tables& other) {
  const std::uint32_t cylinders = std::max(one.layout.cylinders(), other.layout.cylinders());
  const std::uint32_t curves = std::min(one.seeks.curves(), other.seeks.curves());
  Nanoseconds farthest_ns = 0;
  for (std::uint32_t distance = 1; distance < cylinders; ++distance)
    for (std::uint32_t curve = 0; curve < curves; ++curve)
      farthest_ns = std::max(farthest_ns, std::abs(one.seeks.time_ns(distance, curve) -
                                                   other.seeks.time_ns(distance, curve)));
  return farthest_ns;
}

std::uint64_t passing(std::uint64_t from, std::int64_t step, std::uint64_t turns,
                      std::uint64_t width) {
  if (turns == 0) return 0;
  if (step == 0) return from < width ? turns : 0;
  if (step < 0) {  // the same numbers from the last one upwards
    from += static_cast<std::uint64_t>(step) * (turns - 1);
    step = -step;
  }
  const Int128 turn = Int128{1} << 64;
  const Int128 first = from, last = first + Int128{step} * (turns - 1);
  std::uint64_t passed = 0;
  for (Int128 base = 0; base <= last; base += turn) {
    const Int128 low = std::max(first, base), high = std::min(last, base + width - 1);
    if (low > high) continue;
    const Int128 before = (low - first + step - 1) / step;  // steps that end below
    passed += static_cast<std::uint64_t>((high - first) / step - before + 1);
  }
  return passed;
}

MapDistance distance(const LayoutMap& one, const LayoutMap& other) {
  Walk a(one), b(other);
  MapDistance found;
  const std::uint64_t blocks = std::min(one.blocks(), other.blocks());
  std::uint64_t in_phase = 0, turn = 0;
  for (std::uint64_t lbn = 0; lbn < blocks;) {
    if (++turn % 4096 == 0) stop_if_asked();
    const std::uint64_t end = std::min({a.to(lbn), b.to(lbn), blocks});
    found.cylinders = std::max(found.cylinders, between(a.track.cylinder, b.track.cylinder));
    in_phase += passing(a.angle - b.angle + kThirtySecond,
                        static_cast<std::int64_t>(a.track.slot_angle - b.track.slot_angle),
                        end - lbn, 2 * kThirtySecond + 1);
    lbn = end;
  }
  found.in_phase_share = static_cast<double>(in_phase) / static_cast<double>(blocks);
  return found;
}

Glance glance(const LayoutMap& one, const LayoutMap& other, std::uint64_t blocks) {
  Walk a(one), b(other);
  const std::uint64_t all = std::min(one.blocks(), other.blocks());
  const std::uint64_t looks = std::min(blocks, all);
  std::uint64_t cylinders = 0, in_phase = 0;
  for (std::uint64_t i = 0; i < looks; ++i) {
    const auto lbn = static_cast<std::uint64_t>(engine::Uint128{all} * (2 * i + 1) / (2 * looks));
    a.to(lbn);
    b.to(lbn);
    cylinders += between(a.track.cylinder, b.track.cylinder);
    in_phase += a.angle - b.angle + kThirtySecond <= 2 * kThirtySecond;
  }
  const auto n = static_cast<double>(looks);
  return {static_cast<double>(cylinders) / n, static_cast<double>(in_phase) / n};
}

}  // namespace platter::emit_small
