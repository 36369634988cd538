#include "emit/small/spares.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/interruption.h"

namespace platter::emit_small {
namespace {

using model::Skip;
using Skips = std::vector<Skip>;

std::uint64_t end_of(const Skip& skip) {
  return skip.first_slot + (skip.count - 1) * skip.stride + skip.length;
}

Skip run_of(std::uint64_t first, std::uint64_t length, std::uint64_t count, std::uint64_t stride) {
  return {first, length, count, count > 1 ? stride : 0};
}

// Spares at regular steps over all of the slots.
struct Pattern {
  std::uint64_t first = 0, length = 0, stride = 0, count = 0;  // count 0: there are none

  std::uint64_t slot(std::uint64_t i) const { return first + i * stride; }
  // The number of the first one that begins at or behind a slot.
  std::uint64_t at_or_after(std::uint64_t slot) const {
    if (count == 0 || slot <= first) return 0;
    return std::min(count, (slot - first + stride - 1) / stride);
  }
};

// What most of the skipped runs have in common, if they are spread over half of the slots.
Pattern pattern_of(std::span<const Skip> skips, const Slots& slots) {
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint64_t> runs;
  for (const Skip& skip : skips)
    if (skip.count > 1)
      runs[{skip.length, skip.stride, skip.first_slot % skip.stride}] += skip.count;
  Pattern pattern;
  std::uint64_t most = 0;
  for (const auto& [kind, count] : runs) {
    const auto [length, stride, phase] = kind;
    if (count <= most || count * stride * 2 < slots.end - slots.first) continue;
    most = count;
    const std::uint64_t into = (phase + stride - slots.first % stride) % stride;
    pattern = {slots.first + into, length, stride, 0};
    if (pattern.first + length <= slots.end)
      pattern.count = (slots.end - pattern.first - length) / stride + 1;
  }
  return pattern;
}

// Where so many slots more, or fewer, have been skipped than by the pattern.
struct Step {
  std::uint64_t slot;
  std::int64_t more;
};

std::vector<Step> steps_of(std::span<const Skip> skips, const Pattern& pattern) {
  std::vector<Step> steps;
  std::uint64_t expected = 0;  // of the pattern, the next one
  const auto lacking = [&](std::uint64_t until) {
    for (; expected < pattern.count && pattern.slot(expected) < until; ++expected)
      steps.push_back({pattern.slot(expected), -static_cast<std::int64_t>(pattern.length)});
  };
  for (const Skip& skip : skips)
    for (std::uint64_t i = 0; i < skip.count; ++i) {
      const std::uint64_t slot = skip.first_slot + i * skip.stride;
      lacking(slot);
      std::int64_t more = static_cast<std::int64_t>(skip.length);
      if (expected < pattern.count && pattern.slot(expected) == slot) {
        more -= static_cast<std::int64_t>(pattern.length);
        ++expected;
      }
      if (more != 0) steps.push_back({slot, more});
    }
  lacking(~std::uint64_t{0});
  return steps;
}

// The pattern with slots skipped besides.
class Laid {
 public:
  Laid(const Pattern& pattern, const Slots& slots) : pattern_(pattern), slots_(slots) {}

  void skip(std::uint64_t slot, std::uint64_t length) {
    if (slot < at_) slot = at_;
    pattern_until(slot);
    if (!skips.empty()) slot = std::max(slot, end_of(skips.back()));
    std::uint64_t end = std::min(slot + length, slots_.end);
    for (; next_ < pattern_.count && pattern_.slot(next_) < end; ++next_)
      end = std::min(end + pattern_.length, slots_.end);
    if (slot < end) skips.push_back(run_of(slot, end - slot, 1, 0));
    at_ = end;
  }
  void finish() { pattern_until(slots_.end); }

  Skips skips{};

 private:
  void pattern_until(std::uint64_t slot) {
    const std::uint64_t until = std::max(next_, pattern_.at_or_after(slot));
    if (until > next_)
      skips.push_back(
          run_of(pattern_.slot(next_), pattern_.length, until - next_, pattern_.stride));
    next_ = until;
  }

