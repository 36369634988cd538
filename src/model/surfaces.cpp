#include "model/surfaces.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/validate.h"

namespace platter::model {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ExitStatus::usage, "the layout cannot be given other heads: " + why);
}

double wrapped(double rev) { return rev - std::floor(rev); }

// ---------------------------------------------------------------- the tree

struct Heads {
  std::int64_t low = 0, high = 0;
};

Heads inner_heads(const LayoutNode& node);

Heads heads_of(const LayoutNode& node) {
  const Heads inner = inner_heads(node);
  const std::int64_t last = std::int64_t{node.head_step} * (std::int64_t{node.count} - 1);
  return {node.head + inner.low + std::min<std::int64_t>(0, last),
          node.head + inner.high + std::max<std::int64_t>(0, last)};
}

Heads inner_heads(const LayoutNode& node) {
  Heads all;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Heads child = heads_of(node.children[i]);
    all = i == 0 ? child : Heads{std::min(all.low, child.low), std::max(all.high, child.high)};
  }
  return all;
}

std::uint64_t instance_slots(const LayoutNode& node) {
  std::uint64_t slots = node.sectors;
  for (const LayoutNode& child : node.children) slots += instance_slots(child) * child.count;
  return slots;
}

// A stack is a run over all heads of the drive in even steps, up or down: `count` instances of
// |head_step| heads each, on the same cylinders.
class Stacks {
 public:
  Stacks(std::uint32_t heads, std::uint32_t wanted) : heads_(heads), wanted_(wanted) {}

  bool is_stack(const LayoutNode& node) const {
    const Heads inner = inner_heads(node);
    const std::int64_t width = std::abs(std::int64_t{node.head_step});
    return node.count > 1 && node.cylinder_step == 0 && width > 0 && inner.low == 0 &&
           inner.high == width - 1 && node.count * width == heads_;
  }

  // Returns by how many revolutions the last track of a list of nodes, played `count` times, moves
  // against its first.
  double grow(std::vector<LayoutNode>& nodes, std::int64_t base, const std::string& path) const {
    double moved = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (moved != 0) nodes[i].angle_rev = wrapped(nodes[i].angle_rev + moved);
      moved += grow(nodes[i], base, fmt::format("{}[{}]", path, i));
    }
    return moved;
  }

 private:
  double grow(LayoutNode& node, std::int64_t base, const std::string& path) const {
    if (is_stack(node) && base + heads_of(node).low == 0) return grow_stack(node, path);
    if (node.sectors > 0 || (node.count > 1 && node.head_step != 0))
      refuse(fmt::format("{} is no even run over all {} heads", path, heads_));
    const double moved = grow(node.children, base + node.head, path + ".children");
    if (moved != 0) node.angle_step_rev = wrapped(node.angle_step_rev + moved);
    return wrapped(moved * node.count);
  }

  double grow_stack(LayoutNode& node, const std::string& path) const {
    const auto width = static_cast<std::uint32_t>(std::abs(node.head_step));
    if (wanted_ % width != 0)
      refuse(fmt::format("{} steps over {} heads at a time, and {} is no multiple of that", path,
                         width, wanted_));
    const std::uint32_t count = wanted_ / width;
    const std::int64_t more = std::int64_t{count} - std::int64_t{node.count};
    node.count = count;
    if (node.head_step < 0) node.head -= static_cast<std::int32_t>(more * node.head_step);
    return wrapped(static_cast<double>(more) * node.angle_step_rev);
  }

  std::uint32_t heads_, wanted_;
};

// Calls visit(slots of an instance, instances) for every stack in the order of the slots.
template <typename Visit>
void for_each_stack(const std::vector<LayoutNode>& nodes, const Stacks& stacks, Visit& visit) {
  for (const LayoutNode& node : nodes) {
    if (stacks.is_stack(node)) {
      visit(instance_slots(node), node.count);
      continue;
    }
    for (std::uint32_t i = 0; i < node.count; ++i) for_each_stack(node.children, stacks, visit);
  }
}

