#include "mtbrc/overheads.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mtbrc/access.h"
#include "mtbrc/read_times.h"
#include "mtbrc/seek.h"
#include "mtbrc/switches.h"
#include "mtbrc/trials.h"
#include "statistics/regression.h"
#include "statistics/robust.h"

namespace platter::mtbrc {
namespace {

// A first, coarse division: what takes longer than this share of a turn was no hit (DIXtrac, 4.3).
constexpr double kHit_rev = 0.25;
constexpr std::size_t kFewestHits = 8;

std::vector<std::uint32_t> sizes_up_to(std::uint32_t most) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 1; size <= most; size *= 2) sizes.push_back(size);
  return sizes;
}

// Runs of LBNs that can be read in one piece, `blocks` long, anywhere.
std::uint64_t random_lbn(Context& context, std::uint32_t blocks) {
  const std::uint64_t all = context.drive.blocks();
  return std::uniform_int_distribution<std::uint64_t>(0, all - 2 * blocks - 1)(context.random);
}

// How to get a read that is served from the cache: read the same again, or where a drive discards
// what it has sent, what its read-ahead has fetched.
enum class HitBy { reread, read_ahead };

class HitReads {
 public:
  HitReads(Context& context, const OverheadOptions& options)
      : context_(context),
        options_(options),
        accesses_(context),
        rest_ns_(static_cast<Nanoseconds>(3 * context.period_ns())) {}

  void run(Meter& meter);

 private:
  bool hit(std::uint32_t blocks, HitBy how, std::uint32_t repeats);
  Context& context_;
  OverheadOptions options_;
  Accesses accesses_;
  Nanoseconds rest_ns_;
};

// One place: what fills the cache, a rest for the read-ahead to end, then the hits. True if the
// majority came fast.
bool HitReads::hit(std::uint32_t blocks, HitBy how, std::uint32_t repeats) {
  const std::uint64_t lbn = random_lbn(context_, blocks * (repeats + 1));
  if (!accesses_.read(Experiment::other, lbn, 0, blocks)) return false;
  context_.drive.rest_ns(rest_ns_);
  std::uint32_t fast = 0;
  for (std::uint32_t i = 0; i < repeats; ++i) {
    const std::uint64_t at = how == HitBy::reread ? lbn : lbn + std::uint64_t{blocks} * (i + 1);
    const auto sample = accesses_.read(Experiment::hit, at, 0, blocks);
    if (!sample) return false;
    const auto took = static_cast<double>(sample->completed_ns - sample->issued_ns);
    fast += took < kHit_rev * context_.period_ns() ? 1 : 0;
  }
  return 2 * fast > repeats;
}

void HitReads::run(Meter& meter) {
  constexpr std::uint32_t kRepeats = 6;
  std::uint32_t again = 0, ahead = 0;
  for (int i = 0; i < 3; ++i) {
    again += hit(1, HitBy::reread, 2) ? 1 : 0;
    ahead += hit(1, HitBy::read_ahead, 1) ? 1 : 0;
  }
  if (again == 0 && ahead == 0) return;
  const HitBy how = again >= ahead ? HitBy::reread : HitBy::read_ahead;
  for (std::uint32_t done = 0; done < options_.hits && !meter.exhausted(); done += kRepeats) {
    for (std::uint32_t size : sizes_up_to(options_.most_hit_blocks)) {
      if (meter.exhausted()) break;
      // What was read ahead is not endless.
      const std::uint32_t repeats =
          how == HitBy::reread ? kRepeats
                               : std::clamp(options_.most_hit_blocks / (2 * size), 1u, kRepeats);
      hit(size, how, repeats);
    }
    context_.report("hit overheads", meter.share());
  }
}

// Hits next to writes: cached writes after a read and after a write, and reads of cached sectors
// after a write. Rests let the drive write back what it holds before the next is timed. At most one
// write comes between filling the cache and the read, so that few segments suffice.
class WriteHits {
 public:
  WriteHits(Context& context, const std::vector<engine::Track>& tracks, std::uint32_t hits)
      : context_(context), tracks_(tracks), hits_(hits), accesses_(context) {}

  void run(Meter& meter);

 private:
  std::optional<std::uint64_t> pick();
  void rest() { context_.drive.rest_ns(static_cast<Nanoseconds>(4 * context_.period_ns())); }
  bool fast(const std::optional<Sample>& sample) const {
    return sample && static_cast<double>(sample->completed_ns - sample->issued_ns) <
                         kHit_rev * context_.period_ns();
  }
  Context& context_;
  const std::vector<engine::Track>& tracks_;
  std::uint32_t hits_;
  Accesses accesses_;
};

