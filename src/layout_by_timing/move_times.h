// How long arm and heads take from one track to another: the least time before a sector comes by at
// which its read must be issued to catch it.
#pragma once

#include <cstdint>
#include <optional>

#include "layout_by_timing/prober.h"
#include "layout_by_timing/run.h"

namespace platter::layout_by_timing {

struct Spot {
  const Run* run = nullptr;
  std::uint32_t track = 0;
};

struct MoveTime {
  double rev = 0, error_rev = 0;
};

class MoveTimes {
 public:
  explicit MoveTimes(Prober& prober) : prober_(prober) {}

  // There and back in turn, until it is known to a hundredth of a revolution or so; a move that
  // takes nearly a revolution or longer comes out as `kLongest_rev`. nullopt: cannot be read.
  std::optional<MoveTime> between(const Spot& a, const Spot& b);

  static constexpr double kLongest_rev = 0.94;

 private:
  struct Trial {
    double lead_rev = 0;  // that there was
    bool caught = false;
  };
  std::optional<Trial> try_lead(const Spot& to, double lead_rev);

  Prober& prober_;
};

}  // namespace platter::layout_by_timing
