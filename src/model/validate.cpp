#include "model/validate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/fields.h"
#include "model/known.h"
#include "model/limits.h"
#include "model/zones.h"

namespace platter::model {
namespace {

constexpr double kLongestTime_ms = 1e6;

class Checker {
 public:
  explicit Checker(const std::string& origin) : origin_(origin) {}

  [[noreturn]] void fail(std::string_view path, std::string_view what) const {
    throw InvalidModel(origin_, std::string(path), std::string(what));
  }
  void require(bool holds, std::string_view path, std::string_view what) const {
    if (!holds) fail(path, what);
  }
  // Of one element of many: its path (what `path()` gives, and `member`) is put together only for a
  // sentence.
  template <typename Path>
  requires std::is_invocable_v<Path>
  void require(bool holds, const Path& path, std::string_view what, const char* member = "") const {
    if (!holds) fail(path() + member, what);
  }
  void parameter(const std::string& path, const Parameter& p) const {
    const Limits limits = limits_of_parameter(path);
    if (p.value && !(*p.value >= limits.low && *p.value <= limits.high)) {
      fail(path, fmt::format("must be from {} to {}, not {}", limits.low, limits.high, *p.value));
    }
    if (p.error && !(*p.error >= 0 && std::isfinite(*p.error))) {
      fail(path, "has an error that is no finite number from 0");
    }
    if (limits.whole && p.value && *p.value != std::floor(*p.value))
      fail(path, "must be a whole number");
    known_instead(path, p, limits);
  }
  void choice(const std::string& word, std::string_view path, std::string_view what) const {
    const auto choices = choices_of(path);
    require(std::ranges::find(choices, word) != choices.end(), path, what);
  }

 private:
  // What is known of a figure without a value could be the figure.
  void known_instead(const std::string& path, const Parameter& p, const Limits& limits) const {
    const auto possible = [&](double value) {
      return value >= limits.low && value <= limits.high &&
             (!limits.whole || value == std::floor(value));
    };
    for (const std::optional<double>& bound : {p.at_least, p.at_most})
      require(!bound || possible(*bound), path, "has a bound that it cannot have itself");
    require(!p.at_least || !p.at_most || *p.at_least <= *p.at_most, path,
            "is at least more than it is at most");
    for (const Guess& guess : p.guesses) {
      require(possible(guess.value) && is_within_bounds(p, guess.value), path,
              "has a guess that it cannot be, by its limits or its own bounds");
      require(!guess.probability || (*guess.probability >= 0 && *guess.probability <= 1), path,
              "has a guess of a probability that is none");
      require(!guess.witness.empty(), path, "has a guess without a witness; name it");
    }
  }

  const std::string& origin_;
};

// Every Parameter of a section.
struct ParameterCheck {
  std::string section;
  const Checker& check;

  void required(const char*, const auto&) {}
  void usual(const char* name, const Parameter& p) { check.parameter(section + "." + name, p); }
  void usual(const char*, const auto&) {}
  void compact(const char*, const auto&, const auto&) {}
  void informative(const char*, const auto&) {}
};

// ---------------------------------------------------------------- layout

struct Range {
  std::int64_t low = 0, high = 0;

  void include(const Range& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
  // All instances of what spans `this` within one instance.
  Range repeated(std::int64_t start, std::int64_t step, std::int64_t count) const {
    const std::int64_t last = step * (count - 1);  // |step| < 2^31, count < 2^32
    return {low + start + std::min<std::int64_t>(0, last),
            high + start + std::max<std::int64_t>(0, last)};
  }
};

struct Extent {
  std::uint64_t slots = 0, tracks = 0, nodes = 0;
  Range cylinders, heads;
};

// Where a node stands; put together only for a sentence.
struct NodePath {
  const NodePath* outer;  // nullptr: a zone
  std::size_t index;

