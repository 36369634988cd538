// Requests of a trace beyond what the model was measured with: how many, and by what.
#pragma once

#include <cstdint>
#include <string>

namespace platter::replay {

// A request counts under each reason that it has.
struct Outside {
  std::uint64_t place = 0;   // blocks outside of those checked
  std::uint64_t size = 0;    // fewer or more blocks
  std::uint64_t writes = 0;  // none was checked
  std::uint64_t reads = 0;   // none was checked
  std::uint64_t depth = 0;   // more outstanding at its issue

  bool operator==(const Outside&) const = default;
};

// "12 requests of 40 lie outside what the model measured: 12 writes (...)"; "" where all = 0.
// `requests`: of the trace.
std::string outside_text(std::uint64_t all, const Outside& by, std::uint64_t requests);

}  // namespace platter::replay
