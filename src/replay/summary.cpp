#include "replay/summary.h"

#include <algorithm>
#include <array>
#include <bit>

namespace platter::replay {
namespace {

// The times with these ascending places of the sorted order, few of them by selection: what is in
// front of a place is never looked at again.
class Selection {
 public:
  Selection(std::vector<Nanoseconds> times, std::size_t places) : times_(std::move(times)) {
    if (places < static_cast<std::size_t>(std::bit_width(times_.size()))) return;
    std::ranges::sort(times_);
    sorted_ = times_.size();
  }

  Nanoseconds at(std::size_t place) {
    if (place >= sorted_) {
      std::nth_element(times_.begin() + static_cast<std::ptrdiff_t>(sorted_),
                       times_.begin() + static_cast<std::ptrdiff_t>(place), times_.end());
      sorted_ = place + 1;
      return times_[place];
    }
    return times_[place];  // the place before, asked for once more
  }

 private:
  std::vector<Nanoseconds> times_;
  std::size_t sorted_ = 0;
};

Delay delay_of(const Times& times) {
  constexpr std::array<double, 2> kShares = {0.50, 0.99};
  const std::vector<double> quantiles = times.quantiles_ms(kShares);
  return {.p50_ms = quantiles[0], .p99_ms = quantiles[1], .max_ms = times.max_ms()};
}

ResponseTimes response_times_of(const Times& times) {
  constexpr std::array<double, 5> kShares = {0.50, 0.90, 0.95, 0.99, 0.999};
  const std::vector<double> quantiles = times.quantiles_ms(kShares);
  return {.n = times.count(),
          .mean_ms = times.mean_ms(),
          .p50_ms = quantiles[0],
          .p90_ms = quantiles[1],
          .p95_ms = quantiles[2],
          .p99_ms = quantiles[3],
          .p999_ms = quantiles[4],
          .max_ms = times.max_ms()};
}

}  // namespace

void Times::classify() {
  if (!classes_) classes_.emplace(kExactBits);
  for (const Nanoseconds time_ns : times_) classes_->add(static_cast<std::uint64_t>(time_ns));
  times_ = {};
  times_.reserve(kClassifiedAtOnce + 1);
}

void Times::add(const Times& others) {
  zeros_ += others.zeros_;
  more_ += others.more_;
  sum_ns_ += others.sum_ns_;
  most_ns_ = std::max(most_ns_, others.most_ns_);
  times_.insert(times_.end(), others.times_.begin(), others.times_.end());
  if (others.classes_ || times_.size() > most_kept()) classify();
  if (others.classes_) classes_->add(*others.classes_);
}

double Times::mean_ms() const {
  return count() == 0 ? 0 : static_cast<double>(sum_ns_) / static_cast<double>(count()) / 1e6;
}

std::vector<double> Times::quantiles_ms(std::span<const double> shares) const {
  if (classes_ && !times_.empty()) {
    Times classified = *this;
    classified.classify();
    return classified.quantiles_ms(shares);
  }
  Selection selection(times_, shares.size());
  std::optional<trace::ClassCounts::Walk> walk;
  if (classes_) walk.emplace(*classes_);
  const auto at = [&](std::uint64_t place) -> double {
    if (place < zeros_) return 0;
    const std::uint64_t above = place - zeros_;
    return walk ? walk->value_at(above) / 1e6 : to_ms(selection.at(above));
  };
  std::vector<double> quantiles;
  for (const double share : shares) {
    if (count() == 0) {
      quantiles.push_back(0);
      continue;
    }
    const double place = share * static_cast<double>(count() - 1);
    const auto below = static_cast<std::uint64_t>(place);
    const double fraction = place - static_cast<double>(below);
    const double lower = at(below);
    quantiles.push_back(fraction == 0 ? lower : lower + fraction * (at(below + 1) - lower));
  }
  return quantiles;
}

Summarizer::Summarizer(std::size_t most_exact)
    : responses_{Times(most_exact), Times(most_exact)}, host_(most_exact), depth_(most_exact) {}

void Summarizer::add(Part part, std::span<const Response> rows) {
  if (part == Part::reference || rows.empty()) return;
  if (count_ == 0) first_issue_ns_ = rows.front().issue_ns;
  count_ += rows.size();
  for (const Response& row : rows) {
    responses_[row.write].add(row.response_ns);
    host_.add(row.late_ns());
    depth_.add(row.waited_ns);
    known_ += row.media.has_value();
    hits_ += row.media == false;
    last_completion_ns_ = std::max(last_completion_ns_, row.completion_ns());
  }
}

Times Summarizer::all() const {
  Times all = responses_[0];
  all.add(responses_[1]);
  return all;
}

Lateness Summarizer::lateness() const {
  return {.host = delay_of(host_), .depth = delay_of(depth_)};
}

Summary Summarizer::summary() const {
  Summary summary;
  const auto& [read, write] = responses_;
  const Times both = all();
  summary.all = response_times_of(both);
  summary.read = response_times_of(read);
  summary.write = response_times_of(write);
  if (known_ > 0) summary.hits_share = static_cast<double>(hits_) / static_cast<double>(known_);
  summary.seconds = static_cast<double>(last_completion_ns_ - first_issue_ns_) / 1e9;
  summary.lateness = lateness();
  const bool exact = both.exact() && host_.exact() && depth_.exact();
  summary.quantile_error = exact ? 0 : Times::kQuantileError;
  return summary;
}

Summary summary_of(const Result& result) {
  Summarizer summarizer;
  summarizer.add(Part::trace, result.requests);
  return summarizer.summary();
}

bool is_late(const Summary& summary) {
  return summary.lateness.host.p99_ms > kLateShare * summary.all.mean_ms;
}

}  // namespace platter::replay
