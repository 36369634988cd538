#include "trace/rhythm.h"

#include <algorithm>

namespace platter::trace {

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

}  // namespace platter::trace