// ---------------------------------------------------------------- slots and LBNs

std::uint64_t skipped_in(const Skip& skip, std::uint64_t offset) {
  if (skip.count == 1) return std::min(offset, skip.length);
  const std::uint64_t run = offset / skip.stride;
  if (run >= skip.count) return skip.count * skip.length;
  return run * skip.length + std::min(offset - run * skip.stride, skip.length);
}

// The LBNs in the sequence of the slots; remaps are not followed.
class Sequence {
 public:
  explicit Sequence(const Layout& layout) : skips_(layout.skips), slots_(count_slots(layout)) {
    std::uint64_t skipped = 0;
    for (const Skip& skip : skips_) {
      before_.push_back(skipped);
      skipped += skip.length * skip.count;
    }
  }

  std::uint64_t lbns_before(std::uint64_t slot) const {
    const auto after = std::lower_bound(
        skips_.begin(), skips_.end(), slot,
        [](const Skip& skip, std::uint64_t place) { return skip.first_slot < place; });
    if (after == skips_.begin()) return slot;
    const Skip& skip = *(after - 1);
    return slot - before_[static_cast<std::size_t>(after - 1 - skips_.begin())] -
           skipped_in(skip, slot - skip.first_slot);
  }

  std::uint64_t slot_of(std::uint64_t lbn) const {
    std::uint64_t low = lbn, high = slots_ - 1;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (lbns_before(middle + 1) > lbn)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

 private:
  const std::vector<Skip>& skips_;
  std::uint64_t slots_;
  std::vector<std::uint64_t> before_;  // slots skipped in front of each entry
};

// ---------------------------------------------------------------- skips, stack by stack

struct Run {
  std::uint64_t first = 0, length = 0;
  auto operator<=>(const Run&) const = default;
};

// The runs of a list of skips, cut at the ends of what is asked for.
class RunReader {
 public:
  explicit RunReader(const std::vector<Skip>& skips) : skips_(skips) { next_entry(); }

  // The next run that begins before `end`, as far as `end`.
  std::optional<Run> next_before(std::uint64_t end) {
    if (!rest_ || rest_->first >= end) return std::nullopt;
    const Run run{rest_->first, std::min(rest_->length, end - rest_->first)};
    rest_->first += run.length;
    rest_->length -= run.length;
    if (rest_->length == 0) advance();
    return run;
  }

 private:
  void advance() {
    const Skip& skip = skips_[entry_ - 1];
    if (++played_ == skip.count) return next_entry();
    rest_ = Run{skip.first_slot + played_ * skip.stride, skip.length};
  }
  void next_entry() {
    played_ = 0;
    rest_.reset();
    if (entry_ == skips_.size()) return;
    rest_ = Run{skips_[entry_].first_slot, skips_[entry_].length};
    ++entry_;
  }

  const std::vector<Skip>& skips_;
  std::size_t entry_ = 0;  // the one after that of rest_
  std::uint64_t played_ = 0;
  std::optional<Run> rest_;
};

// Runs in ascending order, put together as skips.
class SkipWriter {
 public:
  void add(std::uint64_t first, std::uint64_t length) {
    if (run_.length > 0 && run_.first + run_.length == first) {
      run_.length += length;
      return;
    }
    flush();
    run_ = {first, length};
  }
  std::vector<Skip> finish() {
    flush();
    return std::move(skips_);
  }

 private:
  void flush() {
    if (run_.length == 0) return;
    if (!skips_.empty() && skips_.back().length == run_.length) {
      Skip& last = skips_.back();
      if (last.count == 1) last.stride = run_.first - last.first_slot;
      if (run_.first == last.first_slot + last.count * last.stride) {
        ++last.count;
        return;
      }
    }
    skips_.push_back({run_.first, run_.length, 1, 0});
  }