std::optional<std::uint64_t> WriteHits::pick() {
  const engine::LayoutMap& map = *context_.map;
  const engine::Track& track =
      tracks_[std::uniform_int_distribution<std::size_t>(0, tracks_.size() - 1)(context_.random)];
  const std::uint32_t index =
      std::uniform_int_distribution<std::uint32_t>(0, track.sectors - 1)(context_.random);
  const auto lbn = map.lbn_of_slot(track.first_slot + index);
  if (!lbn || map.is_remapped(*lbn)) return std::nullopt;
  return lbn;
}

void WriteHits::run(Meter& meter) {
  std::uint32_t write_hits = 0, read_hits = 0, later_write_hits = 0;
  const auto enough = [&](std::uint32_t seen) { return 2 * seen >= hits_; };
  for (std::uint32_t i = 0; i < hits_ && !meter.exhausted(); ++i) {
    if (enough(write_hits) && enough(read_hits) && enough(later_write_hits)) return;
    const auto a = pick(), b = pick(), c = pick();
    if (!a || !b || !c) continue;
    // What never hits is not tried for long.
    const bool try_writes = i < 8 || write_hits > 0;
    const bool try_reads = i < 8 || read_hits > 0;
    if (!try_writes && !try_reads) return;
    if (!accesses_.read(Experiment::other, *a)) continue;
    rest();
    write_hits += fast(accesses_.write(Experiment::hit, *b)) ? 1 : 0;  // after a read
    rest();
    // After a write: of the sector read before it; on drives that then have dropped that, of what
    // was just written.
    const bool written = i % 2 == 1;
    read_hits += fast(accesses_.read(Experiment::hit, written ? *b : *a)) ? 1 : 0;
    rest();
    if (!try_writes) continue;
    accesses_.write(Experiment::other, *b);
    rest();
    later_write_hits += fast(accesses_.write(Experiment::hit, *c)) ? 1 : 0;  // after a write
    rest();
    context_.report("hit overheads", meter.share());
  }
}

model::Parameter absent(const std::string& unit, const std::string& reason) {
  model::Parameter result;
  result.unit = unit;
  result.reason = reason;
  return result;
}

struct HitTimes {
  std::vector<double> blocks, ms;
};

// Those of one kind that the cache served: one-block accesses are often fast, and the fast ones lie
// close together, as accesses to the media by chance do not.
std::optional<HitTimes> hit_times(const Samples& samples, bool write, bool after_write,
                                  double period_ms) {
  constexpr double kFewestFast = 0.35;  // by chance: not more than kHit_rev
  constexpr double kClose_rev = 0.04;
  std::map<std::uint32_t, std::vector<double>> by_size;
  for (const Sample& s : samples)
    if (s.experiment == Experiment::hit && s.write == write && s.after_write == after_write &&
        s.after_completed_ns > 0)
      by_size[s.blocks].push_back(to_ms(s.completed_ns - s.issued_ns));
  const std::vector<double>& ones = by_size[1];
  std::vector<double> fast;
  for (double ms : ones)
    if (ms < kHit_rev * period_ms) fast.push_back(ms);
  if (fast.size() < kFewestHits ||
      static_cast<double>(fast.size()) < kFewestFast * static_cast<double>(ones.size()) ||
      statistics::mad_sigma(fast) > kClose_rev * period_ms)
    return std::nullopt;
  // More blocks take longer to send; what lies far above the quick ones of its size missed.
  const double one_ms = statistics::median(fast);
  HitTimes kept;
  for (const auto& [size, times] : by_size) {
    const double quick = statistics::quantile_of(times, 0.15);
    if (quick > one_ms * size + kHit_rev * period_ms) continue;
    for (double ms : times) {
      if (std::abs(ms - quick) > 2 * kClose_rev * period_ms) continue;
      kept.blocks.push_back(size);
      kept.ms.push_back(ms);
    }
  }
  return kept;
}

model::Parameter hit_overhead(const Samples& samples, bool write, bool after_write,
                              const model::Parameter& block_transfer, double period_ms) {
  const auto times = hit_times(samples, write, after_write, period_ms);
  if (!times)
    return absent("ms", write ? "no cached writes were timed" : "no cache hits were timed");
  if (!block_transfer) return absent("ms", "the bus time of a block is not known");
  std::vector<double> overheads;
  for (std::size_t i = 0; i < times->ms.size(); ++i)
    if (times->blocks[i] == 1) overheads.push_back(times->ms[i] - *block_transfer.value);
  // The median, because what the host adds has a long tail: the sum is with the host's median delay.
  const auto found = statistics::median_estimate(overheads);
  if (!found) return absent("ms", "no cache hits were timed");
  model::Parameter result;
  result.unit = "ms";
  result.method = "response time of cache hits, less one block's transfer";
  result.value = found->value;
  result.error = std::hypot(found->error, block_transfer.error.value_or(0));
  result.samples = found->samples;
  return result;
}

