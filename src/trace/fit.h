// A trace of a larger drive made to fit a smaller one. Each way keeps something and gives up
// something else; what it did is told with the result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "trace/stream.h"

namespace platter::trace {

enum class Fit : std::uint8_t {
  none,
  wrap,     // LBNs modulo the drive's blocks: neighbours stay neighbours, far places fall on others
  scale,    // LBNs as a share of the trace's span: distances shrink in proportion, places coincide
  compact,  // what the trace never touches is left out: order and neighbours stay, gaps shrink
};

// What a fit did; `text` is empty where the trace fitted as it was.
struct Fitted {
  std::unique_ptr<Reader> reader;
  std::string text{};  // "compact: 71 GB that it spans, of which 1.2 GB are touched, on 2.1 GB"
};

// The trace that `open` gives, on a drive of so many blocks. Reads it twice, first to see what it
// touches. Throws Error(bad_input) for a request longer than the drive, and for a compact trace
// that still does not fit.
Fitted fitted(const std::function<std::unique_ptr<Reader>()>& open, Fit fit, std::uint64_t blocks);

}  // namespace platter::trace