  Run run_;
  std::vector<Skip> skips_;
};

using Instance = std::vector<Run>;  // what is skipped of it, from its first slot

// What most instances skip; runs of one instance are disjoint, and so are these, since any two of
// them occur together in some instance.
Instance typical_of(const std::vector<Instance>& stack) {
  std::map<Run, std::size_t> seen;
  for (const Instance& instance : stack)
    for (const Run& run : instance) ++seen[run];
  Instance typical;
  for (const auto& [run, times] : seen)
    if (2 * times > stack.size()) typical.push_back(run);
  return typical;
}

// How many instances, from the last one backwards, hold what is skipped at the end of the stack and
// is not just what every track skips at its end.
std::size_t tail_of(const std::vector<Instance>& stack, const Instance& typical,
                    std::uint64_t slots) {
  std::size_t tail = 0;
  while (tail < stack.size()) {
    const Instance& instance = stack[stack.size() - 1 - tail];
    if (instance.empty() || instance.back().first + instance.back().length != slots) break;
    if (std::find(typical.begin(), typical.end(), instance.back()) != typical.end()) break;
    ++tail;
    if (instance.back().first != 0) break;
  }
  return tail;
}

// For each instance of the new stack the one of the old that it was, nullopt for a new one.
std::vector<std::optional<std::size_t>> sources_of(std::size_t before, std::size_t after,
                                                   std::size_t tail) {
  tail = std::min(tail, after);
  const std::size_t head = std::min(before - std::min(tail, before), after - tail);
  std::vector<std::optional<std::size_t>> sources(after);
  for (std::size_t i = 0; i < head; ++i) sources[i] = i;
  for (std::size_t i = 0; i < tail; ++i) sources[after - 1 - i] = before - 1 - i;
  return sources;
}

// Takes the skips, and single slots of interest, from the old layout to the new.
class Mover {
 public:
  Mover(const Layout& old, std::uint32_t heads, std::uint32_t wanted,
        std::vector<std::uint64_t> slots)
      : runs_(old.skips), heads_(heads), wanted_(wanted) {
    std::sort(slots.begin(), slots.end());
    for (const std::uint64_t slot : slots) moved_.emplace(slot, std::nullopt);
    next_ = moved_.begin();
    auto visit = [this](std::uint64_t slots_each, std::uint32_t count) {
      stack(slots_each, count);
    };
    for_each_stack(old.zones, Stacks(heads, wanted), visit);
  }

  std::vector<Skip> skips() { return writer_.finish(); }
  std::optional<std::uint64_t> slot(std::uint64_t old) const { return moved_.at(old); }

 private:
  void stack(std::uint64_t slots, std::uint32_t before) {
    const std::uint32_t after = wanted_ / (heads_ / before);
    std::vector<Instance> instances(before);
    bool any = false;
    while (const auto run = runs_.next_before(old_ + slots * before)) {
      any = true;
      for (std::uint64_t at = run->first - old_, end = at + run->length; at < end;) {
        const std::uint64_t length = std::min(end - at, slots - at % slots);
        add(instances[static_cast<std::size_t>(at / slots)], {at % slots, length});
        at += length;
      }
    }
    const bool asked = next_ != moved_.end() && next_->first < old_ + slots * before;
    if (any || asked) {
      const Instance typical = typical_of(instances);
      const auto sources = sources_of(before, after, tail_of(instances, typical, slots));
      write(instances, typical, sources, slots);
      if (asked) move_slots(sources, slots, before);
    }
    old_ += slots * before;
    new_ += slots * after;
  }

  static void add(Instance& instance, const Run& run) {
    if (!instance.empty() && instance.back().first + instance.back().length == run.first)
      instance.back().length += run.length;
    else
      instance.push_back(run);
  }

  void write(const std::vector<Instance>& instances, const Instance& typical,
             const std::vector<std::optional<std::size_t>>& sources, std::uint64_t slots) {
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (const Run& run : sources[i] ? instances[*sources[i]] : typical)
        writer_.add(new_ + i * slots + run.first, run.length);
  }