  std::string operator()() const {
    return outer == nullptr ? fmt::format("layout.zones[{}]", index)
                            : fmt::format("{}.children[{}]", (*outer)(), index);
  }
};

Extent extent_of(const LayoutNode& node, const NodePath& path, int depth, const Checker& check) {
  check.require(depth < kDeepestLayout, path, "is nested too deeply");
  const std::uint32_t count = node.count;
  check.require(count > 0, path, "must not be 0", ".count");
  check.require(std::isfinite(node.angle_rev) && std::fabs(node.angle_rev) <= 1e6, path,
                "must be a sensible number of revolutions", ".angle_rev");
  check.require(std::isfinite(node.angle_step_rev) && std::fabs(node.angle_step_rev) <= 1e6, path,
                "must be a sensible number of revolutions", ".angle_step_rev");
  check.require((node.sectors > 0) != !node.children.empty(), path,
                "must have either sectors (a track) or children (nested repeats)");
  Extent inner;
  inner.nodes = 1;
  if (node.sectors > 0) {
    if (node.sectors > kMostSectors)
      check.fail(path() + ".sectors", fmt::format("must not be more than {}", kMostSectors));
    inner.slots = node.sectors;
    inner.tracks = 1;
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Extent child = extent_of(node.children[i], {&path, i}, depth + 1, check);
    inner.nodes += child.nodes;
    inner.slots += child.slots;
    inner.tracks += child.tracks;
    if (i == 0) {
      inner.cylinders = child.cylinders;
      inner.heads = child.heads;
    } else {
      inner.cylinders.include(child.cylinders);
      inner.heads.include(child.heads);
    }
    check.require(inner.tracks <= kMostTracks && inner.slots <= kMostSlots, path, "is too large");
  }
  check.require(inner.tracks <= kMostTracks / count && inner.slots <= kMostSlots / count, path,
                "is too large");
  Extent all;
  all.nodes = inner.nodes;
  all.slots = inner.slots * count;
  all.tracks = inner.tracks * count;
  all.cylinders = inner.cylinders.repeated(node.cylinder, node.cylinder_step, count);
  all.heads = inner.heads.repeated(node.head, node.head_step, count);
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  check.require(std::abs(all.cylinders.low) < kFar && std::abs(all.cylinders.high) < kFar &&
                    std::abs(all.heads.low) < kFar && std::abs(all.heads.high) < kFar,
                path, "reaches too far");
  return all;
}

std::uint64_t last_slot(const Skip& skip) {
  return skip.first_slot + (skip.count - 1) * skip.stride + skip.length - 1;
}

void check_skips(const Layout& layout, std::uint64_t slots, const Checker& check) {
  std::uint64_t next = 0, runs = 0;
  for (std::size_t i = 0; i < layout.skips.size(); ++i) {
    const Skip& skip = layout.skips[i];
    const auto path = [i] { return fmt::format("layout.skips[{}]", i); };
    check.require(skip.length > 0 && skip.count > 0, path,
                  "must have a length and a count above 0");
    check.require(skip.first_slot < slots && skip.length <= slots - skip.first_slot, path,
                  "reaches past the last slot");
    if (skip.count > 1) {
      check.require(skip.stride >= skip.length, path, "has a stride below its length");
      const std::uint64_t room = slots - skip.first_slot - skip.length;
      check.require(skip.count - 1 <= room / skip.stride, path, "reaches past the last slot");
    }
    check.require(i == 0 || skip.first_slot >= next, path,
                  "begins before the end of the previous skip; skips are sorted and disjoint");
    next = last_slot(skip) + 1;
    if (skip.count > kMostSkips - runs)
      check.fail(path(), fmt::format("is too long: all skips together may be {} runs of slots",
                                     kMostSkips));
    runs += skip.count;
  }
}

bool is_skipped(const Layout& layout, std::uint64_t slot) {
  auto after = std::upper_bound(
      layout.skips.begin(), layout.skips.end(), slot,
      [](std::uint64_t s, const Skip& skip) { return s < skip.first_slot; });
  if (after == layout.skips.begin()) return false;
  const Skip& skip = *--after;
  if (slot > last_slot(skip)) return false;
  const std::uint64_t offset = slot - skip.first_slot;
  return (skip.count > 1 ? offset % skip.stride : offset) < skip.length;
}

void check_remaps(const Layout& layout, std::uint64_t slots, std::uint64_t blocks,
                  const Checker& check) {
  std::vector<std::uint64_t> targets;
  for (std::size_t i = 0; i < layout.remaps.size(); ++i) {
    const Remap& remap = layout.remaps[i];
    const auto path = [i] { return fmt::format("layout.remaps[{}]", i); };
    check.require(remap.lbn < blocks, path, "is past the last block", ".lbn");
    check.require(remap.slot < slots, path, "is past the last slot", ".slot");
    check.require(is_skipped(layout, remap.slot), path,
                  "must be a spare slot (one that a skip covers)", ".slot");
    check.require(i == 0 || remap.lbn > layout.remaps[i - 1].lbn, path,
                  "is not above that of the previous remap; remaps are sorted", ".lbn");
    targets.push_back(remap.slot);
  }
  std::sort(targets.begin(), targets.end());
  const auto twice = std::adjacent_find(targets.begin(), targets.end());
  check.require(twice == targets.end(), "layout.remaps", "use one slot for two blocks");
}

// Ranges of blocks in their order; `unsorted`: what is wrong with one that is not.
template <typename Range>
void check_ranges(const std::vector<Range>& ranges, std::string_view member,
                  std::string_view unsorted, std::uint64_t blocks, const Checker& check) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Range& range = ranges[i];
    const auto path = [&] { return fmt::format("layout.{}[{}]", member, i); };
    check.require(range.first_lbn <= range.last_lbn, path, "is above last_lbn", ".first_lbn");
    check.require(range.last_lbn < blocks, path, "is past the last block", ".last_lbn");
    check.require(i == 0 || range.first_lbn > ranges[i - 1].last_lbn, path, unsorted, ".first_lbn");
  }
}

void check_timed(const TimedMap& timed, std::uint64_t blocks, const Checker& check) {
  for (std::size_t i = 0; i < timed.shares.size(); ++i) {
    const MapShare& share = timed.shares[i];
    const auto path = [i] { return fmt::format("layout.timed.shares[{}]", i); };
    check.require(share.within_rev > 0 && share.within_rev <= 0.5, path,
                  "is not between 0 and half a revolution", ".within_rev");
    check.require(
        0 <= share.low && share.low <= share.share && share.share <= share.high && share.high <= 1,
        path, "is not within its interval, or that not from 0 to 1", ".share");
  }
  check_ranges(timed.stretches, "timed.stretches",
               "is not after the previous stretch; stretches are sorted", blocks, check);
  for (std::size_t i = 0; i < timed.stretches.size(); ++i) {
    const auto choices = choices_of("layout.timed.stretches.standing");
    check.require(
        std::ranges::find(choices, timed.stretches[i].standing) != choices.end(),
        [i] { return fmt::format("layout.timed.stretches[{}]", i); },
        "is neither interpolated nor guessed", ".standing");
  }
}

void check_layout(const DriveModel& model, const Checker& check) {
  const Layout& layout = model.layout;
  check.parameter("layout.angle", layout.angle);
  check.parameter("layout.heads", layout.heads);
  check.parameter("layout.cylinders", layout.cylinders);
  if (layout.zones.empty()) {
    check.require(layout.skips.empty() && layout.remaps.empty(), "layout.zones",
                  "is empty although there are skips or remaps");
    return;
  }
  Extent all;
  std::int64_t heads = 0;
  for (std::size_t i = 0; i < layout.zones.size(); ++i) {
    const NodePath path{nullptr, i};
    const Extent zone = extent_of(layout.zones[i], path, 0, check);
    if (zone.cylinders.low < 0 || zone.cylinders.high >= std::int64_t{kMostCylinders})
      check.fail(path(), fmt::format("has cylinders outside 0 to {}", kMostCylinders - 1));
    if (zone.heads.low < 0 || zone.heads.high >= std::int64_t{kMostHeads})
      check.fail(path(), fmt::format("has heads outside 0 to {}", kMostHeads - 1));
    heads = std::max(heads, zone.heads.high + 1);
    all.slots += zone.slots;
    all.tracks += zone.tracks;
    all.nodes += zone.nodes;
    check.require(all.slots <= kMostSlots, "layout.zones", "are too large");
    if (all.tracks > kMostTracks)
      check.fail("layout.zones", fmt::format("have more than {} tracks", kMostTracks));
    if (all.nodes > kMostNodes)
      check.fail("layout.zones", fmt::format("have more than {} nodes", kMostNodes));
  }
  check_skips(layout, all.slots, check);
  const std::uint64_t blocks = count_blocks(layout);
  check_remaps(layout, all.slots, blocks, check);
  check_ranges(layout.not_understood, "not_understood",
               "is not after the previous range; ranges are sorted", blocks, check);
  if (layout.timed) check_timed(*layout.timed, blocks, check);
  check.require(blocks > 0, "layout", "maps no block at all");
  check.require(model.identity.heads == 0 || model.identity.heads == heads, "identity.heads",
                fmt::format("is {}, and the layout has {}; they must be as many, or identity.heads "
                            "be left out",
                            model.identity.heads, heads));
  check.require(model.identity.blocks <= blocks, "identity.blocks",
                fmt::format("is {}, more than the {} blocks that the layout maps",
                            model.identity.blocks, blocks));
}

std::uint64_t slots_of(const LayoutNode& node) {
  std::uint64_t inner = node.sectors;
  for (const LayoutNode& child : node.children) inner += slots_of(child);
  return inner * node.count;
}

// ---------------------------------------------------------------- the other sections

void check_firmware(const DriveModel& model, const Checker& check) {
  if (!model.firmware) return;
  const Firmware& firmware = *model.firmware;
  for (const std::string& format : firmware.address_formats)
    check.choice(format, "firmware.address_formats",
                 "may name block, long block, bytes from index and physical sector only");
  for (const std::string& format : firmware.defect_formats)
    check.choice(format, "firmware.defect_formats",
                 "may name bytes from index and physical sector only");
  check.choice(firmware.sector_numbers, "firmware.sector_numbers",
               "must be from first, from index or without slipped");
  constexpr double kLeastRpm = 1025, kMostRpm = 65534;  // SBC-3, VPD page B1h
  check.require(firmware.nominal_rpm == 0 ||
                    (firmware.nominal_rpm >= kLeastRpm && firmware.nominal_rpm <= kMostRpm),
                "firmware.nominal_rpm", "must be from 1025 to 65534, or 0");
  check.require(firmware.told_wake_share >= 0.01 && firmware.told_wake_share <= 100,
                "firmware.told_wake_share", "must be from 0.01 to 100");
  for (const LbnRange& range : firmware.unwritten)
    check.require(range.first <= range.last && range.last < model.identity.blocks,
                  "firmware.unwritten",
                  "must name ranges of the drive's blocks, first before last");
}

// All blocks of the drive, zone by zone.
void check_zones(const Identity& identity, const Checker& check) {
  std::uint64_t next = 0, zones = 0;
  for (std::size_t i = 0; i < identity.zone_runs.size(); ++i) {
    const ZoneRun& run = identity.zone_runs[i];
    const auto path = [i] { return fmt::format("identity.zone_runs[{}]", i); };
    const auto is_one_of = [](std::span<const std::string_view> words, const std::string& word) {
      return std::ranges::find(words, word) != words.end();
    };
    check.require(is_one_of(choices_of("identity.zone_runs.type"), run.type), path,
                  "is no type of zones", ".type");
    check.require(is_one_of(choices_of("identity.zone_runs.condition"), run.condition), path,
                  "is no condition of zones", ".condition");
    check.require((run.type == kZoneTypes[0]) == (run.condition == kZoneConditions[0]), path,
                  "is not-write-pointer of conventional zones, and of no others", ".condition");
    check.require(run.first_lbn == next, path, "does not follow the zones before it", ".first_lbn");
    check.require(run.zones > 0 && run.zones <= kMostZones - zones, path,
                  fmt::format("must be from 1 to {} in all", kMostZones), ".zones");
    check.require(run.blocks > 0 && run.blocks <= (kMostSlots - next) / run.zones, path,
                  "must be from 1 on, on the drive", ".blocks");
    check.require(run.written <= run.blocks, path, "is more than the zone has", ".written");
    zones += run.zones;
    next += run.zones * run.blocks;
  }
  check.require(zones == 0 || next == identity.blocks, "identity.zone_runs",
                "do not end with the drive's last block");
}

void check_identity(const Identity& identity, const Checker& check) {
  check.require(identity.blocks <= kMostSlots, "identity.blocks", "is too large");
  check_zones(identity, check);
  check.require(identity.block_bytes > 0 && identity.block_bytes <= (1U << 20),
                "identity.block_bytes", "must be from 1 to 1048576");
  check.require(identity.physical_block_bytes > 0 && identity.physical_block_bytes <= (1U << 20),
                "identity.physical_block_bytes", "must be from 1 to 1048576");
  check.require(identity.heads <= kMostHeads, "identity.heads", "is too large");
  check.require(identity.cylinders <= kMostCylinders, "identity.cylinders", "is too large");
}

void check_provenance(const Provenance& provenance, const Checker& check) {
  check.require(std::isfinite(provenance.drive_seconds) && provenance.drive_seconds >= 0,
                "provenance.drive_seconds", "must be a number from 0");
  check.require(std::isfinite(provenance.wall_seconds) && provenance.wall_seconds >= 0,
                "provenance.wall_seconds", "must be a number from 0");
  for (const StageTime& stage : provenance.stages)
    check.require(std::isfinite(stage.drive_seconds) && stage.drive_seconds >= 0,
                  "provenance.stages", "must have times from 0");
}

// One revolution lasts from 0.1 ms to 10 s; both terms stay below 2^60, so that products of them
// with a time fit in 128 bits.
void check_rotation(const Rotation& rotation, const Checker& check) {
  constexpr std::uint64_t kLargestTerm = std::uint64_t{1} << 60;
  check.parameter("rotation.period", rotation.period);
  check.require(rotation.denominator > 0, "rotation.denominator", "must not be 0");
  if (rotation.numerator_ns == 0) return;
  check.require(rotation.numerator_ns < kLargestTerm && rotation.denominator < kLargestTerm,
                "rotation", "has a numerator or denominator of 2^60 or more");
  const double period_ns = revolution_ns(rotation);
  check.require(period_ns >= 1e5 && period_ns <= 1e10, "rotation",
                "must have a period (numerator_ns / denominator) from 0.1 ms to 10 s");
}

void check_seek(const Seek& seek, std::string_view name, const Checker& check) {
  for (std::size_t i = 0; i < seek.points.size(); ++i) {
    const SeekPoint& point = seek.points[i];
    const auto path = [&] { return fmt::format("{}.points[{}]", name, i); };
    check.require(point.cylinders > 0 && point.cylinders < kMostCylinders, path,
                  "must be above 0 and a sensible distance", ".cylinders");
    check.require(i == 0 || point.cylinders > seek.points[i - 1].cylinders, path,
                  "is not above that of the previous point; points are in ascending order",
                  ".cylinders");
    check.require(point.time_ms >= 0 && point.time_ms <= kLongestTime_ms, path,
                  "must be a time from 0", ".time_ms");
    check.require(!point.error_ms || (std::isfinite(*point.error_ms) && *point.error_ms >= 0), path,
                  "must be a number from 0", ".error_ms");
  }
}

void check_cache(const Cache& cache, const Checker& check) {
  visit_fields(cache, ParameterCheck{"cache", check});
  for (const CacheFreedom& freedom : cache.freedoms)
    check.choice(freedom.effect, "cache.freedoms.effect", "may be seen, none and not told only");
  if (!cache.segments) return;
  const auto at_most_all = [&](const char* path, const Parameter& part) {
    if (part && *part.value > *cache.segments.value)
      check.fail(path, fmt::format("is {}, more than the {} of cache.segments", *part.value,
                                   *cache.segments.value));
  };
  at_most_all("cache.write_segments", cache.write_segments);
  at_most_all("cache.adaptive_min_segments", cache.adaptive_min_segments);
}

void check_times(const DriveModel& model, const Checker& check) {
  check.parameter("head_switch", model.head_switch);
  check.parameter("inward_seek_delta", model.inward_seek_delta);
  check.parameter("write_settle", model.write_settle);
  visit_fields(model.overheads, ParameterCheck{"overheads", check});
  visit_fields(model.bus, ParameterCheck{"bus", check});
  visit_fields(model.queue, ParameterCheck{"queue", check});
}

void check_disksim(const std::vector<DisksimParameter>& parameters, const Checker& check) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto path = [i] { return fmt::format("disksim[{}]", i); };
    check.require(names.insert(parameters[i].name).second, path,
                  "is there twice; leave one of them out", ".name");
    check.require(std::isfinite(parameters[i].value), path, "must be a finite number", ".value");
  }
}

