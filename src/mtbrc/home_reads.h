// Whether blocks are where a map has them: by the angle at which a read of one of them ends. A
// block that is anywhere else looks at home by chance in 2.4 % of all cases.
#pragma once

#include <cstdint>
#include <optional>

#include "mtbrc/access.h"
#include "mtbrc/context.h"
#include "mtbrc/track_reads.h"

namespace platter::mtbrc {

constexpr double kAtHome_rev = 0.012;

// The context's map has its angles; reads reach the media.
class HomeReads {
 public:
  explicit HomeReads(Context& context);

  // By one read of the physical block that holds the LBN: how much later in the turn it ends than
  // by the map, from -1/2 to 1/2. nullopt: it cannot be read.
  std::optional<double> miss_rev(std::uint64_t lbn);
  // By one read of the physical block that holds the LBN. nullopt: it cannot be read.
  std::optional<bool> at_home(std::uint64_t lbn);
  // Of so many physical blocks, each so many of them behind the one before: most of those that can
  // be read.
  std::optional<bool> most_at_home(std::uint64_t lbn, std::uint32_t count, std::uint32_t apart);
  // Where the map's angles stand under the heads at that time, as completions show it.
  double angle_rev(Nanoseconds time_ns) const;
  // The phase is looked at where that is due; the time then.
  Nanoseconds refreshed_ns();
  std::uint64_t reference_lbn() const { return reference_.lbn(); }
  // A read of the run's reference: how long it took.
  Nanoseconds look();

 private:
  Context& context_;
  Accesses accesses_;
  ReferenceReads reference_;
  double reference_width_rev_;
};

}  // namespace platter::mtbrc