model::Parameter miss_overhead(const Samples& samples, const engine::LayoutMap& map,
                               const model::Rotation& rotation, bool write, bool after_write,
                               const model::Parameter& block_transfer, const ReadTimes& reads) {
  const bool any = std::any_of(samples.begin(), samples.end(), [](const Sample& s) {
    return s.experiment == Experiment::same_track && (s.write || s.after_write);
  });
  if ((write || after_write) && !any)
    return absent("ms", "no writes were timed: they need permitted ranges with whole tracks");
  model::Parameter result = estimate_same_track(samples, map, rotation, write, after_write);
  if (!result) return result;
  // What positioning noise delayed reads on one track by, as far as SEEK commands tell it apart.
  if (!write && reads.still_by_commands) {
    *result.value -= *reads.same_track.value - reads.still->value * 1e-6;
    // A read after a read is then what the commands say, its own trials are gone.
    const double still_ms = reads.still->error * 1e-6;
    result.error = after_write ? std::hypot(*result.error, reads.same_track.error.value_or(0), still_ms)
                               : still_ms;
  }
  result.method = "MTBRC on one track, less one sector's media time";
  if (block_transfer) {
    *result.value -= *block_transfer.value;
    result.error = std::hypot(result.error.value_or(0), block_transfer.error.value_or(0));
    result.method += " and one block's transfer";
  }
  return result;
}

}  // namespace

void measure_miss_overheads(Context& context, const std::vector<LbnRange>& permitted,
                            const OverheadOptions& options) {
  const double target = options.target_error_ms;
  const auto known = [&](bool write, bool after_write) {
    const model::Parameter found =
        estimate_same_track(context.samples, *context.map, context.rotation, write, after_write);
    return found && found.error.value_or(1e9) <= target;
  };
  if (!known(false, false)) measure_same_track(context, false, false, target);
  if (permitted.empty()) return;
  const std::vector<engine::Track> tracks = writable_tracks(context, permitted, 16);
  if (tracks.empty()) return;
  if (!known(false, true)) measure_same_track(context, false, true, target, tracks);
  if (!known(true, false)) measure_same_track(context, true, false, target, tracks);
  if (!known(true, true)) measure_same_track(context, true, true, target, tracks);
}

void measure_hit_overheads(Context& context, const std::vector<LbnRange>& permitted,
                           const OverheadOptions& options) {
  const bool limited = context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  Meter meter(context, limited ? context.budget : options.budget);
  HitReads(context, options).run(meter);
  if (permitted.empty() || context.map == nullptr) return;
  const std::vector<engine::Track> tracks = writable_tracks(context, permitted, 8);
  if (!tracks.empty()) WriteHits(context, tracks, options.hits).run(meter);
}

model::Parameter estimate_block_transfer(const Samples& samples, const model::Rotation& rotation) {
  const double period_ms =
      static_cast<double>(rotation.numerator_ns) / static_cast<double>(rotation.denominator) * 1e-6;
  const auto times = hit_times(samples, false, false, period_ms);
  if (!times) return absent("ms", "no cache hits were timed");
  const auto line = statistics::huber_line(times->blocks, times->ms);
  if (!line) return absent("ms", "cache hits of several sizes are needed");
  model::Parameter result;
  result.unit = "ms";
  result.method = "slope of hit time over blocks";
  result.value = line->coefficients[1];
  result.error = std::sqrt(line->covariance.at(1, 1));
  result.samples = times->ms.size();
  return result;
}

OverheadEstimate estimate_overheads(const Samples& samples, const engine::LayoutMap& map,
                                    const model::Rotation& rotation) {
  const double period_ms =
      static_cast<double>(rotation.numerator_ns) / static_cast<double>(rotation.denominator) * 1e-6;
  OverheadEstimate result;
  result.block_transfer = estimate_block_transfer(samples, rotation);
  const ReadTimes reads = read_times(samples, map, rotation);
  const auto hit = [&](bool write, bool after_write) {
    return hit_overhead(samples, write, after_write, result.block_transfer, period_ms);
  };
  const auto miss = [&](bool write, bool after_write) {
    return miss_overhead(samples, map, rotation, write, after_write, result.block_transfer, reads);
  };
  model::Overheads& o = result.overheads;
  o.read_hit_after_read = hit(false, false);
  o.read_hit_after_write = hit(false, true);
  o.write_hit_after_read = hit(true, false);
  o.write_hit_after_write = hit(true, true);
  o.read_miss_after_read = miss(false, false);
  o.read_miss_after_write = miss(false, true);
  o.write_miss_after_read = miss(true, false);
  o.write_miss_after_write = miss(true, true);
  return result;
}

}  // namespace platter::mtbrc
