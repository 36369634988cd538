#include "mtbrc/overheads.h"

#include <algorithm>
#include <array>

#include "estimate/hits.h"
#include "mtbrc/access.h"
#include "mtbrc/known.h"
#include "mtbrc/reads_among_verifies.h"
#include "mtbrc/seek.h"
#include "mtbrc/switches.h"
#include "mtbrc/targets.h"
#include "mtbrc/trials.h"
#include "mtbrc/writable.h"

namespace platter::mtbrc {
namespace {

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

OverheadOptions within(OverheadOptions options, std::uint32_t most_blocks) {
  options.most_hit_blocks = std::min(options.most_hit_blocks, most_blocks);
  return options;
}

// Where the host sees completions at multiples of a grid only, what follows one at once is rounded
// by as much each time, and no mean of many tells the time. It is to begin anywhere in a step.
class AnywhereInStep {
 public:
  explicit AnywhereInStep(Context& context)
      : context_(context), step_ns_(known(context).of<Figure::grid>().value_or(0)) {}
  void rest() const {
    if (step_ns_ > 0)
      context_.drive.rest_ns(
          std::uniform_int_distribution<Nanoseconds>(0, step_ns_ - 1)(context_.random));
  }

 private:
  Context& context_;
  Nanoseconds step_ns_;
};

// How to get a read that is served from the cache: read the same again, or where a drive discards
// what it has sent, what its read-ahead has fetched. Where read-ahead goes on until it pushes out
// what it began with, only what is read again at once is still there.
struct Way {
  enum class By { reread, read_ahead } by;
  double rest_rev;        // between what fills the cache and the hits
  std::uint32_t repeats;  // at one place
};
constexpr Way kReread{Way::By::reread, 3, 8}, kReadAhead{Way::By::read_ahead, 3, 8},
    kRereadAtOnce{Way::By::reread, 0, 2};

class HitReads {
 public:
  HitReads(Context& context, const OverheadOptions& options)
      : context_(context),
        options_(within(options, context.drive.most_blocks())),
        step_(context),
        accesses_(context) {}

  void run(Meter& meter);

