// How sharply a run measures.
#pragma once

#include <cstdint>

namespace platter::mtbrc {

enum class Precision : std::uint8_t {
  enough,  // until a prediction gains nothing by more
  high,    // several times the trials, for the figures themselves
};

}  // namespace platter::mtbrc
