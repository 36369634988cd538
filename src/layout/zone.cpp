#include "layout/zone.h"

namespace platter::layout {

void Zone::mark_absent() {
  if (head_sectors.empty()) return;
  const std::uint64_t longest = slots.sectors(), prefix = order.met_before_cycle();
  // An order that still goes on from head to head: as far as there are heads.
  const bool goes_on = order.head_step() != 0;
  const std::uint64_t end = prefix + order.cycle() * (goes_on ? head_sectors.size() : 1);
  std::vector<SpareSeries> absent;
  for (std::uint64_t track = 0; track < end; ++track) {
    const std::uint64_t sectors = sectors_of(track);
    if (sectors == longest) continue;
    const bool once = goes_on || track < prefix;
    absent.push_back({first_slot(track) + sectors, longest - sectors, order.cycle() * longest,
                      once ? 1 : SpareSeries::kOpen});
  }
  slots.set_absent(std::move(absent));
}

}  // namespace platter::layout
