#include "mtbrc/overheads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/parameters.h"
#include "model/revolution.h"
#include "mtbrc/access.h"
#include "mtbrc/bus_time.h"
#include "mtbrc/read_times.h"
#include "mtbrc/reads_among_verifies.h"
#include "mtbrc/round_trips.h"
#include "mtbrc/seek.h"
#include "mtbrc/slow_bus.h"
#include "mtbrc/switches.h"
#include "mtbrc/trials.h"
#include "mtbrc/writable.h"
#include "mtbrc/write_supply.h"
#include "statistics/regression.h"
#include "statistics/robust.h"
#include "statistics/shape.h"

namespace platter::mtbrc {
namespace {

// A first, coarse division: what takes longer than this share of a turn was no hit (DIXtrac, 4.3).
constexpr double kHit_rev = 0.25;
constexpr std::size_t kFewestHits = 8;
constexpr double kClock_ms = 0.01;  // by which clocks round

std::vector<std::uint32_t> sizes_up_to(std::uint32_t most) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 1; size <= most; size *= 2) sizes.push_back(size);
  return sizes;
}

// Runs of LBNs that can be read in one piece, `blocks` long, anywhere with as many behind them.
// nullopt: the drive is too small for any.
std::optional<std::uint64_t> random_lbn(Context& context, std::uint32_t blocks) {
  const std::uint64_t all = context.drive.blocks();
  if (all <= 2 * std::uint64_t{blocks}) return std::nullopt;
  return std::uniform_int_distribution<std::uint64_t>(0, all - 2 * blocks - 1)(context.random);
}

struct HitTimes {
  std::vector<double> blocks, ms;
  double reach_ms = 0;  // of the smallest: later ones were taken for accesses to the media
};

// Which of these lie about `centre`; empty if so few that it may be by chance.
std::vector<double> gathered(const std::vector<double>& times, double centre, double reach) {
  constexpr double kFewestFast = 0.35;
  std::vector<double> kept;
  for (double ms : times)
    if (std::abs(ms - centre) <= reach) kept.push_back(ms);
  if (static_cast<double>(kept.size()) < kFewestFast * static_cast<double>(times.size()))
    kept.clear();
  return kept;
}

model::Parameter transfer_of_hits(const Samples& samples, double period_ms, bool write);

// What the data of the blocks beyond the first take on the bus, as far as hits of reads told it.
double bus_time_beyond_first_ms(const Samples& samples, double period_ms, std::uint32_t blocks) {
  if (blocks == 1) return 0;
  const model::Parameter block = transfer_of_hits(samples, period_ms, false);
  return (blocks - 1) * std::max(0.0, acting_transfer_ms(block));
}

// Those of one kind that the cache served: the smallest accesses are often fast, and the fast ones
// lie close together, as accesses to the media by chance do not. With the number of blocks hits
// grow along a straight line; a size that the drive does not keep leaves it, for accesses to the
// media lie all over the turn, or in a row a whole turn apart.
std::optional<HitTimes> hit_times(const Samples& samples, bool write, bool after_write,
                                  double period_ms) {
  const std::uint32_t fewest = write ? write_unit(samples) : 1;
  constexpr double kClose_rev = 0.04;
  constexpr double kSigmas = 8;  // of the hits' own spread, which has a long tail
  constexpr double kLineSigmas = 4;
  std::map<std::uint32_t, std::vector<double>> by_size;
  for (const Sample& s : samples)
    if (s.experiment == Experiment::hit && s.write == write && s.after_write == after_write &&
        s.after_completed_ns > 0)
      by_size[s.blocks].push_back(to_ms(s.completed_ns - s.issued_ns));
  const double others_ms = bus_time_beyond_first_ms(samples, period_ms, fewest);
  std::vector<double> fast;
  for (double ms : by_size[fewest])
    if (ms < kHit_rev * period_ms + others_ms) fast.push_back(ms);
  if (fast.size() < kFewestHits || statistics::mad_sigma(fast) > kClose_rev * period_ms)
    return std::nullopt;
  const double one_ms = statistics::median(fast);
  const double spread_ms = statistics::mad_sigma(fast);
  HitTimes kept;
  std::size_t sizes = 0;
  for (const auto& [size, times] : by_size) {
    double centre = one_ms, unsure = 0;
    if (sizes == 1) {  // no line yet: the quick ones
      centre = statistics::quantile_of(times, 0.15);
      const double times_as_many = static_cast<double>(size) / fewest - 1;
      if (centre > one_ms + kHit_rev * period_ms + times_as_many * others_ms) continue;
    } else if (sizes > 1) {
      const auto line = statistics::huber_line(kept.blocks, kept.ms);
      if (!line) continue;
      const std::array<double, 2> row = {1, static_cast<double>(size)};
      centre = line->predict(row);
      unsure = line->predict_error(row);
    }
    const double reach = std::min(kSigmas * spread_ms + kLineSigmas * unsure + kClock_ms,
                                  2 * kClose_rev * period_ms);
    const std::vector<double> mine = gathered(times, centre, reach);
    if (mine.empty()) {
      if (sizes == 0) return std::nullopt;
      continue;
    }
    if (sizes == 0) kept.reach_ms = reach;
    for (double ms : mine) {
      kept.blocks.push_back(size);
      kept.ms.push_back(ms);
    }
    ++sizes;
  }
  return kept;
}

