// Whether blocks are at home, by the angle at which a read of one of them ends: where they were
// before they were rewritten, or where the map has them, which is off as it is for such a block
// nearby. A block that is anywhere else looks at home
// by chance in 2.4 % of all cases.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/lbn_range.h"
#include "mtbrc/access.h"
#include "mtbrc/context.h"
#include "mtbrc/track_reads.h"

namespace platter::mtbrc {

constexpr double kAtHome_rev = 0.012;

// Reads reach the media. The context's map has its angles, but for the blocks of `guessed`
// (sorted).
class HomeReads {
 public:
  explicit HomeReads(Context& context, std::vector<LbnRange> guessed = {});

  // By one read of the physical block that holds the LBN: how much later in the turn it ends than
  // by the map, from -1/2 to 1/2. nullopt: it cannot be read.
  std::optional<double> miss_rev(std::uint64_t lbn);
  // The home of the physical block that holds the LBN is where it is now, whatever the map says;
  // it stays that. false: its reads do not tell the same twice.
  bool remember(std::uint64_t lbn);
  bool remembers(std::uint64_t lbn) const { return homes_rev_.contains(last_of(lbn)); }
  // By one read of the physical block that holds the LBN. nullopt: it cannot be read, or nobody
  // knows its home.
  std::optional<bool> at_home(std::uint64_t lbn);
  // Whether its home is known for some of these blocks only by the map, and that is a guess.
  bool is_guessed(std::uint64_t lbn, std::uint64_t blocks = 1) const;
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
  std::uint64_t last_of(std::uint64_t lbn) const;
  std::optional<double> end_rev(std::uint64_t last);
  double map_off_rev(std::uint64_t last) const;
  bool is_in_guessed(std::uint64_t lbn, std::uint64_t blocks = 1) const;

  Context& context_;
  std::vector<LbnRange> guessed_;
  Accesses accesses_;
  ReferenceReads reference_;
  double reference_width_rev_;
  std::map<std::uint64_t, double> homes_rev_{};  // of the last LBNs of physical blocks
};

}  // namespace platter::mtbrc
