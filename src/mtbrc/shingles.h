// Shingled drives by what becomes of blocks that are rewritten in place (after Aghayev and
// Desnoyers, Skylight, FAST 2015): written blocks wait in a media cache until the drive has cleaned
// their band. docs/methods/shingled.md has the equations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "mtbrc/context.h"
#include "mtbrc/home_reads.h"
#include "statistics/robust.h"

namespace platter::mtbrc {

// Of blocks that were at home, and were rewritten.
struct Displaced {
  std::uint32_t looked_at = 0, away = 0;
};

struct IdleCleaning {
  bool seen = false;
  std::uint64_t at = 0;                      // where it was timed
  statistics::Estimate one_band, two_bands;  // ns without a command until so many are at home
  statistics::Estimate of_band;              // ns that one more of them takes, told by some
};

struct FilledCache {
  std::uint64_t blocks = 0, writes = 0;  // taken without a pause
  std::uint64_t of_run = 0;              // blocks that the whole run has rewritten until then
  bool full = false;                     // then the drive paused
  // Whether a block that is written again takes another place, and keeps its old one too; only of
  // those that were side by side.
  std::optional<bool> keeps_old{};
  double pause_ns = 0;               // the least of the first pauses, beyond a write
  statistics::Estimate band_blocks;  // of the band that came home first; error 0: not told
  std::string ended{};               // why it is not full
};

// All writes rewrite what the blocks hold, within `permitted` (whole physical blocks), each on the
// media before the next command.
class Shingles {
 public:
  // `guessed`: where the context's map does not tell the angles (sorted); there a block's home is
  // where it was before it was rewritten.
  Shingles(Context& context, const std::vector<LbnRange>& permitted,
           const std::vector<LbnRange>& guessed);

  // 24 scattered blocks.
  Displaced displaced();

  // Blocks of one band, rewritten before pauses that grow from 0.25 s to 40 s; then of two bands.
  IdleCleaning idle_cleaning();
  // Of a drive that cleans when idle: two blocks that come home together are of one band.
  statistics::Estimate band_blocks(const IdleCleaning& cleaning);
  // Rewrites `length` blocks at places of their own until the drive pauses. `room`: whether the
  // journal has room for so many bytes more. `side_by_side`: the places are, which tells the band
  // that comes home first.
  FilledCache fill(std::uint32_t length, bool side_by_side,
                   const std::function<bool(std::uint64_t bytes)>& room);
  // Nothing is sent until all that was written is at home; false: it does not come.
  bool bring_home(const IdleCleaning& cleaning);

 private:
  struct Pause {
    std::vector<std::uint64_t> groups;  // first LBNs
    Nanoseconds time_ns = 0;
    bool waited = false;  // for a step of the cleaning
  };
  enum class BandOf : std::uint8_t { same, other, both };
  class CameHome;
  std::uint64_t place(std::uint64_t blocks);
  std::uint64_t place_near(std::uint64_t lbn, std::uint64_t blocks);
  bool rewrite(std::uint64_t lbn, std::uint32_t blocks);
  bool rewrite_group(std::uint64_t lbn);
  void settle();
  // How many groups are at home behind it; its time becomes that at which this held.
  std::uint32_t groups_home(Pause& pause);
  statistics::Estimate until_home(const std::vector<std::uint64_t>& groups, double low_ns,
                                  double high_ns, double settle_ns);
  void many_bands(std::uint64_t one, std::uint32_t bands, IdleCleaning& found);
  std::optional<std::uint64_t> home_from(std::uint64_t lbn);
  std::optional<std::uint64_t> edge_above(std::uint64_t lbn, const IdleCleaning& cleaning);
  // b's, as a's.
  std::optional<BandOf> band_of(std::uint64_t a, std::uint64_t b, const IdleCleaning& cleaning);
  bool is_in_part_home(std::uint64_t group);
  std::optional<double> band_at(std::uint64_t begin, const IdleCleaning& cleaning);
  std::vector<std::uint64_t> places_for(std::uint32_t length);
  std::optional<bool> keeps_old(std::uint64_t lbn, std::uint32_t length, double pause_ns,
                                const std::function<bool(std::uint64_t bytes)>& room);
  void in_stretches(std::vector<std::uint64_t>& places);
  std::uint64_t bytes_of(std::uint64_t blocks) const {
    return blocks * context_.drive.block_bytes();
  }

  Context& context_;
  const std::vector<LbnRange>& permitted_;
  HomeReads home_;
  Accesses accesses_;
  std::mt19937_64 random_;  // its own: other experiments choose as they would without it
  std::vector<std::uint64_t> watched_{};  // rewritten, and their homes are remembered
  std::set<std::uint64_t> stretches_{};   // of the least band, in which blocks were rewritten
  Nanoseconds usual_look_ns_ = 0;
};

}  // namespace platter::mtbrc
