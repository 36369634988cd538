#include "memory.h"

#include <algorithm>
#include <iterator>

namespace today {

bool Memory::holds(std::int64_t first, std::int64_t end) {
  auto after = by_first_.upper_bound(first);
  if (after == by_first_.begin()) return false;
  const Line::iterator one = std::prev(after)->second;
  if (end > one->end) return false;
  line_.splice(line_.end(), line_, one);
  return true;
}

void Memory::drop(Line::iterator one) {
  held_ -= one->end - one->first;
  by_first_.erase(one->first);
  by_name_.erase(one->name);
  line_.erase(one);
}

void Memory::forget(std::int64_t first, std::int64_t end) {
  auto at = by_first_.upper_bound(first);
  if (at != by_first_.begin()) --at;
  while (at != by_first_.end() && at->first < end) {
    const Line::iterator one = (at++)->second;
    if (one->end <= first) continue;
    if (one->first < first) {  // what lies in front stays
      held_ -= one->end - first;
      one->end = first;
    } else {
      drop(one);
    }
  }
}

std::int64_t Memory::add(std::int64_t first, std::int64_t end) {
  forget(first, end);
  line_.push_back({first, end, ++names_});
  const Line::iterator one = std::prev(line_.end());
  by_first_[first] = one;
  by_name_[one->name] = one;
  held_ += end - first;
  const std::int64_t name = one->name;
  shrink(name);
  return name;
}

bool Memory::extend(std::int64_t name, std::int64_t end) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return false;
  const Line::iterator one = found->second;
  if (end <= one->end) return true;
  const std::int64_t from = one->end;
  auto next = by_first_.upper_bound(one->first);
  if (next != by_first_.end() && next->first < end) {
    forget(from, end);
    if (!by_name_.contains(name)) return false;
  }
  held_ += end - from;
  one->end = end;
  if (one->end - one->first > design_.stream_sectors) {  // a ring: its beginning is written over
    const std::int64_t gone = one->end - one->first - design_.stream_sectors;
    by_first_.erase(one->first);
    one->first += gone;
    held_ -= gone;
    by_first_[one->first] = one;
  }
  shrink(name);
  return true;
}

void Memory::shrink(std::int64_t spared) {
  while (!line_.empty() && (held_ + dirty_ > design_.memory_sectors ||
                            static_cast<int>(line_.size()) > design_.stretches)) {
    const Line::iterator one = line_.front().name == spared && line_.size() > 1
                                   ? std::next(line_.begin())
                                   : line_.begin();
    const std::int64_t surplus = held_ + dirty_ - design_.memory_sectors;
    if (one->name == spared && line_.size() == 1 && surplus <= 0) return;
    if ((design_.evicts_beginnings || one->name == spared) && surplus > 0 &&
        surplus < one->end - one->first && static_cast<int>(line_.size()) <= design_.stretches) {
      by_first_.erase(one->first);
      one->first += surplus;
      held_ -= surplus;
      by_first_[one->first] = one;
      return;
    }
    drop(one);
  }
}

void Memory::clear() {
  line_.clear();
  by_first_.clear();
  by_name_.clear();
  held_ = 0;
}

}  // namespace today
