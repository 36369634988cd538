// A map of a simulated drive, held against that drive's truth at random blocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "layout_by_timing/mapper.h"
#include "layout_by_timing/simulated_bands.h"
#include "statistics/circular.h"

namespace platter::layout_by_timing {

struct Judged {
  double sectors = 0, first_block = 0, within_100 = 0;  // shares of the blocks
  double stated_wrong = 0;  // of the blocks in runs that were seen: another size or 1/100 off
};

inline double middle_angle(std::vector<double> offs) {
  std::vector<int> counts(512, 0);
  for (const double off : offs)
    ++counts[static_cast<std::size_t>(statistics::turn_rev(off) * 511.999)];
  const double about = static_cast<double>(std::ranges::max_element(counts) - counts.begin()) /
                       512.0;
  for (double& off : offs) off = statistics::wrap_rev(off - about);
  std::erase_if(offs, [](double off) { return std::abs(off) > 0.01; });
  return offs.empty() ? about : about + statistics::median(offs);
}

inline Judged judge(const std::vector<Run>& runs, const SimulatedBands& drive) {
  constexpr int kBlocks = 20'000;
  struct Seen {
    bool sectors = false, first_block = false, seen = false;
    double off = 0;
  };
  std::mt19937_64 random(99);
  std::vector<Seen> seen;
  std::vector<double> offs;
  for (int i = 0; i < kBlocks; ++i) {
    const std::uint64_t block = random() % drive.blocks();
    const auto after = std::ranges::upper_bound(runs, block, {}, &Run::first);
    if (after == runs.begin() || block >= std::prev(after)->end()) continue;
    const Run& run = *std::prev(after);
    const SimulatedBands::Truth truth = drive.truth(block);
    std::uint64_t slot = std::uint64_t{run.place_of(block).track} * run.slots;
    while (!run.block_at(slot)) ++slot;
    seen.push_back({run.around() == truth.slots, *run.block_at(slot) == truth.first_block,
                    run.standing == Standing::seen, run.end_of_block_rev(block) - truth.end_rev});
    offs.push_back(seen.back().off);
  }
  Judged judged;
  if (seen.empty()) return judged;
  const double middle = middle_angle(offs);
  for (const Seen& one : seen) {
    const bool near = std::abs(statistics::wrap_rev(one.off - middle)) < 0.01;
    judged.sectors += one.sectors, judged.first_block += one.first_block, judged.within_100 += near;
    judged.stated_wrong += one.seen && !(near && one.sectors);
  }
  for (double* share :
       {&judged.sectors, &judged.first_block, &judged.within_100, &judged.stated_wrong})
    *share /= kBlocks;
  return judged;
}

}  // namespace platter::layout_by_timing