void check_delay_spread(const DelaySpread& spread, const Checker& check) {
  const std::vector<DelayQuantile>& quantiles = spread.quantiles;
  check.require(
      quantiles.size() >= 2 && quantiles.front().share == 0 && quantiles.back().share == 1,
      "delay_spread.quantiles", "must lead from share 0 to share 1");
  check.require(quantiles.front().ms <= 0 && quantiles.back().ms >= 0, "delay_spread.quantiles",
                "must have the median, 0, between the least and the most");
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    const auto path = [i] { return fmt::format("delay_spread.quantiles[{}]", i); };
    check.require(i == 0 || quantiles[i].share > quantiles[i - 1].share, path,
                  "is not above that of the previous point", ".share");
    check.require(std::abs(quantiles[i].ms) <= kLongestTime_ms, path, "must be a sensible time",
                  ".ms");
    check.require(i == 0 || quantiles[i].ms >= quantiles[i - 1].ms, path,
                  "is below that of the previous point", ".ms");
  }
}

void check_kernel_share(const KernelShare& share, const Checker& check) {
  const auto ordered = [&check](double median_ms, double p99_ms, std::string_view path) {
    check.require(median_ms >= 0 && p99_ms >= median_ms && p99_ms <= kLongestTime_ms, path,
                  "must be a sensible time, and no less than the median");
  };
  ordered(share.above_median_ms, share.above_p99_ms, "kernel_share.above_p99_ms");
  ordered(share.behind_median_ms, share.behind_p99_ms, "kernel_share.behind_p99_ms");
}

