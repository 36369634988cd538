#include "compare_layouts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/layout_map.h"

namespace platter::bench {
namespace {

// Walks a map's blocks upward.
class Walker {
 public:
  explicit Walker(const engine::LayoutMap& map) : map_(map) {}

  struct Stretch {  // blocks up to `end`, not included, lie side by side on one track
    engine::Pbn place;
    std::uint64_t end = 0;
  };
  Stretch at(std::uint64_t lbn) {
    const auto run = map_.run_at(lbn);
    track_ = map_.track_of_slot(run.slot, track_);
    const std::uint64_t left = track_.first_slot + track_.sectors - run.slot;
    return {
        {track_.cylinder, track_.head, static_cast<std::uint32_t>(run.slot - track_.first_slot)},
        std::min(run.end, lbn + left)};
  }

 private:
  const engine::LayoutMap& map_;
  engine::Track track_;
};

std::string words(const engine::Pbn& place) {
  return fmt::format("{}/{}/{}", place.cylinder, place.head, place.sector);
}

}  // namespace

Comparison compare(const model::Layout& truth, const model::Layout& found) {
  const engine::LayoutMap a(truth), b(found);
  Comparison result;
  for (const auto& range : found.not_understood)
    result.not_claimed += range.last_lbn - range.first_lbn + 1;
  if (a.blocks() != b.blocks()) {
    result.first_difference = fmt::format("{} blocks, found {}", a.blocks(), b.blocks());
    result.other_track = std::max(a.blocks(), b.blocks());
    return result;
  }
  Walker truly(a), as_found(b);
  auto unclear = found.not_understood.begin();
  for (std::uint64_t lbn = 0; lbn < a.blocks();) {
    while (unclear != found.not_understood.end() && unclear->last_lbn < lbn) ++unclear;
    if (unclear != found.not_understood.end() && unclear->first_lbn <= lbn) {
      lbn = unclear->last_lbn + 1;
      continue;
    }
    const auto x = truly.at(lbn), y = as_found.at(lbn);
    std::uint64_t end = std::min(x.end, y.end);
    if (unclear != found.not_understood.end()) end = std::min(end, unclear->first_lbn);
    if (x.place != y.place) {
      const bool same_track = x.place.cylinder == y.place.cylinder && x.place.head == y.place.head;
      (same_track ? result.other_sector : result.other_track) += end - lbn;
      if (a.is_remapped(lbn))
        ++(same_track ? result.remapped_other_sector : result.remapped_other_track);
      if (result.first_difference.empty())
        result.first_difference =
            fmt::format("block {}: true {}, found {}{}", lbn, words(x.place), words(y.place),
                        a.is_remapped(lbn) ? " (remapped)" : "");
    }
    lbn = end;
  }
  return result;
}

}  // namespace platter::bench
