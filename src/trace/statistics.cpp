#include "trace/statistics.h"

namespace platter::trace {
namespace {

constexpr std::uint64_t kLocalBlocks = 500;
constexpr std::uint32_t kRegionBytes = 1 << 20;

std::uint64_t apart(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

void Windows::add(Nanoseconds since_first_ns) {
  const auto window = static_cast<std::uint64_t>(since_first_ns / length_ns_);
  if (window != current_) {
    close(arrivals_, 1);
    close(0, window - current_ - 1);
    current_ = window;
    arrivals_ = 0;
  }
  most_ = std::max(most_, ++arrivals_);
}

// So many windows with so many arrivals each: the pairwise update of mean and variance (Chan, Golub
// & LeVeque 1979), for idle times may be millions of windows long.
void Windows::close(std::uint64_t arrivals, std::uint64_t times) {
  if (times == 0) return;
  const double before = static_cast<double>(windows_), added = static_cast<double>(times);
  const double from_mean = static_cast<double>(arrivals) - mean_;
  windows_ += times;
  mean_ += from_mean * added / (before + added);
  squares_ += from_mean * from_mean * before * added / (before + added);
}

double Windows::dispersion() const {
  return windows_ == 0 || mean_ == 0 ? 0 : squares_ / static_cast<double>(windows_) / mean_;
}

void Outstanding::add(Nanoseconds arrival_ns, Nanoseconds service_ns) {
  while (!completions_.empty() && completions_.top() <= arrival_ns) completions_.pop();
  found_.add(completions_.size());
  if (completions_.size() == kMost) {
    exact_ = false;
    return;
  }
  completions_.push(arrival_ns + service_ns);
}

void Accesses::add(const Request& request) {
  blocks.add(request.blocks);
  if (last_lbn) strides.add(apart(request.lbn, *last_lbn));
  last_lbn = request.lbn;
}

Statistics::Statistics(const Source& from)
    : source(from), footprint(std::max(1u, kRegionBytes / std::max(1u, from.block_bytes))) {}

void Statistics::add(const Request& request) {
  all.add(request);
  (request.write ? writes : reads).add(request);
  add_place(request);
  add_times(request);
  before_ = request;
}

void Statistics::add_place(const Request& request) {
  first_lbn = std::min(first_lbn, request.lbn);
  last_lbn = std::max(last_lbn, request.lbn + (request.blocks - 1));
  blocks += request.blocks;
  sequentiality.add(request.lbn, request.blocks);
  alignment.add(request.lbn, request.blocks);
  touched_before += footprint.add(request.lbn, request.blocks);
  if (!before_) return;
  const std::uint64_t behind = before_->lbn + before_->blocks;
  const std::uint64_t from_behind = apart(request.lbn, behind);
  distance.add(from_behind);
  if (request.lbn > behind) forward.add(from_behind);
  if (request.lbn < behind) backward.add(from_behind);
  local += request.lbn != behind && apart(request.lbn, before_->lbn) <= kLocalBlocks;
}

void Statistics::add_times(const Request& request) {
  if (request.service_ns) services_ns.add(static_cast<std::uint64_t>(*request.service_ns));
  if (!open()) {
    if (before_) {
      gaps_ns.add(static_cast<std::uint64_t>(before_->think_ns));
      closed_ns_ += before_->service_ns.value_or(0) + before_->think_ns;
    }
    return;
  }
  if (!before_) first_ns_ = request.arrival_ns;
  if (before_) gaps_ns.add(static_cast<std::uint64_t>(request.arrival_ns - last_ns_));
  last_ns_ = request.arrival_ns;
  for (Windows& each : windows) each.add(request.arrival_ns - first_ns_);
  if (request.service_ns) outstanding.add(request.arrival_ns, *request.service_ns);
}

std::optional<double> Statistics::rate_hz() const {
  const bool known = open() || services_ns.count() == requests();
  const Nanoseconds took_ns = open() ? span_ns() : closed_ns_;
  if (!known || took_ns <= 0) return std::nullopt;
  return static_cast<double>(pairs()) * 1e9 / static_cast<double>(took_ns);
}

Statistics statistics_of(Reader& reader) {
  Statistics statistics(reader.source());
  std::vector<Request> requests(4096);
  while (const std::size_t count = reader.read(requests))
    for (std::size_t i = 0; i < count; ++i) statistics.add(requests[i]);
  statistics.finish();
  return statistics;
}

}  // namespace platter::trace