  const Pattern& pattern_;
  const Slots& slots_;
  std::uint64_t next_ = 0, at_ = 0;
};

// Fewer skipped slots, from the end.
void give_back(Skips& skips, std::uint64_t excess) {
  while (excess > 0 && !skips.empty()) {
    Skip& last = skips.back();
    if (last.length <= excess) {
      excess -= last.length;
      last = run_of(last.first_slot, last.length, last.count - 1, last.stride);
      if (last.count == 0) skips.pop_back();
      continue;
    }
    if (last.count > 1) {
      const std::uint64_t slot = last.first_slot + (last.count - 1) * last.stride;
      const std::uint64_t length = last.length - excess;
      last = run_of(last.first_slot, last.length, last.count - 1, last.stride);
      skips.push_back(run_of(slot, length, 1, 0));
    } else {
      last.length -= excess;
    }
    excess = 0;
  }
}

// All slots from where so many hold blocks are skipped.
void end_after(Skips& skips, const Slots& slots, std::uint64_t blocks) {
  std::uint64_t at = slots.first;
  for (std::size_t i = 0; i < skips.size(); ++i)
    for (std::uint64_t j = 0; j < skips[i].count; ++j) {
      const std::uint64_t slot = skips[i].first_slot + j * skips[i].stride;
      if (blocks <= slot - at) {
        skips.resize(j == 0 ? i : i + 1);
        if (j > 0) skips[i] = run_of(skips[i].first_slot, skips[i].length, j, skips[i].stride);
        if (at + blocks < slots.end)
          skips.push_back(run_of(at + blocks, slots.end - at - blocks, 1, 0));
        return;
      }
      blocks -= slot - at;
      at = slot + skips[i].length;
    }
  if (at + blocks < slots.end) skips.push_back(run_of(at + blocks, slots.end - at - blocks, 1, 0));
}

}  // namespace

Skips within(std::span<const Skip> skips, const Slots& slots) {
  Skips found;
  const auto add = [&](std::uint64_t first, std::uint64_t end) {
    first = std::max(first, slots.first);
    end = std::min(end, slots.end);
    if (first < end) found.push_back(run_of(first, end - first, 1, 0));
  };
  auto skip = std::ranges::partition_point(
      skips, [&](const Skip& one) { return end_of(one) <= slots.first; });
  for (; skip != skips.end() && skip->first_slot < slots.end; ++skip) {
    if (skip->count == 1 || (skip->first_slot >= slots.first && end_of(*skip) <= slots.end)) {
      if (skip->count == 1)
        add(skip->first_slot, end_of(*skip));
      else
        found.push_back(*skip);
      continue;
    }
    // Cut: the runs that are whole, and one at each end that is not.
    Skip whole{0, skip->length, 0, skip->stride};
    std::uint64_t tail = slots.end;
    for (std::uint64_t i = 0; i < skip->count; ++i) {
      const std::uint64_t slot = skip->first_slot + i * skip->stride;
      if (slot >= slots.first && slot + skip->length <= slots.end) {
        if (whole.count++ == 0) whole.first_slot = slot;
      } else if (whole.count == 0) {
        add(slot, slot + skip->length);
      } else {
        tail = std::min(slot, slots.end);
        break;
      }
    }
    if (whole.count > 0)
      found.push_back(run_of(whole.first_slot, whole.length, whole.count, whole.stride));
    add(tail, tail + skip->length);
  }
  return found;
}

std::uint64_t skipped(std::span<const Skip> skips) {
  std::uint64_t slots = 0;
  for (const Skip& skip : skips) slots += skip.length * skip.count;
  return slots;
}

Skips simplified(std::span<const Skip> skips, const Slots& slots, std::uint64_t tolerance) {
  if (tolerance == 0) return {skips.begin(), skips.end()};
  const std::uint64_t wanted = skipped(skips);
  const Pattern pattern = pattern_of(skips, slots);
  Laid laid(pattern, slots);
  const auto most = static_cast<std::int64_t>(tolerance);
  const std::int64_t ahead = pattern.count == 0 ? most : 0;  // without spares there are ever more
  std::int64_t more = 0, said = 0;
  for (const Step& step : steps_of(skips, pattern)) {
    more += step.more;
    if (more - said <= most) continue;
    laid.skip(step.slot, static_cast<std::uint64_t>(more + ahead - said));
    said = more + ahead;
  }
  laid.finish();
  if (const std::uint64_t all = skipped(laid.skips); all > wanted)
    give_back(laid.skips, all - wanted);
  if (skipped(laid.skips) < wanted) end_after(laid.skips, slots, slots.end - slots.first - wanted);
  return laid.skips;
}

}  // namespace platter::emit_small
