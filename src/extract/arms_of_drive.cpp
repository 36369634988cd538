#include "extract/arms_of_drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "estimate/rotation.h"
#include "extract/record.h"
#include "extract/rig.h"
#include "model/parameters.h"
#include "model/quietly.h"
#include "model/validate.h"
#include "mtbrc/access.h"
#include "mtbrc/interference.h"
#include "mtbrc/several_reads.h"
#include "scsi/physical_blocks.h"
#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::extract {
namespace {

// With one arm three pairs of ten seem to overlap by chance of the rotation, with two nearly all:
// 14 of 20 are wrong with a probability of 4e-5.
constexpr std::uint32_t kPairs = 20, kMustOverlap = 14;
constexpr double kChance_rev = 0.3;

// Each logical unit is a range, of an arm of its own.
std::vector<model::ArmRange> ranges_of_units(const std::vector<std::uint64_t>& unit_blocks) {
  std::vector<model::ArmRange> ranges;
  std::uint64_t next = 0;
  for (const std::uint64_t blocks : unit_blocks) {
    ranges.push_back({next, next + blocks - 1, static_cast<std::uint32_t>(ranges.size())});
    next += blocks;
  }
  return ranges;
}

// None: they do not begin with block 0, leave some out, or are more than a model holds.
std::vector<model::ArmRange> ranges_told(const model::Identity& drive) {
  std::vector<model::ArmRange> ranges;
  std::uint64_t next = 0;
  for (const model::PositioningRange& told : drive.positioning_ranges) {
    if (told.first != next || told.blocks == 0 || ranges.size() == model::kMostArms) return {};
    next = told.first + told.blocks;
    ranges.push_back({told.first, next - 1, static_cast<std::uint32_t>(ranges.size())});
  }
  return next == drive.blocks ? ranges : std::vector<model::ArmRange>();
}

// Reads of pairs of blocks, one of each of two arms.
class Overlap {
 public:
  explicit Overlap(Rig& rig) : rig_(rig), accesses_(rig.context) {}

  // Whether both took little longer than the longer of them alone. nullopt: a read failed.
  std::optional<bool> pair(const model::ArmRange& a, const model::ArmRange& b);

 private:
  std::uint64_t random_of(const model::ArmRange& range);
  std::optional<double> alone_ns(std::uint64_t lbn);
  std::optional<double> both_ns(std::uint64_t a, std::uint64_t b);
  scsi::Command one_block(std::uint64_t lbn) const;