  void move_slots(const std::vector<std::optional<std::size_t>>& sources, std::uint64_t slots,
                  std::uint32_t before) {
    for (; next_ != moved_.end() && next_->first < old_ + slots * before; ++next_) {
      const std::uint64_t at = next_->first - old_;
      const auto place = std::find(sources.begin(), sources.end(),
                                   static_cast<std::size_t>(at / slots));
      if (place == sources.end()) continue;
      next_->second = new_ + static_cast<std::uint64_t>(place - sources.begin()) * slots +
                      at % slots;
    }
  }

  RunReader runs_;
  SkipWriter writer_;
  std::uint32_t heads_, wanted_;
  std::uint64_t old_ = 0, new_ = 0;  // first slot of the stack, in both layouts
  std::map<std::uint64_t, std::optional<std::uint64_t>> moved_;
  std::map<std::uint64_t, std::optional<std::uint64_t>>::iterator next_;
};

// ---------------------------------------------------------------- the model

std::uint32_t count_heads(const Layout& layout) {
  std::int64_t highest = 0;
  for (const LayoutNode& zone : layout.zones) highest = std::max(highest, heads_of(zone).high);
  return static_cast<std::uint32_t>(highest + 1);
}

// Everything that names slots or LBNs of `old` follows to the layout that `model` has now.
void move_places(DriveModel& model, const Layout& old, std::uint32_t heads, std::uint32_t wanted) {
  std::vector<std::uint64_t> no_errors;
  auto& errors = model.imperfections ? model.imperfections->medium_errors : no_errors;
  const Sequence before(old);
  std::vector<std::uint64_t> slots;
  for (const Remap& remap : old.remaps) {
    slots.push_back(remap.slot);
    slots.push_back(before.slot_of(remap.lbn));
  }
  for (const std::uint64_t lbn : errors) slots.push_back(before.slot_of(lbn));

  Mover mover(old, heads, wanted, slots);
  model.layout.skips = mover.skips();
  const Sequence after(model.layout);
  model.layout.remaps.clear();
  model.layout.not_understood.clear();  // it is another drive's map now
  model.layout.timed.reset();
  model.layout.checks = 0;
  for (const Remap& remap : old.remaps) {
    const auto own = mover.slot(before.slot_of(remap.lbn)), spare = mover.slot(remap.slot);
    if (own && spare) model.layout.remaps.push_back({after.lbns_before(*own), *spare});
  }
  std::vector<std::uint64_t> kept;
  for (const std::uint64_t lbn : errors)
    if (const auto slot = mover.slot(before.slot_of(lbn))) kept.push_back(after.lbns_before(*slot));
  errors = std::move(kept);
}

}  // namespace

void set_heads(DriveModel& model, std::uint32_t wanted) {
  if (model.layout.zones.empty()) refuse("the model has none");
  if (model.arms) refuse("each of its arms has heads of its own, and reaches blocks of its own");
  if (wanted == 0 || wanted > kMostHeads)
    refuse(fmt::format("{} heads are none that a drive has", wanted));
  const std::uint32_t heads = count_heads(model.layout);
  if (heads == 1) refuse("it has one head, so nobody knows the skew from one head to the next");
  const Layout old = model.layout;
  Stacks(heads, wanted).grow(model.layout.zones, 0, "layout.zones");
  const std::uint64_t held_back = count_blocks(old) - model.identity.blocks;
  move_places(model, old, heads, wanted);
  const std::uint64_t blocks = count_blocks(model.layout);
  if (blocks <= held_back) refuse(fmt::format("with {} heads it would hold no blocks", wanted));
  model.identity.blocks = blocks - held_back;
  if (!model.identity.zone_runs.empty()) {  // they were of the blocks that it had
    model.identity.zone_runs.clear();
    model.identity.zones.clear();
  }
  model.identity.heads = wanted;
}

}  // namespace platter::model
