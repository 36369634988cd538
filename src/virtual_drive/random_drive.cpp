#include "virtual_drive/random_drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "model/stand_ins.h"
#include "model/validate.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/random_dice.h"

namespace platter::virtual_drive {
namespace {

double in_us(double ms) { return std::round(ms * 1000) / 1000; }
model::Parameter ms(double time) { return invented(in_us(time), "ms"); }

double drawn_log(Dice& dice, double low, double high) {
  return std::exp(dice.uniform(std::log(low), std::log(high)));
}

// The arm speeds up and brakes over short distances (a square root), coasts over long ones (a
// line), as Ruemmler and Wilkes describe it (An introduction to disk drive modeling, 1994).
model::Seek seek_curve(const Mechanics& mechanics, std::uint32_t cylinders) {
  constexpr double kKnee = 0.3, kTimeAtKnee = 0.6;  // shares of all cylinders, and of the time
  model::Seek seek;
  seek.method = "invented";
  const double last = std::max(1.0, cylinders - 1.0);
  const double knee = std::max(1.0, kKnee * last);
  const double span = std::max(0.0, mechanics.last_seek_ms - mechanics.first_seek_ms);
  const double at_knee = mechanics.first_seek_ms + kTimeAtKnee * span;
  const auto time = [&](double distance) {
    if (distance <= knee)
      return mechanics.first_seek_ms + (at_knee - mechanics.first_seek_ms) *
                                           (std::sqrt(distance) - 1) /
                                           std::max(1e-9, std::sqrt(knee) - 1);
    return at_knee + (mechanics.last_seek_ms - at_knee) * (distance - knee) / (last - knee);
  };
  for (double distance = 1; distance <= last;
       distance = std::max(distance + 1, std::floor(distance * 1.3)))
    seek.points.push_back({static_cast<std::uint32_t>(distance), in_us(time(distance)), {}, 0});
  if (seek.points.back().cylinders < static_cast<std::uint32_t>(last))
    seek.points.push_back({static_cast<std::uint32_t>(last), in_us(time(last)), {}, 0});
  return seek;
}

// Arms of some drives take longer one way than the other; some writes settle longer behind longer
// seeks.
void draw_other_seeks(model::DriveModel& drive, Dice& dice) {
  const double first = drive.seek.points.front().time_ms;
  if (dice.chance(0.25)) {
    const double more = dice.uniform(-0.2, 0.2) * first;
    drive.outward_seek = slower(drive.seek, more, more + dice.uniform(-0.4, 0.4) * first);
  }
  if (dice.chance(0.25)) {
    const double settle = acting(drive, drive.write_settle);
    drive.write_seek = slower(drive.seek, settle * dice.uniform(0.7, 1.3),
                              settle * dice.uniform(0.5, 2));
  }
}

model::Cache plain_cache() {
  model::Cache cache;
  cache.read_enabled = invented(1);
  cache.write_back_level = invented(2);
  cache.segments = invented(8);
  cache.segment_blocks = invented(256, "blocks");
  cache.write_segments = invented(1);
  cache.separate_write_segment = invented(0);
  cache.read_ahead = invented(static_cast<double>(model::ReadAhead::to_segment_full));
  cache.read_ahead_min_blocks = invented(0, "blocks");
  cache.read_ahead_max_blocks = invented(256, "blocks");
  cache.read_ahead_over_requested = invented(0);
  cache.read_ahead_on_hit = invented(0);
  cache.read_free_blocks = invented(0);
  cache.zero_latency_read = invented(1);
  cache.zero_latency_write = invented(1);
  cache.read_hit_on_written = invented(1);
  cache.combine_sequential_writes = invented(1);
  cache.stop_read_ahead_in_sector = invented(0);
  cache.write_hit_stops_read_ahead = invented(1);
  cache.almost_read_hits = invented(0);
  return cache;
}

model::Overheads plain_overheads() {
  model::Overheads overheads;
  overheads.read_hit_after_read = overheads.read_hit_after_write = ms(0.15);
  overheads.write_hit_after_read = overheads.write_hit_after_write = ms(0.18);
  overheads.read_miss_after_read = overheads.read_miss_after_write = ms(0.25);
  overheads.write_miss_after_read = overheads.write_miss_after_write = ms(0.3);
  overheads.per_request = ms(0);
  overheads.address_translation = ms(1);
  return overheads;
}

model::Cache random_cache(Dice& dice) {
  model::Cache cache = plain_cache();
  if (dice.chance(0.05)) cache.read_enabled = invented(0);
  const std::uint64_t buffer = std::uint64_t{1} << dice.pick(8, 15);  // blocks
  const std::uint64_t segments = std::min(dice.log_pick(1, 32), buffer / 16);
  const std::uint64_t each = buffer / segments;
  cache.segments = invented(static_cast<double>(segments));
  cache.segment_blocks = invented(static_cast<double>(each), "blocks");
  cache.write_back_level = invented(dice.chance(0.75) ? 2 : 0);
  cache.read_ahead = invented(static_cast<double>(dice.pick(0, 4)));
  const auto longest = static_cast<double>(dice.chance(0.6) ? each : dice.log_pick(8, each));
  cache.read_ahead_max_blocks = invented(longest, "blocks");
  cache.read_ahead_on_hit = invented(dice.chance(0.3) ? 1 : 0);
  cache.read_free_blocks = invented(dice.chance(0.4) ? 1 : 0);
  cache.zero_latency_read = invented(dice.chance(0.6) ? 1 : 0);
  cache.zero_latency_write = invented(dice.chance(0.6) ? 1 : 0);
  cache.read_hit_on_written = invented(dice.chance(0.7) ? 1 : 0);
  cache.combine_sequential_writes = invented(dice.chance(0.7) ? 1 : 0);
  cache.separate_write_segment = invented(segments > 1 && dice.chance(0.3) ? 1 : 0);
  cache.replacement = invented(static_cast<double>(dice.chance(0.7) ? 0 : dice.pick(1, 2)));
  return cache;
}

model::Overheads random_overheads(Dice& dice) {
  model::Overheads overheads = plain_overheads();
  for (model::Parameter* overhead :
       {&overheads.read_hit_after_read, &overheads.read_hit_after_write,
        &overheads.write_hit_after_read, &overheads.write_hit_after_write,
        &overheads.read_miss_after_read, &overheads.read_miss_after_write,
        &overheads.write_miss_after_read, &overheads.write_miss_after_write})
    *overhead = ms(drawn_log(dice, 0.05, 1.0));
  overheads.address_translation = ms(drawn_log(dice, 0.3, 8.0));
  return overheads;
}

Mechanics random_mechanics(Dice& dice) {
  constexpr std::uint32_t kSpeeds[] = {3600, 4500, 5400, 7200, 10'000, 15'000};
  Mechanics mechanics;
  mechanics.rpm = kSpeeds[dice.pick(0, std::size(kSpeeds) - 1)] + dice.pick32(0, 60) - 30;
  const double period_ms = 60e3 / mechanics.rpm;
  mechanics.head_switch_ms = drawn_log(dice, 0.2, std::min(2.0, period_ms / 3));
  mechanics.write_settle_ms = dice.uniform(0.1, 1.2);
  mechanics.first_seek_ms = mechanics.head_switch_ms + dice.uniform(0.1, 1.2);
  mechanics.last_seek_ms = mechanics.first_seek_ms + dice.uniform(5.0, 22.0);
  return mechanics;
}

// What the drive tells, and what it keeps to itself.
void draw_firmware(model::DriveModel& drive, Dice& dice) {
  model::Firmware& firmware = *drive.firmware;
  firmware.scsi_level = std::vector<std::string>{"SCSI-2", "SPC", "SPC-3"}[dice.pick(0, 2)];
  const double numbers = dice.uniform(0, 1);
  firmware.sector_numbers = numbers < 0.5    ? "from first"
                            : numbers < 0.75 ? "from index"
                                             : "without slipped";
  firmware.translates_back = dice.chance(0.7);
  firmware.defect_list = dice.chance(0.8);
  const double formats = dice.uniform(0, 1);
  if (formats < 0.15)
    firmware.address_formats = {"long block", "bytes from index"};
  else if (formats < 0.3)
    firmware.address_formats = {"block", "long block", "bytes from index", "physical sector"};
  else if (formats < 0.45)
    firmware.address_formats = {"block", "physical sector"};
  const double lists = dice.uniform(0, 1);
  if (lists < 0.2)
    firmware.defect_formats = {"bytes from index"};
  else if (lists < 0.4)
    firmware.defect_formats = {"physical sector"};
  firmware.seek_command = dice.chance(0.9);
}

}  // namespace

model::Seek slower(const model::Seek& seek, double first_ms, double last_ms) {
  constexpr double kLeast_ms = 0.1;
  model::Seek result = seek;
  const double whole = std::sqrt(static_cast<double>(seek.points.back().cylinders));
  for (model::SeekPoint& point : result.points) {
    const double share = whole > 1
                             ? (std::sqrt(static_cast<double>(point.cylinders)) - 1) / (whole - 1)
                             : 0;
    point.time_ms = std::max(kLeast_ms,
                             in_us(point.time_ms + first_ms + share * (last_ms - first_ms)));
  }
  return result;
}

void fit_skews(Recipe& recipe, const Mechanics& mechanics) {
  const double period_ms = 60e3 / mechanics.rpm;
  recipe.head_skew = (mechanics.head_switch_ms + 0.05) / period_ms;
  recipe.cylinder_skew = (mechanics.first_seek_ms + 0.05) / period_ms;
}

model::DriveModel drive_around(RandomLayout layout, const Mechanics& mechanics) {
  model::DriveModel drive;
  drive.layout = std::move(layout.truth);
  drive.identity.blocks = model::count_blocks(drive.layout);
  drive.identity.cylinders = model::cylinders_of(drive.layout);
  drive.identity.heads = layout.heads;
  drive.provenance.method = "catalogue";
  drive.provenance.notes.push_back(layout.description);
  drive.rotation.numerator_ns = 60'000'000'000;
  drive.rotation.denominator = mechanics.rpm;
  drive.rotation.period = invented(60e9 / mechanics.rpm, "ns");
  drive.layout.angle.unit = "rev";
  drive.layout.angle.error = 0;
  drive.seek = seek_curve(mechanics, drive.identity.cylinders);
  drive.head_switch = ms(mechanics.head_switch_ms);
  drive.write_settle = ms(mechanics.write_settle_ms);
  drive.cache = plain_cache();
  drive.overheads = plain_overheads();
  drive.bus.block_transfer = invented(0.0128, "ms");
  drive.queue.depth = invented(1);
  drive.queue.policy = invented(1);
  drive.imperfections = default_imperfections(0);
  drive.firmware.emplace();
  drive.firmware->scsi_level = "SPC";
  drive.firmware->primary_defects = std::move(layout.primary);
  return drive;
}

model::DriveModel random_drive(std::uint64_t seed, const Limits& limits) {
  std::mt19937_64 random(seed), others(~seed);  // the layout of a seed does not hang on the rest
  Recipe recipe = random_recipe(random, limits);
  Dice dice(others);
  const Mechanics mechanics = random_mechanics(dice);
  fit_skews(recipe, mechanics);
  model::DriveModel drive = drive_around(build(recipe, random), mechanics);
  drive.identity.name = fmt::format("random drive {}", seed);
  drive.identity.vendor = "PLATTER";
  drive.identity.product = "RANDOM";
  drive.identity.revision = "VIRT";
  drive.identity.serial = fmt::format("VIRTUAL-{}", seed);
  drive.provenance.source = fmt::format("drawn at random, seed {}", seed);
  drive.provenance.seed = seed;
  drive.cache = random_cache(dice);
  drive.overheads = random_overheads(dice);
  drive.bus.block_transfer = invented(std::round(drawn_log(dice, 0.0016, 0.1) * 1e6) / 1e6, "ms");
  constexpr double kDepths[] = {1, 8, 32, 64};
  drive.queue.depth = invented(kDepths[dice.pick(0, 3)]);
  draw_firmware(drive, dice);
  constexpr std::uint64_t kArm = 0x61726d;  // nothing drawn before hangs on it
  std::mt19937_64 arm(seed ^ kArm);
  Dice of_arm(arm);
  draw_other_seeks(drive, of_arm);
  return drive;
}

}  // namespace platter::virtual_drive
