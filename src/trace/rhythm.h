// When the requests of an open trace come: how many fall into windows of a fixed length, and how
// many are outstanding. Each takes one request after another, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "model/units.h"
#include "trace/histogram.h"

namespace platter::trace {

// Arrivals in windows that follow one another from the first arrival on. The last window, which the
// end of the trace cuts, does not count for the dispersion.
class Windows {
 public:
  explicit Windows(Nanoseconds length_ns) : length_ns_(length_ns) {}

  void add(Nanoseconds since_first_ns);

  Nanoseconds length_ns() const { return length_ns_; }
  std::uint64_t windows() const { return windows_; }  // whole ones
  std::uint64_t most() const { return most_; }        // arrivals in one window
  // Index of dispersion for counts: variance of the arrivals in a window over their mean. 1 for
  // Poisson arrivals, 0 for regular ones, more for bursts. 0 without a whole window.
  double dispersion() const;

 private:
  void close(std::uint64_t arrivals, std::uint64_t times);

  Nanoseconds length_ns_;
  std::uint64_t current_ = 0, arrivals_ = 0;
  std::uint64_t windows_ = 0, most_ = 0;
  double mean_ = 0, squares_ = 0;
};

// Requests that an arrival finds outstanding: arrived, and not completed after their service time.
class Outstanding {
 public:
  void add(Nanoseconds arrival_ns, Nanoseconds service_ns);

  const Histogram& found() const { return found_; }
  bool exact() const { return exact_; }  // false: there were more than can be remembered

 private:
  static constexpr std::size_t kMost = 1 << 20;

  std::priority_queue<Nanoseconds, std::vector<Nanoseconds>, std::greater<>> completions_{};
  Histogram found_{};
  bool exact_ = true;
};

}  // namespace platter::trace