OverheadOptions within(OverheadOptions options, std::uint32_t most_blocks) {
  options.most_hit_blocks = std::min(options.most_hit_blocks, most_blocks);
  return options;
}

// How to get a read that is served from the cache: read the same again, or where a drive discards
// what it has sent, what its read-ahead has fetched. Where read-ahead goes on until it pushes out
// what it began with, only what is read again at once is still there.
struct Way {
  enum class By { reread, read_ahead } by;
  double rest_rev;        // between what fills the cache and the hits
  std::uint32_t repeats;  // at one place
};
constexpr Way kReread{Way::By::reread, 3, 6}, kReadAhead{Way::By::read_ahead, 3, 6},
    kRereadAtOnce{Way::By::reread, 0, 2};

class HitReads {
 public:
  HitReads(Context& context, const OverheadOptions& options)
      : context_(context),
        options_(within(options, context.drive.most_blocks())),
        accesses_(context) {}

  void run(Meter& meter);

 private:
  bool hit(std::uint32_t blocks, const Way& way, std::uint32_t repeats);
  std::optional<Way> way_that_hits();
  Context& context_;
  OverheadOptions options_;
  Accesses accesses_;
};

// One place: what fills the cache, a rest, then the hits. True if the majority came fast.
bool HitReads::hit(std::uint32_t blocks, const Way& way, std::uint32_t repeats) {
  const auto place = random_lbn(context_, blocks * (repeats + 1));
  if (!place || !accesses_.read(Experiment::other, *place, 0, blocks)) return false;
  const std::uint64_t lbn = *place;
  context_.drive.rest_ns(static_cast<Nanoseconds>(way.rest_rev * context_.period_ns()));
  std::uint32_t fast = 0;
  for (std::uint32_t i = 0; i < repeats; ++i) {
    const std::uint64_t at = way.by == Way::By::reread ? lbn
                                                       : lbn + std::uint64_t{blocks} * (i + 1);
    const auto sample = accesses_.read(Experiment::hit, at, 0, blocks);
    if (!sample) return false;
    const auto took = static_cast<double>(sample->completed_ns - sample->issued_ns);
    fast += took < kHit_rev * context_.period_ns() ? 1 : 0;
  }
  return 2 * fast > repeats;
}

// The usual ways first; another one where they hit by chance at most. nullopt: none hits.
std::optional<Way> HitReads::way_that_hits() {
  constexpr int kTries = 3;
  std::uint32_t again = 0, ahead = 0, at_once = 0;
  for (int i = 0; i < kTries; ++i) {
    again += hit(1, kReread, 2) ? 1 : 0;
    ahead += hit(1, kReadAhead, 1) ? 1 : 0;
  }
  const std::uint32_t usual = std::max(again, ahead);
  if (usual < 2)
    for (int i = 0; i < kTries; ++i) at_once += hit(1, kRereadAtOnce, 1) ? 1 : 0;
  if (at_once > usual) return kRereadAtOnce;
  if (usual == 0) return std::nullopt;
  return again >= ahead ? kReread : kReadAhead;
}