  Rig& rig_;
  mtbrc::Accesses accesses_;
};

std::uint64_t Overlap::random_of(const model::ArmRange& range) {
  constexpr int kTries = 100;
  std::uint64_t lbn = range.first_lbn;
  for (int i = 0; i < kTries; ++i) {
    lbn = range.first_lbn + rig_.context.random() % (range.last_lbn - range.first_lbn + 1);
    if (!rig_.context.drive.leaves_out(lbn, 1)) break;
  }
  return lbn;
}

std::optional<double> Overlap::alone_ns(std::uint64_t lbn) {
  const auto sample = accesses_.probe(estimate::Experiment::other, lbn);
  if (!sample) return std::nullopt;
  return static_cast<double>(sample->completed_ns - sample->issued_ns);
}

scsi::Command Overlap::one_block(std::uint64_t lbn) const {
  return mtbrc::read_without_data(
      lbn, 1, rig_.context.drive.block_bytes(),
      {.force_unit_access = rig_.context.drive.settings().forces_reads()});
}

std::optional<double> Overlap::both_ns(std::uint64_t a, std::uint64_t b) {
  const auto both = mtbrc::read_both(rig_.guard, one_block(a), one_block(b));
  if (!both) return std::nullopt;
  rig_.handed.queued_commands += 2;
  if (!std::ranges::all_of(*both, mtbrc::came_whole)) return std::nullopt;
  const auto& [first, second] = *both;
  return static_cast<double>(std::max(first.completed_ns, second.completed_ns) -
                             std::min(first.issued_ns, second.issued_ns));
}

std::optional<bool> Overlap::pair(const model::ArmRange& a, const model::ArmRange& b) {
  const std::uint64_t from_a = random_of(a), from_b = random_of(b), to_a = random_of(a),
                      to_b = random_of(b);
  const auto go = [&] { return alone_ns(from_a).has_value() && alone_ns(from_b).has_value(); };
  if (!go()) return std::nullopt;
  const auto both = both_ns(to_a, to_b);
  if (!both || !go()) return std::nullopt;
  const auto first = alone_ns(to_a);
  if (!first || !go()) return std::nullopt;
  const auto second = alone_ns(to_b);
  if (!second) return std::nullopt;
  return *both < std::max(*first, *second) + kChance_rev * rig_.context.period_ns();
}

struct Counted {
  std::uint32_t pairs = 0, overlap = 0;
};

Counted overlap_of(Rig& rig, const model::ArmRange& a, const model::ArmRange& b) {
  Overlap overlap(rig);
  const mtbrc::Meter meter(rig.context);
  Counted counted;
  for (std::uint32_t i = 0; i < 2 * kPairs && counted.pairs < kPairs && !meter.exhausted(); ++i) {
    const auto told = overlap.pair(a, b);
    if (!told) continue;
    ++counted.pairs;
    counted.overlap += *told ? 1 : 0;
  }
  return counted;
}

void say_one_arm(Rig& rig, const std::string& why) {
  const std::string told = rig.options.unit_blocks.empty()
                               ? fmt::format("names {} ranges of positioning (VPD page B9h)",
                                             rig.found.model.identity.positioning_ranges.size())
                               : fmt::format("is {} logical units of one target",
                                             rig.options.unit_blocks.size());
  rig.note({model::Code::several_arms,
            fmt::format("the drive {}, and is measured as one with a single arm: {}", told, why)});
}

// Both units' blocks pass at one phase all the time: they turn with one spindle. As far as a
// fraction of a revolution in so many tells; nullopt: reads failed.
std::optional<bool> turn_together(Rig& rig, const std::vector<model::ArmRange>& ranges) {
  constexpr int kReads = 8, kRounds = 3;
  constexpr Nanoseconds kApart = 2 * kSecond;
  constexpr double kStill_rev = 0.03;
  mtbrc::Accesses accesses(rig.context);
  std::vector<double> lag_rev;  // of the second unit's block behind the first's
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) rig.context.drive.rest_ns(kApart);
    std::vector<double> phases[2];
    for (std::size_t unit = 0; unit < 2; ++unit)
      for (int i = 0; i < kReads; ++i)
        if (const auto s = accesses.probe(estimate::Experiment::other, ranges[unit].first_lbn + 1))
          phases[unit].push_back(estimate::phase_rev(rig.context.rotation, s->completed_ns));
    if (phases[0].size() < kReads / 2 || phases[1].size() < kReads / 2) return std::nullopt;
    for (auto& of : phases)
      for (double& rev : of) rev = of.front() + statistics::wrap_rev(rev - of.front());
    lag_rev.push_back(statistics::median(phases[1]) - statistics::median(phases[0]));
  }
  return std::ranges::all_of(lag_rev, [&](double rev) {
    return std::abs(statistics::wrap_rev(rev - lag_rev.front())) < kStill_rev;
  });
}

model::Parameter share_of(const Counted& counted) {
  model::Parameter share;
  share.value = static_cast<double>(counted.overlap) / counted.pairs;
  share.samples = counted.pairs;
  share.method = "pairs of reads at depth 2";
  return share;
}

}  // namespace

