#include "replay/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "model/error.h"
#include "model/interruption.h"

namespace platter::replay {

constexpr std::uint64_t kReadBlocks = 128;

void Contents::want(const LbnRange& range) {
  std::uint64_t first = range.first, end = range.last + 1;
  auto run = runs_.upper_bound(first);
  if (run != runs_.begin() && std::prev(run)->second.end >= first) --run;
  while (run != runs_.end() && run->first <= end) {
    first = std::min(first, run->first);
    end = std::max(end, run->second.end);
    run = runs_.erase(run);
  }
  runs_[first].end = end;
}

void Contents::learn(scsi::Drive& drive, const Learned& learned) {
  for (auto& [first, run] : runs_) {
    const std::uint64_t most = std::min<std::uint64_t>(kReadBlocks, drive.most_blocks());
    for (std::uint64_t lbn = first; lbn < run.end; lbn += most) {
      stop_if_asked();
      const auto blocks = static_cast<std::uint32_t>(std::min(most, run.end - lbn));
      const std::vector<std::uint8_t> bytes = drive.contents(lbn, blocks);
      if (learned) learned(lbn, bytes);
      run.bytes.insert(run.bytes.end(), bytes.begin(), bytes.end());
    }
  }
}

std::vector<std::uint8_t> Contents::of(std::uint64_t lbn, std::uint32_t blocks) const {
  const auto run = std::prev(runs_.upper_bound(lbn));
  const auto begin = run->second.bytes.begin() +
                     static_cast<std::ptrdiff_t>((lbn - run->first) * block_bytes_);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::size_t{blocks} * block_bytes_)};
}

}  // namespace platter::replay
