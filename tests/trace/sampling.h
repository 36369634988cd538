// How far a share or a mean may lie from what a generator promises: five standard errors of a
// sample of that size, which a true promise exceeds once in 1.7 million times. And digests of
// traces.
#pragma once

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include "trace/trace.h"

namespace platter::trace::testing {

inline bool is_share(double hits, double of, double promised) {
  return std::abs(hits - of * promised) <= 5 * std::sqrt(of * promised * (1 - promised));
}

// The mean of `n` numbers of which one has the given mean and standard deviation.
inline bool is_mean(double sum, double n, double promised, double deviation) {
  return std::abs(sum / n - promised) <= 5 * deviation / std::sqrt(n);
}

// FNV-1a of the trace's file.
inline std::uint64_t digest(const Trace& trace, Format format) {
  std::ostringstream out;
  write_trace(out, trace, format);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : out.str()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace platter::trace::testing