void HitReads::run(Meter& meter) {
  const auto way = way_that_hits();
  if (!way) return;
  std::vector<std::uint32_t> sizes = sizes_up_to(options_.most_hit_blocks);
  for (std::uint32_t done = 0; done < options_.hits && !meter.exhausted(); done += way->repeats) {
    // What the drive was not seen to keep is not asked for again and again.
    if (const auto seen = hit_times(context_.samples, false, false, context_.period_ns() * 1e-6);
        seen && done >= 2 * way->repeats)
      std::erase_if(sizes, [&](std::uint32_t size) {
        return std::ranges::find(seen->blocks, size) == seen->blocks.end();
      });
    for (std::uint32_t size : sizes) {
      if (meter.exhausted()) break;
      // What was read ahead is not endless; large hits, which tell the slope over blocks, need more
      // places then.
      const std::uint32_t repeats = way->by == Way::By::reread
                                        ? way->repeats
                                        : std::clamp(options_.most_hit_blocks / (2 * size), 1u,
                                                     way->repeats);
      for (std::uint32_t timed = 0; 2 * timed < way->repeats; timed += repeats)
        hit(size, *way, repeats);
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
      : context_(context),
        tracks_(tracks),
        hits_(hits),
        unit_(context.write_unit()),
        accesses_(context) {}

  void run(Meter& meter);

 private:
  std::optional<std::uint64_t> pick(std::uint32_t blocks);
  std::optional<Sample> write(Experiment experiment, std::uint64_t lbn) {
    return accesses_.write(experiment, lbn, 0, unit_);
  }
  bool smallest(Meter& meter);
  void several_blocks(Meter& meter);
  void rest() { context_.drive.rest_ns(static_cast<Nanoseconds>(4 * context_.period_ns())); }
  bool fast(const std::optional<Sample>& sample) const {
    return sample &&
           static_cast<double>(sample->completed_ns - sample->issued_ns) < longest_hit_ns_;
  }
  Context& context_;
  const std::vector<engine::Track>& tracks_;
  std::uint32_t hits_;
  std::uint32_t unit_;  // blocks of the smallest write
  double longest_hit_ns_ = kHit_rev * context_.period_ns() +
                           1e6 * bus_time_beyond_first_ms(context_.samples,
                                                          context_.period_ns() * 1e-6, unit_);
  Accesses accesses_;
};

// So many blocks in one piece on one of the tracks, whole physical ones.
std::optional<std::uint64_t> WriteHits::pick(std::uint32_t blocks) {
  const engine::Track& track =
      tracks_[std::uniform_int_distribution<std::size_t>(0, tracks_.size() - 1)(context_.random)];
  if (blocks > track.sectors) return std::nullopt;
  const std::uint32_t index = std::uniform_int_distribution<std::uint32_t>(
      0, track.sectors - blocks)(context_.random);
  for (std::uint32_t i = 0; i < unit_; ++i)
    if (const auto lbn = writable_run(context_, track, track.first_slot + index + i, blocks))
      return lbn;
  return std::nullopt;
}

void WriteHits::run(Meter& meter) {
  if (smallest(meter)) several_blocks(meter);
}

// Writes of several sizes, each after a write: how long their data take. Four times as many blocks
// from one size to the next, for most is told by the largest that the drive takes.
void WriteHits::several_blocks(Meter& meter) {
  constexpr std::uint32_t kRounds = 8;
  const std::uint32_t least = std::max(4U, 2 * unit_);
  const std::uint32_t most = std::min(std::max(64U, 8 * unit_), context_.drive.most_blocks());
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = least; size <= most; size *= 4) sizes.push_back(size);
  for (std::uint32_t round = 0; round < kRounds && !sizes.empty(); ++round) {
    for (const std::uint32_t size : sizes) {
      if (meter.exhausted()) return;
      if (const auto lbn = pick(size)) accesses_.write(Experiment::hit, *lbn, 0, size);
      rest();
    }
    context_.report("hit overheads", meter.share());
    if (round != 2) continue;
    const auto seen = hit_times(context_.samples, true, true, context_.period_ns() * 1e-6);
    std::erase_if(sizes, [&](std::uint32_t size) {
      return !seen || std::ranges::find(seen->blocks, size) == seen->blocks.end();
    });
  }
}

// True if writes after writes hit.
bool WriteHits::smallest(Meter& meter) {
  std::uint32_t write_hits = 0, read_hits = 0, later_write_hits = 0;
  const auto enough = [&](std::uint32_t seen) { return 2 * seen >= hits_; };
  for (std::uint32_t i = 0; i < hits_ && !meter.exhausted(); ++i) {
    if (enough(write_hits) && enough(read_hits) && enough(later_write_hits)) break;
    const auto a = pick(unit_), b = pick(unit_), c = pick(unit_);
    if (!a || !b || !c) continue;
    // What never hits is not tried for long.
    const bool try_writes = i < 8 || write_hits > 0;
    const bool try_reads = i < 8 || read_hits > 0;
    if (!try_writes && !try_reads) return false;
    if (!accesses_.read(Experiment::other, *a)) continue;
    rest();
    write_hits += fast(write(Experiment::hit, *b)) ? 1 : 0;  // after a read
    rest();
    // After a write: of the sector read before it; on drives that then have dropped that, of what
    // was just written.
    const bool written = i % 2 == 1;
    read_hits += fast(accesses_.read(Experiment::hit, written ? *b : *a)) ? 1 : 0;
    rest();
    if (!try_writes) continue;
    write(Experiment::other, *b);
    rest();
    later_write_hits += fast(write(Experiment::hit, *c)) ? 1 : 0;  // after a write
    rest();
    context_.report("hit overheads", meter.share());
  }
  return later_write_hits >= kFewestHits;
}

std::vector<double> times_of_size(const HitTimes& times, std::uint32_t blocks) {
  std::vector<double> mine;
  for (std::size_t i = 0; i < times.ms.size(); ++i)
    if (times.blocks[i] == blocks) mine.push_back(times.ms[i]);
  return mine;
}

// What hits deviate from the median of their kind and size: the host's delay is the same for all.
std::vector<double> deviations_of_hits(const Samples& samples, double period_ms) {
  constexpr std::size_t kFewest = 12;  // whose median is worth something
  std::vector<double> deviations;
  for (const bool write : {false, true})
    for (const bool after_write : {false, true})
      if (const auto times = hit_times(samples, write, after_write, period_ms)) {
        std::map<double, std::vector<double>> by_size;
        for (std::size_t i = 0; i < times->ms.size(); ++i)
          by_size[times->blocks[i]].push_back(times->ms[i]);
        for (const auto& [size, all] : by_size) {
          if (all.size() < kFewest) continue;
          const double middle = statistics::median(all);
          for (const double ms : all) deviations.push_back(ms - middle);
        }
      }
  return deviations;
}

// Of hits that the host made so late that they were taken for accesses to the media the times are
// gone; that there were such shifts the median.
std::vector<double> with_late_ones(std::vector<double> times, double late_share) {
  if (times.empty()) return times;
  const double all = static_cast<double>(times.size()) / (1 - std::min(late_share, 0.5));
  const double latest = *std::max_element(times.begin(), times.end());
  times.resize(static_cast<std::size_t>(std::llround(all)), latest);
  return times;
}

// The median, because what the host adds has a long tail: the sum is with the host's median delay.
// Some kinds of hits are too few to tell their own well.
std::optional<statistics::Estimate> median_of_hits(const Samples& samples, const HitTimes& times,
                                                   std::uint32_t blocks, double period_ms) {
  std::vector<double> mine = times_of_size(times, blocks);
  if (const auto host = host_delay(samples))
    mine = with_late_ones(std::move(mine), host->share_beyond(times.reach_ms));
  const auto by_shape = statistics::median_by_shape(mine, deviations_of_hits(samples, period_ms));
  return by_shape ? by_shape : statistics::median_estimate(mine);
}

model::Parameter hit_overhead(const Samples& samples, bool write, bool after_write,
                              const model::Parameter& block_transfer, double period_ms) {
  const auto times = hit_times(samples, write, after_write, period_ms);
  if (!times)
    return model::absent(write         ? "no cached writes were timed"
                         : after_write ? "no cache hits were timed that follow a write"
                                       : "no cache hits were timed",
                         "ms");
  if (!block_transfer) return model::absent("the bus time of a block is not known", "ms");
  const std::uint32_t fewest = write ? write_unit(samples) : 1;
  const auto found = median_of_hits(samples, *times, fewest, period_ms);
  if (!found) return model::absent("no cache hits were timed", "ms");
  model::Parameter result;
  result.unit = "ms";
  result.method = fewest == 1
                      ? "response time of cache hits, less one block's transfer"
                      : fmt::format("response time of cache hits of {} blocks, less their transfer",
                                    fewest);
  result.value = found->value - fewest * *block_transfer.value;
  result.error = std::hypot(found->error, fewest * block_transfer.error.value_or(0));
  result.samples = found->samples;
  return result;
}

model::Parameter miss_overhead(const Samples& samples, const engine::LayoutMap& map,
                               const model::Rotation& rotation, bool write, bool after_write,
                               const model::Parameter& data, const ReadTimes& reads,
                               const std::optional<statistics::Estimate>& least) {
  const bool any = std::any_of(samples.begin(), samples.end(), [](const Sample& s) {
    return s.experiment == Experiment::same_track && (s.write || s.after_write);
  });
  if ((write || after_write) && !any)
    return model::absent(
        "no writes were timed: they need whole tracks in the ranges of --allow-writes", "ms");
  model::Parameter result = estimate_same_track(samples, map, rotation, write, after_write);
  if (!result) return result;
  // What positioning noise delayed reads on one track by, as far as SEEK commands tell it apart.
  if (!write && reads.still_by_commands) {
    *result.value -= *reads.same_track.value - reads.still->value * 1e-6;
    // A read after a read is then what the commands say, its own trials are gone.
    const double still_ms = reads.still->error * 1e-6;
    result.error = after_write
                       ? std::hypot(*result.error, reads.same_track.error.value_or(0), still_ms)
                       : still_ms;
  }
  const std::uint32_t fewest = write ? write_unit(samples) : 1;
  const bool verifies = !write && by_verifies(samples);
  if (verifies) {
    const model::Parameter own = estimate_reads_among_verifies(samples, map, rotation);
    if (!own) {
      result.method =
          "MTBRC of VERIFYs on one track, less one sector's media time; too few "
          "reads, which may take another time, could be timed";
      return result;
    }
    *result.value += *own.value - *reads.same_track.value;
    result.error = std::hypot(
        *result.error, own.error.value_or(0),
        after_write || reads.still_by_commands ? reads.same_track.error.value_or(0) : 0);
    result.samples += own.samples;
  }
  result.method = fewest == 1 ? "MTBRC on one track, less one sector's media time"
                              : fmt::format(
                                    "MTBRC on one track of writes of {} blocks, less their media "
                                    "time",
                                    fewest);
  if (least) {
    *result.value -= least->value * 1e-6;
    result.error = std::hypot(result.error.value_or(0), least->error * 1e-6);
    result.method += " and the least delay of a write";
  } else if (data) {
    *result.value -= *data.value;
    result.error = std::hypot(result.error.value_or(0), data.error.value_or(0));
    result.method += fewest == 1 ? " and one block's transfer"
                                 : " and what they wait for their data";
  }
  result.error = std::hypot(result.error.value_or(0), reads.host_unsure_ns * 1e-6);
  return result;
}

}  // namespace

