// Whether a trace's times are in the unit that its format has them in: where a format does not say
// the unit in the file, tools write it with others (MQSim: whole nanoseconds).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/request.h"
#include "trace/trace.h"

namespace platter::trace {

class TimeDoubt {
 public:
  // `unit_ns`: that the times are read in; 0: the file says it, and nothing is doubted. `slow_ns`:
  // a median above it is doubted.
  TimeDoubt(Kind kind, Nanoseconds unit_ns, Nanoseconds slow_ns = kSecond)
      : kind_(kind), unit_ns_(unit_ns), slow_ns_(slow_ns) {}

  // The next request of the file. A sentence once enough were seen, where no drive's trace is like
  // that; once.
  std::optional<std::string> see(const Request& request) {
    return unit_ns_ == 0 ? std::nullopt : see_another(request);
  }
  std::optional<std::string> at_end();

 private:
  std::optional<std::string> see_another(const Request& request);
  std::optional<std::string> judge();

  Kind kind_;
  Nanoseconds unit_ns_, slow_ns_;
  Nanoseconds before_ns_ = -1;
  std::vector<Nanoseconds> times_ns_;  // between arrivals, or of service; those above 0
  bool whole_ = true;                  // all of them are whole units
};

}  // namespace platter::trace