// All blocks of the map in ranges that follow one another, and as many arms as the highest says.
void check_arms(const DriveModel& model, const Checker& check) {
  const Arms& arms = *model.arms;
  visit_fields(arms, ParameterCheck{"arms", check});
  check.require(
      arms.ranges.size() >= 2 && arms.ranges.size() <= kMostArmRanges, "arms.ranges",
      fmt::format("must be from 2 to {}; a drive of one arm has no arms", kMostArmRanges));
  std::set<std::uint32_t> numbers;
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < arms.ranges.size(); ++i) {
    const ArmRange& range = arms.ranges[i];
    const auto path = [i] { return fmt::format("arms.ranges[{}]", i); };
    check.require(range.first_lbn == next, path, "does not follow the range before it",
                  ".first_lbn");
    check.require(range.last_lbn >= range.first_lbn && range.last_lbn < kMostSlots, path,
                  "is below first_lbn, or no drive's", ".last_lbn");
    check.require(range.arm < kMostArms, path, fmt::format("must be below {}", kMostArms), ".arm");
    numbers.insert(range.arm);
    next = range.last_lbn + 1;
  }
  check.require(numbers.size() >= 2 && *numbers.rbegin() + 1 == numbers.size(), "arms.ranges",
                "must name at least two arms, numbered from 0");
  check.require(model.layout.zones.empty() || next == count_blocks(model.layout), "arms.ranges",
                "do not end with the last block of the layout");
}