void measure_miss_overheads(Context& context, const std::vector<LbnRange>& permitted,
                            const OverheadOptions& options) {
  const auto known = [&](bool write, bool after_write, double target_ms) {
    const model::Parameter found = estimate_same_track(context.samples, *context.map,
                                                       context.rotation, write, after_write);
    return found &&
           found.error.value_or(1e9) <= 1e-6 * worth_ns(1e6 * target_ms, 1e6 * *found.value);
  };
  const auto late = [&] {
    return context.deadline_ns > 0 && context.drive.now_ns() >= context.deadline_ns;
  };
  const auto measure = [&](bool write, bool after_write, double share,
                           const std::vector<engine::Track>& tracks) {
    const PartOfTime fair(context, share);
    // Roughly first: by how long it takes follows how sharply it is wanted.
    for (const double coarser : {4.0, 2.0, 1.0}) {
      const double target_ms = coarser * options.target_error_ms;
      if (known(write, after_write, target_ms)) continue;
      measure_same_track(context, write, after_write, target_ms, tracks);
      if (late()) return;
    }
  };
  if (context.probe == Probe::verify) {
    const PartOfTime fair(context, 1.0 / 3);
    measure_reads_among_verifies(context, options.target_error_ms);
  }
  measure(false, false, permitted.empty() ? 1 : 1.0 / 4, {});
  if (const auto tracks = permitted.empty() ? std::vector<engine::Track>{}
                                            : writable_tracks(context, permitted, 16);
      !tracks.empty()) {
    measure(false, true, 1.0 / 3, tracks);
    measure(true, false, 1.0 / 2, tracks);
    measure(true, true, 1, tracks);
  }
  if (!late()) sharpen_constant(context);
}

