// What a trace asks for: sizes, places, times. docs/workloads.md defines every figure. One pass, in
// memory that does not grow with the trace (at most 30 MiB, and 1 bit for each MiB of the drive
// touched).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "model/units.h"
#include "trace/histogram.h"
#include "trace/locality.h"
#include "trace/stream.h"

namespace platter::trace {

// When the requests of an open trace come: how many fall into windows of a fixed length, and how
// many are outstanding. Each takes one request after another, in bounded memory.
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

// Of the reads, the writes or all: Salam-Alada 2004, section 4.2, describes a workload by type,
// size, frequency and stride of its accesses.
struct Accesses {
  Histogram blocks{};
  // The paper's stride (appendix D): the distance between the beginnings of one access and the next
  // of the same type, in blocks.
  Histogram strides{};
  std::optional<std::uint64_t> last_lbn{};

  void add(const Request& request);
};

class Statistics {
 public:
  explicit Statistics(const Source& source);

  void add(const Request& request);
  void finish() { sequentiality.finish(); }

  std::uint64_t requests() const { return all.blocks.count(); }
  std::uint64_t pairs() const { return requests() - std::min<std::uint64_t>(1, requests()); }
  bool open() const { return source.kind == Kind::open; }
  Nanoseconds span_ns() const { return last_ns_ - first_ns_; }  // open: first to last arrival
  // Requests a second between the first and the last: open by the arrivals, closed by the measured
  // service and the think times; nullopt where they are not known or took no time.
  std::optional<double> rate_hz() const;

  Source source;
  Accesses all{}, reads{}, writes{};
  std::uint64_t first_lbn = ~std::uint64_t{0}, last_lbn = 0, blocks = 0;  // touched; moved

  // Distance of a request's first block from the block behind the request before: 0 is sequential.
  Histogram forward{}, backward{}, distance{};
  std::uint64_t local = 0;  // not sequential, but begin within 500 LBNs of the beginning before
  Sequentiality sequentiality{};
  Alignment alignment{};
  Footprint footprint;
  std::uint64_t touched_before = 0;  // requests to regions that were all touched before

  Histogram gaps_ns{};  // open: between arrivals; closed: think times
  std::array<Windows, 4> windows{Windows(10 * kMillisecond), Windows(100 * kMillisecond),
                                 Windows(kSecond), Windows(10 * kSecond)};
  Histogram services_ns{};
  Outstanding outstanding{};  // open, as far as service times are measured

 private:
  void add_place(const Request& request);
  void add_times(const Request& request);

  std::optional<Request> before_{};
  Nanoseconds first_ns_ = 0, last_ns_ = 0;  // arrivals
  Nanoseconds closed_ns_ = 0;               // service and think times up to the last request's
};

// All that the reader gives.
Statistics statistics_of(Reader& reader);

// Of one trace an object, of several a list of them.
std::string to_json(std::span<const Statistics> traces);
std::string to_text(std::span<const Statistics> traces);

}  // namespace platter::trace