void check_shingling(const DriveModel& model, const Checker& check) {
  visit_fields(*model.shingling, ParameterCheck{"shingling", check});
  check.require(!model.arms, "shingling", "does not go with several arms");
  const auto require_there = [&](const std::vector<LbnRange>& ranges, const char* path) {
    for (const LbnRange& range : ranges)
      check.require(range.first <= range.last && range.last < model.identity.blocks, path,
                    "names blocks that the drive does not have");
  };
  require_there(model.shingling->displaced, "shingling.displaced");
  require_there(model.shingling->displaced_untold, "shingling.displaced_untold");
}

void check_validity(const DriveModel& model, const Checker& check) {
  const Validity& validity = model.validity;
  check.require(validity.first_lbn <= validity.last_lbn, "validity.first_lbn",
                "is above validity.last_lbn");
  check.require(validity.last_lbn == 0 || validity.last_lbn < model.identity.blocks,
                "validity.last_lbn", "is past the drive's last block");
  check.require(validity.min_blocks <= validity.max_blocks, "validity.min_blocks",
                "is above validity.max_blocks");
  for (std::size_t i = 0; i < validity.demerits.size(); ++i) {
    const Demerit& demerit = validity.demerits[i];
    const auto path = [i] { return fmt::format("validity.demerits[{}]", i); };
    for (const double number : {demerit.drive_mean_ms, demerit.demerit_ms, demerit.demerit_percent,
                                demerit.folded_phase_share})
      check.require(std::isfinite(number), path, "has a number that is not finite");
    for (const std::optional<double>& ms : {demerit.error_ms, demerit.floor_ms})
      check.require(!ms || (std::isfinite(*ms) && *ms >= 0), path,
                    "has an error or a floor that is no time");
    for (const double share : {demerit.folded_phase_share, demerit.hits_agreed_share})
      check.require(share >= 0 && share <= 1, path, "has a share that is not from 0 to 1");
  }
}