void measure_hit_overheads(Context& context, const std::vector<LbnRange>& permitted,
                           const OverheadOptions& options) {
  const bool limited = context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  Meter meter(context, limited ? context.budget : options.budget);
  {
    const PartOfTime fair(context, permitted.empty() ? 1 : 0.5);
    Meter of_reads(context, limited ? context.budget : options.budget);
    HitReads(context, options).run(of_reads);
  }
  if (permitted.empty() || context.map == nullptr) return;
  const std::vector<engine::Track> tracks = writable_tracks(context, permitted, 8);
  if (!tracks.empty()) WriteHits(context, tracks, options.hits).run(meter);
}

namespace {

double period_ms_of(const model::Rotation& rotation) {
  return model::revolution_ns(rotation) * 1e-6;
}

// Slope of hit time over blocks.
model::Parameter transfer_of_hits(const Samples& samples, double period_ms, bool write) {
  const auto times = hit_times(samples, write, write, period_ms);
  if (!times)
    return model::absent(write ? "no cached writes were timed" : "no cache hits were timed", "ms");
  const auto line = statistics::huber_line(times->blocks, times->ms);
  if (!line)
    return model::absent(write ? "cached writes of several sizes are needed"
                               : "cache hits of several sizes are needed",
                         "ms");
  model::Parameter result;
  result.unit = "ms";
  result.method = write ? "slope of the time of cached writes over blocks"
                        : "slope of hit time over blocks";
  result.value = line->coefficients[1];
  result.error = std::sqrt(line->covariance.at(1, 1));
  result.samples = times->ms.size();
  return result;
}

}  // namespace

