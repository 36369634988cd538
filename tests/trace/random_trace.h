// Traces of random requests that a format can hold, for what is to come back exactly.
#pragma once

#include <random>

#include "trace/trace.h"

namespace platter::trace {

// What a format keeps of a request.
struct Holds {
  Format format;
  Nanoseconds unit_ns;   // of its times
  bool device, service;  // any device, the service time
  bool starts_at_0;      // the first request's arrival
};

inline const Holds kHolds[] = {
    {Format::ascii, 1, true, false, false},
    {Format::validate, 1, false, true, false},
    {Format::hpl, kMicrosecond, true, true, false},
    {Format::blktrace, 1, true, true, false},
    {Format::blkparse, 1, true, true, false},
    {Format::iolog2, kMicrosecond, false, false, false},
    {Format::iolog3, kMicrosecond, false, false, false},
    {Format::spc, 1, true, false, false},
    {Format::msr, 100, true, true, true},
    {Format::hfplayer, 1, true, true, true},
};

inline Trace random_trace(std::mt19937_64& random, const Holds& holds) {
  const auto below = [&](std::uint64_t count) { return random() % count; };
  Trace trace{.kind = holds.format == Format::validate ? Kind::closed : Kind::open};
  const auto device = static_cast<std::uint32_t>(holds.device ? below(256) : 0);
  Nanoseconds now_ns = 0;
  const std::uint64_t count = 1 + below(60);
  for (std::uint64_t i = 0; i < count; ++i) {
    // Often at the very time of the one before, rarely much later.
    const std::uint64_t gap_ns = below(3) == 0
                                     ? 0
                                     : below(below(8) == 0 ? 100'000'000'000 : 20'000'000);
    if (i > 0 || !holds.starts_at_0) now_ns += static_cast<Nanoseconds>(gap_ns);
    now_ns -= now_ns % holds.unit_ns;
    Request request{.lbn = below(below(4) == 0 ? 100 : 1u << 31),
                    .blocks = static_cast<std::uint32_t>(1 + below(below(4) == 0 ? 65536 : 128)),
                    .device = device,
                    .write = below(2) == 0};
    if (trace.kind == Kind::open)
      request.arrival_ns = now_ns;
    else
      request.think_ns = static_cast<Nanoseconds>(gap_ns);
    if (trace.kind == Kind::closed) request.tag = Tag(below(2) == 0 ? "Hit" : "Miss");
    if (holds.service && below(4) > 0) {
      const auto units = static_cast<Nanoseconds>(1 + below(50'000'000 / holds.unit_ns));
      request.service_ns = units * holds.unit_ns;
    }
    trace.requests.push_back(request);
  }
  return trace;
}

}  // namespace platter::trace