// Of the imperfections those that have limits.
struct ImperfectionCheck {
  const Checker& check;

  template <typename T>
  void usual(const char* name, const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto limits = limits_of_imperfection(name);
      const auto number = static_cast<double>(value);
      if (limits && !(number >= limits->low && number <= limits->high))
        check.fail(fmt::format("imperfections.{}", name),
                   fmt::format("must be from {} to {}", limits->low, limits->high));
    }
  }
  void required(const char*, const auto&) {}
  void compact(const char* name, const auto& value, const auto&) { usual(name, value); }
  void informative(const char*, const auto&) {}
};

void check_imperfections(const DriveModel& model, const Checker& check) {
  if (!model.imperfections) return;
  const Imperfections& all = *model.imperfections;
  visit_fields(all, ImperfectionCheck{check});
  check.require(all.host_delay_p99_us == 0 || all.host_delay_p99_us >= all.host_delay_median_us,
                "imperfections.host_delay_p99_us", "is below the median");
  // A drive that always answers so can be asked nothing.
  for (const auto& [share, name] : {std::pair(all.busy_share, "busy_share"),
                                    std::pair(all.unit_attention_share, "unit_attention_share")})
    check.require(share < 1, fmt::format("imperfections.{}", name),
                  "must be from 0 to less than 1");
  for (const std::uint64_t lbn : all.medium_errors) {
    if (lbn >= model.identity.blocks)
      check.fail("imperfections.medium_errors",
                 fmt::format("names block {}, past the drive's last", lbn));
  }
}

}  // namespace

