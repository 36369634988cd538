// What a trace asks for: sizes, places, times. docs/workloads.md defines every figure. One pass, in
// memory that does not grow with the trace (at most 30 MiB, and 1 bit for each MiB of the drive
// touched).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "trace/histogram.h"
#include "trace/locality.h"
#include "trace/rhythm.h"
#include "trace/stream.h"

namespace platter::trace {

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
