#include "scsi/read_blocks.h"

#include <algorithm>
#include <iterator>

namespace platter::scsi {

void ReadBlocks::add(const LbnRange& range) {
  LbnRange all = range;
  auto next = last_of_.upper_bound(all.first);
  if (next != last_of_.begin()) {
    const auto before = std::prev(next);
    if (before->second >= all.last) return;
    if (before->second + 1 >= all.first) {
      all.first = before->first;
      next = last_of_.erase(before);
    }
  }
  while (next != last_of_.end() && next->first <= all.last + 1) {
    all.last = std::max(all.last, next->second);
    next = last_of_.erase(next);
  }
  last_of_.emplace_hint(next, all.first, all.last);
}

bool ReadBlocks::any_of(const LbnRange& range) const {
  const auto next = last_of_.upper_bound(range.last);
  return next != last_of_.begin() && std::prev(next)->second >= range.first;
}

}  // namespace platter::scsi