model::Parameter estimate_block_transfer(const Samples& samples, const model::Rotation& rotation) {
  return transfer_of_hits(samples, period_ms_of(rotation), false);
}

model::Parameter estimate_write_block_transfer(const Samples& samples, const engine::LayoutMap& map,
                                               const model::Rotation& rotation) {
  model::Parameter result = transfer_of_hits(samples, period_ms_of(rotation), true);
  if (result) return result;
  if (std::none_of(samples.begin(), samples.end(), [](const Sample& s) { return s.write; }))
    return model::absent(
        "no writes were timed: they need whole tracks in the ranges of --allow-writes", "ms");
  const auto supply = write_supply(samples, map, rotation);
  if (!supply)
    return model::absent(result.reason + ", and writes to the media do not wait for all their data",
                         "ms");
  // A drive that begins before it has all the data waits only for what the bus is slower by than
  // the media.
  if (const model::Parameter reads = estimate_block_transfer(samples, rotation);
      reads && supply->is_nearer_to_what_the_bus_lags(1e6 * *reads.value))
    return model::absent(
        result.reason + ", and writes to the media begin before all their data are there", "ms");
  result.reason.clear();
  result.value = supply->block.value * 1e-6;
  result.error = supply->block.error * 1e-6;
  result.method = "MTBRC on one track of writes of several blocks, which wait for their data";
  result.samples = supply->block.samples;
  return result;
}

namespace {

// Of a block that takes `data` on the bus.
model::Parameter with_wait(model::Parameter data, const Samples& samples,
                           const engine::LayoutMap& map, const model::Rotation& rotation) {
  if (write_unit(samples) == 1 || !data) return data;
  const statistics::Estimate waits = wait_for_data(
      samples, map, rotation, {*data.value * 1e6, data.error.value_or(0) * 1e6, data.samples});
  data.value = waits.value * 1e-6;
  data.error = waits.error * 1e-6;
  return data;
}

}  // namespace

model::Parameter estimate_write_data(const Samples& samples, const engine::LayoutMap& map,
                                     const model::Rotation& rotation) {
  const model::Parameter writes = estimate_write_block_transfer(samples, map, rotation);
  return with_wait(writes ? writes : estimate_block_transfer(samples, rotation), samples, map,
                   rotation);
}

