#include "calibrate/phase.h"

#include <algorithm>

#include "statistics/circular.h"

namespace platter::calibrate {
namespace {

constexpr std::size_t kFewestOfSegment = 5;
constexpr std::size_t kFewestOfCommand = 8;
constexpr double kWidest = 64;  // times the width, where little is known

}  // namespace

void Phase::add(double time_ns, std::size_t command, double lead_rev) {
  entries_.push_back({time_ns, command, unit(lead_rev)});
}

// Kinds come in one after the other, the most frequent first: each against the platter that those
// before it tell.
void Phase::sort() {
  std::ranges::sort(entries_, {}, &Entry::time_ns);
  counts_ = {};
  for (const Entry& entry : entries_) ++counts_[entry.command];
  std::array<std::size_t, kCommands> order{0, 1, 2, 3};
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return counts_[a] > counts_[b]; });
  offsets_ = {};
  counts_for_ = {};
  counts_for_[order[0]] = true;
  add_up();
  for (const std::size_t command : order) {
    if (command == order[0] || counts_[command] < kFewestOfCommand) continue;
    std::complex<double> sum{};
    for (const Entry& entry : entries_)
      if (entry.command == command)
        if (const auto platter = platter_at(entry.time_ns)) sum += entry.lead * unit(-*platter);
    if (sum == std::complex<double>{}) continue;
    offsets_[command] = angle_of(sum);
    counts_for_[command] = true;
    add_up();
  }
}

void Phase::add_up() {
  before_.assign(1, {});
  counted_.assign(1, 0);
  for (const Entry& entry : entries_) {
    const bool counts = counts_for_[entry.command];
    before_.push_back(before_.back() + (counts ? entry.lead * unit(-offsets_[entry.command])
                                               : std::complex<double>{}));
    counted_.push_back(counted_.back() + (counts ? 1 : 0));
  }
}

std::optional<double> Phase::platter_at(double time_ns) const {
  for (double width_ns = width_ns_; width_ns <= kWidest * width_ns_; width_ns *= 2) {
    const auto from = static_cast<std::size_t>(
        std::ranges::lower_bound(entries_, time_ns - width_ns, {}, &Entry::time_ns) -
        entries_.begin());
    const auto to = static_cast<std::size_t>(
        std::ranges::upper_bound(entries_, time_ns + width_ns, {}, &Entry::time_ns) -
        entries_.begin());
    if (counted_[to] - counted_[from] < kFewestOfSegment) continue;
    return angle_of(before_[to] - before_[from]);
  }
  return std::nullopt;
}

std::optional<double> Phase::at(double time_ns, std::size_t command) const {
  if (entries_.empty()) return std::nullopt;
  const std::optional<double> platter = platter_at(time_ns);
  if (!platter) return std::nullopt;
  return statistics::wrap_rev(*platter + offsets_[command]);
}

}  // namespace platter::calibrate
