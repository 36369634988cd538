#include "layout/impossible_remaps.h"

#include <algorithm>
#include <unordered_map>

#include "engine/layout_map.h"

namespace platter::layout {

std::vector<model::NotUnderstood> take_out_impossible_remaps(model::Layout& layout) {
  std::vector<model::Remap> remaps = std::move(layout.remaps);
  layout.remaps.clear();
  if (remaps.empty()) return {};
  const engine::LayoutMap sequence(layout);
  std::unordered_map<std::uint64_t, int> of_slot, of_lbn;
  for (const model::Remap& remap : remaps) {
    ++of_slot[remap.slot];
    ++of_lbn[remap.lbn];
  }
  const auto why = [&](const model::Remap& remap) -> const char* {
    if (remap.slot >= sequence.slots() || sequence.lbn_of_slot(remap.slot))
      return "a block was remapped to where the map has no spare sector";
    if (of_lbn[remap.lbn] > 1) return "a block was remapped to two places";
    if (of_slot[remap.slot] > 1) return "a block was remapped to where another one was";
    return nullptr;
  };
  std::ranges::stable_sort(remaps, {}, &model::Remap::lbn);
  std::vector<model::NotUnderstood> taken;
  for (const model::Remap& remap : remaps) {
    if (remap.lbn >= sequence.blocks()) continue;  // no block of the map
    if (const char* reason = why(remap)) {
      if (taken.empty() || taken.back().last_lbn != remap.lbn)
        taken.push_back({remap.lbn, remap.lbn, reason});
    } else {
      layout.remaps.push_back(remap);
    }
  }
  return taken;
}

void add_not_understood(std::vector<model::NotUnderstood>& all,
                        const std::vector<model::NotUnderstood>& blocks) {
  for (const model::NotUnderstood& block : blocks) {
    const auto behind = std::ranges::lower_bound(all, block.first_lbn, {},
                                                 &model::NotUnderstood::last_lbn);
    const bool covered = behind != all.end() && behind->first_lbn <= block.first_lbn;
    if (!covered) all.insert(behind, block);
  }
}

}  // namespace platter::layout