 private:
  bool hit(std::uint32_t blocks, const Way& way, std::uint32_t repeats);
  std::optional<Way> way_that_hits();
  Context& context_;
  OverheadOptions options_;
  AnywhereInStep step_;
  Accesses accesses_;
};

// One place: what fills the cache, a rest, then the hits. True if the majority came fast.
bool HitReads::hit(std::uint32_t blocks, const Way& way, std::uint32_t repeats) {
  const auto place = random_lbn(context_, blocks * (repeats + 1));
  if (!place || !accesses_.read(estimate::Experiment::other, *place, 0, blocks)) return false;
  const std::uint64_t lbn = *place;
  context_.drive.rest_ns(static_cast<Nanoseconds>(way.rest_rev * context_.period_ns()));
  std::uint32_t fast = 0;
  for (std::uint32_t i = 0; i < repeats; ++i) {
    const std::uint64_t at = way.by == Way::By::reread ? lbn
                                                       : lbn + std::uint64_t{blocks} * (i + 1);
    step_.rest();
    const auto sample = accesses_.read(estimate::Experiment::hit, at, 0, blocks);
    if (!sample) return false;
    const auto took = static_cast<double>(sample->completed_ns - sample->issued_ns);
    fast += took < estimate::kHit_rev * context_.period_ns() ? 1 : 0;
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
    if (const auto hits = known(context_).of<Figure::hits>();
        hits.of(false, false) && done >= 2 * way->repeats)
      std::erase_if(sizes, [&](std::uint32_t size) { return !hits.of(false, false)->has(size); });
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
        step_(context),
        accesses_(context) {}

  void run(Meter& meter);

 private:
  std::optional<std::uint64_t> pick(std::uint32_t blocks);
  std::optional<estimate::Sample> write(estimate::Experiment experiment, std::uint64_t lbn) {
    return accesses_.write(experiment, lbn, 0, unit_);
  }
  bool smallest(Meter& meter);
  void several_blocks(Meter& meter);
  void rest() {
    constexpr double kSeekAndTurn_rev = 3;
    context_.drive.rest_ns(static_cast<Nanoseconds>(kSeekAndTurn_rev * context_.period_ns()));
    step_.rest();
  }
  bool fast(const std::optional<estimate::Sample>& sample) const {
    return sample &&
           static_cast<double>(sample->completed_ns - sample->issued_ns) < longest_hit_ns_;
  }
  Context& context_;
  const std::vector<engine::Track>& tracks_;
  std::uint32_t hits_;
  std::uint32_t unit_;  // blocks of the smallest write
  double longest_hit_ns_ = estimate::kHit_rev * context_.period_ns() +
                           1e6 * estimate::bus_time_beyond_first_ms(
                                     known(context_).of<Figure::hits>(), unit_);
  AnywhereInStep step_;
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
  const std::uint32_t rounds = std::max(3U, hits_ / 3);
  const std::uint32_t least = std::max(4U, 2 * unit_);
  const std::uint32_t most = std::min(std::max(64U, 8 * unit_), context_.drive.most_blocks());
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = least; size <= most; size *= 4) sizes.push_back(size);
  for (std::uint32_t round = 0; round < rounds && !sizes.empty(); ++round) {
    for (const std::uint32_t size : sizes) {
      if (meter.exhausted()) return;
      if (const auto lbn = pick(size)) accesses_.write(estimate::Experiment::hit, *lbn, 0, size);
      rest();
    }
    context_.report("hit overheads", meter.share());
    if (round != 2) continue;
    const auto hits = known(context_).of<Figure::hits>();
    std::erase_if(sizes, [&](std::uint32_t size) {
      return !hits.of(true, true) || !hits.of(true, true)->has(size);
    });
  }
}

// True if writes after writes hit.
bool WriteHits::smallest(Meter& meter) {
  constexpr std::uint32_t kOfBoth = 6;  // reads, before only the kind that hits is tried
  std::uint32_t write_hits = 0, later_write_hits = 0;
  std::array<std::uint32_t, 2> reads_hit{};  // of what was read before, and of what was written
  const auto enough = [&](std::uint32_t seen) { return 2 * seen >= hits_; };
  for (std::uint32_t i = 0; i < hits_ && !meter.exhausted(); ++i) {
    const std::uint32_t read_hits = reads_hit[0] + reads_hit[1];
    if (enough(write_hits) && enough(read_hits) && enough(later_write_hits)) break;
    const auto a = pick(unit_), b = pick(unit_), c = pick(unit_);
    if (!a || !b || !c) continue;
    // What never hits is not tried for long.
    const bool try_writes = i < 8 || write_hits > 0;
    const bool try_reads = i < 8 || read_hits > 0;
    if (!try_writes && !try_reads) return false;
    if (!accesses_.read(estimate::Experiment::other, *a)) continue;
    rest();
    write_hits += fast(write(estimate::Experiment::hit, *b)) ? 1 : 0;  // after a read
    rest();
    // After a write: of the sector read before it; on drives that then have dropped that, of what
    // was just written.
    const bool one_hits = i >= kOfBoth && (reads_hit[0] == 0) != (reads_hit[1] == 0);
    const bool written = one_hits ? reads_hit[1] > 0 : i % 2 == 1;
    const bool hit = fast(accesses_.read(estimate::Experiment::hit, written ? *b : *a));
    reads_hit[written ? 1 : 0] += hit ? 1 : 0;
    rest();
    if (!try_writes) continue;
    write(estimate::Experiment::other, *b);
    rest();
    later_write_hits += fast(write(estimate::Experiment::hit, *c)) ? 1 : 0;  // after a write
    rest();
    context_.report("hit overheads", meter.share());
  }
  return later_write_hits >= estimate::kFewestHits;
}

}  // namespace

void measure_miss_overheads(Context& context, const std::vector<LbnRange>& permitted,
                            const OverheadOptions& options) {
  const auto is_known = [&](bool write, bool after_write, double target_ms) {
    const model::Parameter found = known(context).of<Figure::same_track>().of(write, after_write);
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
      if (is_known(write, after_write, target_ms)) continue;
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
                                            : writable_tracks(context, permitted, options.tracks);
      !tracks.empty()) {
    measure(false, true, 1.0 / 3, tracks);
    measure(true, false, 1.0 / 2, tracks);
    measure(true, true, 1, tracks);
  }
  if (!late()) sharpen_constant(context, targets_of(context).switches);
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
  const std::vector<engine::Track> tracks = writable_tracks(context, permitted, options.tracks / 2);
  if (!tracks.empty()) WriteHits(context, tracks, options.hits).run(meter);
}

}  // namespace platter::mtbrc