std::optional<model::DelaySpread> estimate_delay_spread(const Samples& samples,
                                                        const model::Rotation& rotation) {
  constexpr std::size_t kFewest = 100, kFewestOfKind = 24;
  constexpr std::array kShares = {0.0, 0.01, 0.02, 0.05, 0.1,  0.2,  0.3,  0.4, 0.5,
                                  0.6, 0.7,  0.8,  0.9,  0.95, 0.98, 0.99, 1.0};
  std::vector<double> late_ms;
  for (const bool write : {false, true})
    for (const bool after_write : {false, true}) {
      const auto times = hit_times(samples, write, after_write, period_ms_of(rotation));
      if (!times || times->ms.size() < kFewestOfKind) continue;
      const auto line = statistics::huber_line(times->blocks, times->ms);
      std::vector<double> of_kind;
      for (std::size_t i = 0; i < times->ms.size(); ++i) {
        const std::array<double, 2> row = {1, times->blocks[i]};
        of_kind.push_back(times->ms[i] - (line ? line->predict(row) : 0));
      }
      const double usual_ms = statistics::median(of_kind);
      for (const double ms : of_kind) late_ms.push_back(ms - usual_ms);
    }
  if (late_ms.size() < kFewest) return std::nullopt;
  model::DelaySpread spread;
  spread.method = "response times of cache hits beside the line of their kind over blocks";
  spread.samples = late_ms.size();
  for (const double share : kShares)
    spread.quantiles.push_back({.share = share, .ms = statistics::quantile_of(late_ms, share)});
  return spread;
}

OverheadEstimate estimate_hit_overheads(const Samples& samples, const model::Rotation& rotation) {
  const double period_ms = period_ms_of(rotation);
  OverheadEstimate result;
  result.block_transfer = estimate_block_transfer(samples, rotation);
  result.write_block_transfer = transfer_of_hits(samples, period_ms, true);
  const model::Parameter& of_writes = result.write_block_transfer ? result.write_block_transfer
                                                                  : result.block_transfer;
  const auto hit = [&](bool write, bool after_write) {
    return hit_overhead(samples, write, after_write, write ? of_writes : result.block_transfer,
                        period_ms);
  };
  model::Overheads& o = result.overheads;
  o.read_hit_after_read = hit(false, false);
  o.read_hit_after_write = hit(false, true);
  o.write_hit_after_read = hit(true, false);
  o.write_hit_after_write = hit(true, true);
  for (model::Parameter* miss : {&o.read_miss_after_read, &o.read_miss_after_write,
                                 &o.write_miss_after_read, &o.write_miss_after_write})
    *miss = model::absent("the layout is not known", "ms");
  o.minimum_seek_delay = model::absent("the layout is not known", "ms");
  return result;
}

OverheadEstimate estimate_overheads(const Samples& samples, const engine::LayoutMap& map,
                                    const model::Rotation& rotation) {
  const double period_ms = period_ms_of(rotation);
  OverheadEstimate result;
  result.block_transfer = estimate_block_transfer(samples, rotation);
  if (!result.block_transfer) result.block_transfer = estimate_slow_bus(samples, map, rotation);
  result.write_block_transfer = estimate_write_block_transfer(samples, map, rotation);
  const model::Parameter& of_writes = result.write_block_transfer ? result.write_block_transfer
                                                                  : result.block_transfer;
  const ReadTimes reads = read_times(samples, map, rotation);
  const auto supply = write_supply(samples, map, rotation);
  const model::Parameter write_data = with_wait(of_writes, samples, map, rotation);
  const auto hit = [&](bool write, bool after_write) {
    return hit_overhead(samples, write, after_write, write ? of_writes : result.block_transfer,
                        period_ms);
  };
  const auto miss = [&](bool write, bool after_write) {
    return miss_overhead(samples, map, rotation, write, after_write,
                         write ? write_data : result.block_transfer, reads,
                         write && supply ? supply->least : std::nullopt);
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
  if (supply && supply->least) {
    o.minimum_seek_delay.unit = "ms";
    o.minimum_seek_delay.value = supply->least->value * 1e-6;
    o.minimum_seek_delay.error = supply->least->error * 1e-6;
    const std::uint32_t unit = write_unit(samples);
    o.minimum_seek_delay.method =
        unit == 1 ? "MTBRC on one track of writes of one block and of several"
                  : fmt::format("MTBRC on one track of writes of {} blocks and of more", unit);
    o.minimum_seek_delay.samples = supply->least->samples;
  } else {
    o.minimum_seek_delay = model::absent(
        supply                     ? "the smallest write waits for its data, and no longer"
        : o.write_miss_after_write ? "writes of several blocks were not timed, or wait for nothing"
                                   : o.write_miss_after_write.reason,
        "ms");
  }
  return result;
}

}  // namespace platter::mtbrc
