#include "virtual_drive/modern_drive.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/power.h"
#include "model/validate.h"
#include "virtual_drive/random_dice.h"

namespace platter::virtual_drive {
namespace {

model::Parameter whole_us(double ms) { return invented(std::round(ms * 1e3) / 1e3, "ms"); }

model::Parameter told_ms(double time) { return invented(std::round(time * 1e6) / 1e6, "ms"); }

model::Seek modern_seek(const ModernMechanics& mechanics, std::uint32_t cylinders) {
  constexpr double kStep = 1.15;  // between points; lines are within 0.1 % of the root
  model::Seek seek;
  seek.method = "invented";
  const double last = std::max(1.0, cylinders - 1.0);
  const auto add = [&](double distance) {
    const double time = mechanics.seek_base_ms + mechanics.seek_root_ms * std::sqrt(distance) +
                        mechanics.seek_line_ms * distance;
    seek.points.push_back(
        {static_cast<std::uint32_t>(distance), std::round(time * 1e6) / 1e6, {}, 0});
  };
  for (double distance = 1; distance < last;
       distance = std::max(distance + 1, std::floor(distance * kStep)))
    add(distance);
  add(last);
  return seek;
}

model::Rotation modern_rotation(const ModernMechanics& mechanics) {
  model::Rotation rotation;
  rotation.numerator_ns = 600'000'000'000;
  rotation.denominator = mechanics.decirpm;
  rotation.period = invented(600e9 / mechanics.decirpm, "ns");
  return rotation;
}

// One buffer, of which each of many streams takes what it needs, at most half; behind eight of them
// the drive reads on. What is written waits for its idle moments.
model::Cache modern_cache(const ModernDrive& drive) {
  constexpr double kMib = 1 << 20, kStreams = 8, kAhead_mib = 1;
  const double segments = 2.0 * drive.buffer_mib;
  const double buffer = drive.buffer_mib * kMib / drive.block_bytes;
  model::Cache cache;
  cache.read_enabled = invented(1);
  cache.write_back_level = invented(2);
  cache.segments = cache.write_segments = invented(segments);
  cache.segment_blocks = invented(buffer / 2, "blocks");
  cache.buffer_blocks = invented(buffer, "blocks");
  cache.segments_grow = invented(1);
  cache.separate_write_segment = invented(0);
  cache.read_ahead = invented(static_cast<double>(model::ReadAhead::to_segment_full));
  cache.read_ahead_min_blocks = invented(0, "blocks");
  cache.read_ahead_max_blocks = invented(kAhead_mib * kMib / drive.block_bytes, "blocks");
  cache.read_ahead_on_hit = invented(1);
  cache.read_ahead_streams = invented(kStreams);
  cache.read_free_blocks = invented(0);
  cache.zero_latency_read = cache.zero_latency_write = invented(1);
  cache.read_hit_on_written = invented(1);
  cache.combine_sequential_writes = invented(1);
  cache.almost_read_hits = invented(1);
  cache.destage_behind = invented(1);
  return cache;
}

model::Overheads modern_overheads() {
  model::Overheads overheads;
  for (model::Parameter* overhead :
       {&overheads.read_hit_after_read, &overheads.read_hit_after_write,
        &overheads.read_miss_after_read, &overheads.read_miss_after_write,
        &overheads.write_hit_after_read, &overheads.write_hit_after_write,
        &overheads.write_miss_after_read, &overheads.write_miss_after_write})
    *overhead = told_ms(0.05);
  overheads.per_request = told_ms(0);
  overheads.address_translation = told_ms(0.5);
  return overheads;
}

// As found on a quiet host, or behind a bridge, whose controller adds delays of its own.
model::Imperfections modern_imperfections(const ModernDrive& drive) {
  const bool usb = drive.attachment == Attachment::usb;
  model::Imperfections imperfections;
  imperfections.seed = 0;
  imperfections.positioning_sigma_us = 60;
  imperfections.slow_access_share = 0.005;
  imperfections.slow_access_mean_ms = 1;
  imperfections.host_delay_median_us = usb ? 30 : 10;
  imperfections.host_delay_p99_us = usb ? 300 : 100;
  // 0.2 % of all commands are noticed more than 250 us late.
  constexpr double kLate = 0.002, kLate_us = 250, kMean_us = 500;
  imperfections.host_stall_mean_us = kMean_us;
  imperfections.host_stall_share = kLate * std::exp(kLate_us / kMean_us);
  imperfections.wobble_ppm = 3;
  imperfections.wobble_period_s = 7;
  imperfections.random_phase = true;
  imperfections.unit_attention_at_start = true;
  return imperfections;
}

model::Firmware modern_firmware(const ModernDrive& drive) {
  model::Firmware firmware;
  firmware.address_translation = false;
  firmware.nominal_rpm = drive.mechanics.nominal_rpm;
  firmware.seek_command = false;
  firmware.scsi_level = "SPC-4";
  firmware.defect_list = drive.attachment == Attachment::sas;
  switch (drive.attachment) {
    case Attachment::sas:
      firmware.task_set = 128;
      break;
    case Attachment::sata:  // all that a translation has
      firmware.ata = true;
      firmware.task_set = 32;
      break;
    case Attachment::usb:  // one command at a time, so that ATA cannot force a read
      firmware.ata = true;
      firmware.task_set = 1;
      firmware.force_reads = firmware.force_writes = false;
      break;
  }
  return firmware;
}

// The blocks of another arm, behind those of the first, on surfaces of its own.
void append_arm(model::Layout&& more, std::uint32_t surfaces, model::Layout& layout) {
  const std::uint64_t slots = model::count_slots(layout), blocks = model::count_blocks(layout);
  for (model::LayoutNode& zone : more.zones) {
    zone.head += static_cast<std::int32_t>(surfaces);
    layout.zones.push_back(std::move(zone));
  }
  for (model::Skip skip : more.skips) {
    skip.first_slot += slots;
    layout.skips.push_back(skip);
  }
  for (const model::Remap& remap : more.remaps)
    layout.remaps.push_back({remap.lbn + blocks, remap.slot + slots});
}

// Each arm's layout is drawn for itself.
void add_arms(const ModernDrive& drive, const ModernRecipe& recipe, std::mt19937_64& random,
              model::DriveModel& model) {
  if (drive.arms < 2) return;
  model::Arms& arms = model.arms.emplace();
  arms.method = "invented";
  arms.interference = told_ms(drive.interference_ms);
  for (std::uint32_t arm = 0; arm < drive.arms; ++arm) {
    const auto surfaces = static_cast<std::uint32_t>(recipe.surfaces.size());
    const std::uint64_t first = arm == 0 ? 0 : model::count_blocks(model.layout);
    if (arm > 0)
      append_arm(std::move(build_modern(recipe, random).truth), arm * surfaces, model.layout);
    arms.ranges.push_back({first, model::count_blocks(model.layout) - 1, arm});
  }
}

}  // namespace

// In idle_a only electronics rest; in idle_b the heads are unloaded, in idle_c the spindle turns
// slower besides, in standby it stands still. Times as drives of today tell them.
void draw_power(model::DriveModel& model, bool page_changeable) {
  const std::string drawn_by = model.identity.serial + model.identity.name + " power";
  std::seed_seq seed(drawn_by.begin(), drawn_by.end());
  std::mt19937_64 random(seed);
  Dice dice(random);
  model::Power& power = model.power.emplace();
  power.idle_a = whole_us(std::exp(dice.uniform(std::log(8.0), std::log(120.0))));
  const double unloaded_ms = dice.uniform(300, 1500);
  power.idle_b = whole_us(unloaded_ms);
  const double slower_ms = unloaded_ms * dice.uniform(1.5, 4);
  if (dice.chance(0.8)) power.idle_c = whole_us(slower_ms);
  if (dice.chance(0.8)) power.standby_y = whole_us(slower_ms * dice.uniform(1, 1.3));
  power.standby_z = whole_us(std::max(6000.0, slower_ms * dice.uniform(1.3, 3)));
  const auto timer = [&](const char* condition, std::uint64_t seconds) {
    if (dice.chance(0.8)) model.identity.power_timers.push_back({condition, seconds * 1000});
  };
  model.identity.power_timers.clear();
  timer("idle_a", dice.pick(1, 4));
  timer("idle_b", dice.pick(60, 600));
  timer("standby_z", dice.pick(900, 7200));
  if (!model.firmware) model.firmware.emplace();
  model.firmware->power_page_changeable = page_changeable;
  model.firmware->told_wake_share = std::round(dice.uniform(1, 1.6) * 100) / 100;
}

model::DriveModel make_modern(const ModernDrive& drive, std::mt19937_64& random) {
  ModernRecipe recipe = drive.recipe;
  recipe.blocks_of_sector = drive.physical_block_bytes / drive.block_bytes;
  ModernLayout layout = build_modern(recipe, random);
  model::DriveModel model;
  model.layout = std::move(layout.truth);
  add_arms(drive, recipe, random, model);
  model.layout.angle.unit = "rev";
  model.layout.angle.error = 0;
  model.identity.blocks = model::count_blocks(model.layout);
  model.identity.block_bytes = drive.block_bytes;
  model.identity.physical_block_bytes = drive.physical_block_bytes;
  model.identity.cylinders = model::cylinders_of(model.layout);
  model.identity.heads = static_cast<std::uint32_t>(drive.recipe.surfaces.size()) * drive.arms;
  model.provenance.method = "catalogue";
  model.provenance.notes.push_back(layout.description);
  model.rotation = modern_rotation(drive.mechanics);
  model.seek = modern_seek(drive.mechanics, model.identity.cylinders);
  model.head_switch = told_ms(drive.mechanics.head_switch_ms);
  model.write_settle = told_ms(drive.mechanics.write_settle_ms);
  model.cache = modern_cache(drive);
  model.overheads = modern_overheads();
  model.bus.block_transfer = told_ms(drive.block_bytes / drive.bus_mb_s / 1000);
  constexpr double kShortestPositioningFirst = 8;
  const bool usb = drive.attachment == Attachment::usb;
  model.queue.depth = invented(usb ? 1 : 32);
  model.queue.policy = invented(usb ? 1 : kShortestPositioningFirst);
  model.imperfections = modern_imperfections(drive);
  model.firmware = modern_firmware(drive);
  return model;
}

}  // namespace platter::virtual_drive