void validate(const DriveModel& model, const std::string& origin) {
  const Checker check(origin);
  check_identity(model.identity, check);
  check_provenance(model.provenance, check);
  check_rotation(model.rotation, check);
  check_layout(model, check);
  check_seek(model.seek, "seek", check);
  for (const auto& [seek, name] :
       {std::pair(&model.outward_seek, "outward_seek"), {&model.write_seek, "write_seek"}}) {
    if (!*seek) continue;
    check.require(!(*seek)->points.empty(), name,
                  "has no points; a curve that is not known is left out");
    check_seek(**seek, name, check);
  }
  check_cache(model.cache, check);
  check_times(model, check);
  check_disksim(model.disksim, check);
  if (model.delay_spread) check_delay_spread(*model.delay_spread, check);
  if (model.kernel_share) check_kernel_share(*model.kernel_share, check);
  if (model.arms) check_arms(model, check);
  if (model.power) visit_fields(*model.power, ParameterCheck{"power", check});
  if (model.shingling) check_shingling(model, check);
  check_validity(model, check);
  check_imperfections(model, check);
  check_firmware(model, check);
}

std::uint64_t count_slots(const Layout& layout) { return zone_starts(layout).back(); }

std::vector<std::uint64_t> zone_starts(const Layout& layout) {
  std::vector<std::uint64_t> starts{0};
  for (const LayoutNode& zone : layout.zones) starts.push_back(starts.back() + slots_of(zone));
  return starts;
}

std::uint64_t count_blocks(const Layout& layout) {
  std::uint64_t blocks = count_slots(layout);
  for (const Skip& skip : layout.skips) blocks -= skip.length * skip.count;
  return blocks;
}

std::uint64_t count_nodes(const Layout& layout) {
  std::uint64_t nodes = 0;
  for (const LayoutNode& zone : layout.zones)
    nodes += extent_of(zone, {nullptr, 0}, 0, Checker("layout")).nodes;
  return nodes;
}

std::uint32_t cylinders_of(const Layout& layout) {
  std::int64_t highest = -1;
  const std::string origin = "layout";
  for (const LayoutNode& zone : layout.zones) {
    highest = std::max(highest, extent_of(zone, {nullptr, 0}, 0, Checker(origin)).cylinders.high);
  }
  return static_cast<std::uint32_t>(highest + 1);
}

}  // namespace platter::model
