// How a drive misbehaves, and when: what a file of episodes asks for (docs/emulators.md). Times are
// the drive's, from its power-on at 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/units.h"

namespace platter::episodes {

enum class What : std::uint8_t {
  stall,     // what is due within the window is given at its end
  throttle,  // a multiple of the model's time
  slow,      // a delay beyond it
  fail,      // an error, and no data
  stuck,     // no answer ever
};
// As files and logs have them.
inline constexpr std::array<const char*, 5> kWhatWords = {"stall", "throttle", "slow", "fail",
                                                          "stuck"};
constexpr const char* word_of(What what) { return kWhatWords[static_cast<std::size_t>(what)]; }

enum class Kind : std::uint8_t { read, write, flush };

// In nanoseconds.
struct Delay {
  enum class Distribution : std::uint8_t { constant, uniform, exponential };
  Distribution distribution = Distribution::constant;
  double low = 0, high = 0;  // `low` alone: all of it, or the mean
};

struct Episode {
  What what = What::stall;

  // Windows: of arrivals, but for a stall of what is due.
  Nanoseconds from_ns = 0;
  std::optional<Nanoseconds> for_ns{}, every_ns{};  // nothing: for ever; once
  // Of a drive's reads, writes and flushes, counted from 1.
  std::uint64_t first_request = 1, last_request = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t every_nth = 1;
  // A flush has none.
  struct Lbns {
    std::uint64_t first, last;
  };
  std::optional<Lbns> lbns{};
  std::optional<Kind> of{};  // nothing: any
  double probability = 1;

  double factor = 1;  // of a throttle
  Delay delay{};      // of what is slow
};

struct Schedule {
  std::uint64_t seed = 1;
  std::vector<Episode> episodes{};
  std::string sha256{};  // of the file: 64 hexadecimal digits
};

}  // namespace platter::episodes