void find_arms(Rig& rig) {
  rig.facts.arms.reset();
  const model::Identity& drive = rig.found.model.identity;
  const std::vector<std::uint64_t> units = rig.options.unit_blocks;
  if (drive.positioning_ranges.size() < 2 && units.size() < 2) return;
  const std::vector<model::ArmRange> ranges = units.empty() ? ranges_told(drive)
                                                            : ranges_of_units(units);
  if (ranges.empty())
    return say_one_arm(rig, "they are not all blocks of the drive, or more than a model holds");
  if (rig.guard.max_outstanding() < 2)
    return say_one_arm(rig, "the path to the drive takes one command at a time");
  if (rig.context.reads_may_be_cached())
    return say_one_arm(rig, "no read is sure to reach the media");
  rig.guard.prepare_for(2);
  if (!units.empty() && !turn_together(rig, ranges).value_or(false))
    return say_one_arm(rig, "they do not turn as one spindle does");
  Counted all;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    const Counted counted = overlap_of(rig, ranges[i - 1], ranges[i]);
    if (counted.pairs < kPairs) return say_one_arm(rig, "too few pairs of reads told anything");
    if (counted.overlap < kMustOverlap)
      return say_one_arm(
          rig, fmt::format("of {} pairs of reads, one of each range, only {} went on at once",
                           counted.pairs, counted.overlap));
    all.pairs += counted.pairs;
    all.overlap += counted.overlap;
  }
  rig.facts.arms = model::Arms{
      .ranges = ranges,
      .overlap = share_of(all),
      .interference = model::absent("not measured yet", "ms"),
      .method = std::string(units.empty() ? "VPD page B9h" : "two logical units on one spindle") +
                ", confirmed by reads at depth 2"};
}

void take_arms(const Seen& seen, Findings& found) {
  found.model.arms = seen.facts.arms;
  if (!fit_arms_to_map(found.model))
    found.note({model::Code::several_arms,
                "the drive has several arms, and the map does not reach the blocks of the last: "
                "the model has one arm"});
}

void tell_arms(Rig& rig) {
  rig.context.arms.clear();
  if (!rig.facts.arms) return;
  for (const model::ArmRange& range : rig.facts.arms->ranges)
    rig.context.arms.push_back({range.first_lbn, range.last_lbn});
}

bool fit_arms_to_map(model::DriveModel& model) {
  if (!model.arms || model.layout.zones.empty()) return true;
  const std::uint64_t blocks = model::count_blocks(model.layout);
  model::ArmRange& last = model.arms->ranges.back();
  const bool fits = last.first_lbn < blocks;
  if (fits)
    last.last_lbn = blocks - 1;
  else
    model.arms.reset();
  return fits;
}

void measure_interference(Rig& rig) {
  if (!rig.facts.arms) return;
  const WithinOneArm one(rig);
  rig.facts.arms->interference = mtbrc::measure_interference(rig.context, rig.guard, one.others());
}

namespace {

// From the first block's to the last one's.
std::int64_t cylinders_of(const model::ArmRange& range, const engine::LayoutMap& map) {
  const auto cylinder = [&map](std::uint64_t lbn) {
    return std::int64_t{map.track_of_slot(map.slot_of_lbn(lbn)).cylinder};
  };
  return std::abs(cylinder(range.last_lbn) - cylinder(range.first_lbn));
}

// But for the block that tells the time.
void append_but_for(std::uint64_t lbn, const LbnRange& range, std::vector<LbnRange>& list) {
  if (lbn < range.first || lbn > range.last) return list.push_back(range);
  if (lbn > range.first) list.push_back({range.first, lbn - 1});
  if (lbn < range.last) list.push_back({lbn + 1, range.last});
}

}  // namespace

WithinOneArm::WithinOneArm(Rig& rig)
    : drive_(rig.context.drive), before_(rig.context.drive.left_out()) {
  if (!rig.facts.arms || rig.context.map == nullptr) return;
  model::DriveModel fitted = rig.found.model;
  fitted.arms = rig.facts.arms;
  if (!fit_arms_to_map(fitted)) return;
  const std::vector<model::ArmRange>& ranges = fitted.arms->ranges;
  const auto longest = std::ranges::max_element(ranges, {}, [&](const model::ArmRange& range) {
    return cylinders_of(range, *rig.context.map);
  });
  std::vector<LbnRange> all = before_;
  for (const model::ArmRange& range : ranges) {
    if (range.arm == longest->arm) continue;
    others_.push_back({range.first_lbn, range.last_lbn});
    append_but_for(rig.settings.reference_lbn, others_.back(), all);
  }
  drive_.leave_out(scsi::merged(std::move(all)));
}

WithinOneArm::~WithinOneArm() {
  model::quietly([this] { drive_.leave_out(std::move(before_)); });
}

}  // namespace platter::extract
