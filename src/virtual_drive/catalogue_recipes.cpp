#include "virtual_drive/catalogue_recipes.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "virtual_drive/random_dice.h"
#include "virtual_drive/random_drive.h"
#include "virtual_drive/random_layout.h"

namespace platter::virtual_drive {
namespace {

constexpr Mechanics kClassicMechanics{.rpm = 10'000,
                                      .head_switch_ms = 0.7,
                                      .write_settle_ms = 0.6,
                                      .first_seek_ms = 1.0,
                                      .last_seek_ms = 11.5};

// What is drawn follows from the seed's name: the drive's own, unless it shares a layout.
model::DriveModel made_from(const InventedDrive& drive, Recipe recipe, const Mechanics& mechanics,
                            std::string_view drawn_by = {}) {
  const std::string_view name = drawn_by.empty() ? drive.name : drawn_by;
  std::seed_seq seed(name.begin(), name.end());
  std::mt19937_64 random(seed);
  fit_skews(recipe, mechanics);
  model::DriveModel model = drive_around(build(recipe, random), mechanics);
  name_invented(drive, model);
  return model;
}

// A drive as they were built around 1999: 10 GB in 16 zones, some hundred slipped defects, a few
// blocks remapped since.
Recipe classic_recipe(std::vector<Spares> spares) {
  Recipe recipe;
  recipe.heads = 8;
  recipe.zones = 16;
  recipe.slots = 20'000'000;
  recipe.sectors = 334;
  recipe.last_sectors = 224;
  recipe.spares = std::move(spares);
  recipe.defects = {.singles = 300, .clusters = 10};
  recipe.remaps = recipe.spares.empty() ? 0 : 20;
  return recipe;
}

model::DriveModel classic(const InventedDrive& drive, std::vector<Spares> spares) {
  return made_from(drive, classic_recipe(std::move(spares)), kClassicMechanics);
}

model::DriveModel spare_none(const InventedDrive& drive) { return classic(drive, {}); }

model::DriveModel spare_track(const InventedDrive& drive) {
  return classic(drive, {{.unit = Unit::track, .count = 2, .absorbs = true}});
}

model::DriveModel spare_cylinder(const InventedDrive& drive) {
  return classic(drive, {{.unit = Unit::cylinder, .count = 12, .absorbs = true}});
}

// Inward seeks are the slower ones over short distances, outward ones over long ones; writes settle
// the longer the farther the arm has come.
model::DriveModel seeks_apart(const InventedDrive& drive) {
  model::DriveModel model = made_from(
      drive, classic_recipe({{.unit = Unit::cylinder, .count = 12, .absorbs = true}}),
      kClassicMechanics, "spare-cylinder");
  model.outward_seek = slower(model.seek, -0.12, 0.25);
  model.write_seek = slower(model.seek, 0.35, 0.9);
  return model;
}

model::DriveModel seeks_apart_by_reads(const InventedDrive& drive) {
  model::DriveModel model = seeks_apart(drive);
  model.firmware->seek_command = false;
  return model;
}

model::DriveModel spare_cylinder_front(const InventedDrive& drive) {
  return classic(drive, {{.unit = Unit::cylinder, .count = 12, .in_front = true, .absorbs = true}});
}

model::DriveModel spare_cylinder_group(const InventedDrive& drive) {
  return classic(drive, {{.unit = Unit::group, .count = 96, .group = 5, .absorbs = true}});
}

model::DriveModel spare_zone(const InventedDrive& drive) {
  return classic(drive, {{.unit = Unit::zone, .count = 1500}});
}

model::DriveModel spare_disk(const InventedDrive& drive) {
  return classic(drive, {{.unit = Unit::disk, .count = 12'000}});
}

model::DriveModel spare_tracks_of_zone(const InventedDrive& drive) {
  Recipe recipe =
      classic_recipe({{.unit = Unit::zone, .count = 5, .whole_tracks = true, .absorbs = true}});
  recipe.defects = {.singles = 40};
  recipe.slips_tracks = true;
  return made_from(drive, recipe, kClassicMechanics);
}

model::DriveModel spare_mixed(const InventedDrive& drive) {
  return classic(drive, {{.unit = Unit::cylinder, .count = 4, .absorbs = true},
                         {.unit = Unit::group, .count = 80, .group = 10}});
}

model::DriveModel spare_mixed_tracks(const InventedDrive& drive) {
  return classic(drive, {{.unit = Unit::cylinder, .count = 8, .absorbs = true},
                         {.unit = Unit::zone, .count = 3, .whole_tracks = true}});
}

model::DriveModel many_defects(const InventedDrive& drive) {
  Recipe recipe = classic_recipe({{.unit = Unit::cylinder, .count = 16, .absorbs = true}});
  recipe.defects = {.singles = 3000, .clusters = 200, .scratches = 12, .whole_tracks = 6};
  recipe.remaps = 150;
  recipe.remaps_to = RemapsTo::neighbour;
  return made_from(drive, recipe, kClassicMechanics);
}

model::DriveModel head_density(const InventedDrive& drive) {
  Recipe recipe = classic_recipe({{.unit = Unit::zone, .count = 2000}});
  recipe.order = Order::cylinder_serpentine;
  recipe.through_zones = true;
  recipe.sectors = 520;
  recipe.last_sectors = 330;
  recipe.per_head_sizes = true;
  return made_from(drive, recipe, kClassicMechanics);
}

model::DriveModel serpentine_147gb(const InventedDrive& drive) {
  Recipe recipe;
  recipe.order = Order::surface_serpentine;
  recipe.band = 65;
  recipe.heads = 4;
  recipe.zones = 30;
  recipe.even_zones = true;
  recipe.slots = 287'000'000;
  recipe.sectors = 1200;
  recipe.last_sectors = 720;
  recipe.spares = {{.unit = Unit::zone, .count = 3000}};
  recipe.defects = {.singles = 2600, .clusters = 80, .scratches = 8};
  recipe.remaps = 30;
  model::DriveModel model = made_from(drive, recipe,
                                      {.rpm = 15'000,
                                       .head_switch_ms = 0.3,
                                       .write_settle_ms = 0.3,
                                       .first_seek_ms = 0.35,
                                       .last_seek_ms = 7.5});
  model.overheads.address_translation.value = 0.5;
  model.bus.block_transfer.value = 0.0017;
  model.cache.segment_blocks.value = 1024;
  model.cache.segments.value = 16;
  model.cache.read_ahead_max_blocks.value = 1024;
  return model;
}

model::DriveModel lying_translation(const InventedDrive& drive) {
  model::DriveModel model = spare_cylinder(drive);
  model.firmware->translates_truly = false;
  return model;
}

model::DriveModel few_formats(const InventedDrive& drive) {
  model::DriveModel model = spare_cylinder(drive);
  model.firmware->address_formats = {"long block", "bytes from index"};
  model.firmware->defect_formats = {"bytes from index"};
  return model;
}

model::DriveModel busy(const InventedDrive& drive) {
  model::DriveModel model = spare_zone(drive);
  model.imperfections->busy_share = 0.002;
  model.imperfections->unit_attention_share = 0.0005;
  return model;
}

// Drives for the cache's sake: 500 MB without a defect, so that the rest of a characterization is
// soon done, and a cache in which each differs from the first in one respect.
model::DriveModel cache_base(const InventedDrive& drive) {
  Recipe recipe;
  recipe.heads = 4;
  recipe.zones = 4;
  recipe.even_zones = true;
  recipe.slots = 1'000'000;
  recipe.sectors = 334;
  recipe.last_sectors = 224;
  model::DriveModel model = made_from(drive, recipe, kClassicMechanics, "cache-base");
  model.cache.read_ahead_max_blocks = invented(0, "blocks");  // as far as the segment goes
  // Else a sequential read as soon as the one before is complete would find its first block
  // just being read, and lose a revolution where the host took 10 us less than it mostly takes.
  model.cache.almost_read_hits = invented(1);
  return model;
}

template <typename Change>
model::DriveModel with_cache(const InventedDrive& drive, Change change) {
  model::DriveModel model = cache_base(drive);
  change(model.cache);
  return model;
}

template <typename Change>
model::DriveModel with_firmware(const InventedDrive& drive, Change change) {
  model::DriveModel model = cache_base(drive);
  change(*model.firmware);
  return model;
}

model::DriveModel cache_one_segment(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) { c.segments = invented(1); });
}

model::DriveModel cache_many_segments(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) { c.segments = invented(32); });
}

model::DriveModel cache_fifo(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) {
    c.replacement = invented(static_cast<double>(model::Replacement::first_in_first_out));
  });
}

model::DriveModel cache_random(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) {
    c.replacement = invented(static_cast<double>(model::Replacement::random));
  });
}

model::DriveModel cache_pooled(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) { c.buffer_blocks = invented(1024, "blocks"); });
}

model::DriveModel cache_discards(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) { c.discards_after_transfer = invented(1); });
}

model::DriveModel with_read_ahead(const InventedDrive& drive, model::ReadAhead kind) {
  return with_cache(drive,
                    [&](model::Cache& c) { c.read_ahead = invented(static_cast<double>(kind)); });
}

model::DriveModel cache_no_read_ahead(const InventedDrive& drive) {
  return with_read_ahead(drive, model::ReadAhead::none);
}

model::DriveModel cache_read_ahead_track(const InventedDrive& drive) {
  return with_read_ahead(drive, model::ReadAhead::to_track_end);
}

model::DriveModel cache_read_ahead_cylinder(const InventedDrive& drive) {
  return with_read_ahead(drive, model::ReadAhead::to_cylinder_end);
}

model::DriveModel cache_read_ahead_next_track(const InventedDrive& drive) {
  return with_read_ahead(drive, model::ReadAhead::to_next_track_if_sequential);
}

model::DriveModel cache_read_ahead_sequential(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) { c.read_ahead_after_sequential = invented(1); });
}

model::DriveModel cache_read_ahead_short(const InventedDrive& drive) {
  return with_cache(drive,
                    [](model::Cache& c) { c.read_ahead_max_blocks = invented(64, "blocks"); });
}

model::DriveModel cache_read_ahead_least(const InventedDrive& drive) {
  return with_cache(drive,
                    [](model::Cache& c) { c.read_ahead_min_blocks = invented(128, "blocks"); });
}

model::DriveModel cache_read_ahead_on_hit(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) { c.read_ahead_on_hit = invented(1); });
}

model::DriveModel cache_no_abort(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) { c.read_ahead_abort = invented(0); });
}

model::DriveModel cache_write_through(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) { c.write_back_level = invented(0); });
}

model::DriveModel cache_separate_write(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) {
    c.separate_write_segment = invented(1);
    c.write_segments = invented(2);
  });
}

// Written data wait in any segment; the four behind it differ from this one.
model::DriveModel cache_shared_writes(const InventedDrive& drive) {
  return with_cache(drive, [](model::Cache& c) {
    c.destage_behind = invented(1);
    c.write_segments = c.segments;
  });
}

model::DriveModel cache_destage_idle(const InventedDrive& drive) {
  model::DriveModel model = cache_shared_writes(drive);
  model.cache.destage_idle = invented(50, "ms");
  return model;
}

model::DriveModel cache_destage_by_lbn(const InventedDrive& drive) {
  model::DriveModel model = cache_shared_writes(drive);
  model.cache.destage_order = invented(static_cast<double>(model::DestageOrder::by_lbn));
  return model;
}

model::DriveModel cache_write_burst(const InventedDrive& drive) {
  model::DriveModel model = cache_shared_writes(drive);
  model.cache.written_blocks = invented(512, "blocks");
  return model;
}

model::DriveModel cache_persistent(const InventedDrive& drive) {
  model::DriveModel model = cache_shared_writes(drive);
  model.cache.written_persist = invented(1);
  model.cache.synchronize = invented(0.2, "ms");
  return model;
}

model::DriveModel adaptive(const InventedDrive& drive, double fewest, double most,
                           double requests) {
  return with_cache(drive, [&](model::Cache& c) {
    c.segments = invented(most);
    c.segment_blocks = invented(2048 / most, "blocks");
    c.adaptive_min_segments = invented(fewest);
    c.adaptive_window_requests = invented(requests);
  });
}

model::DriveModel cache_adaptive(const InventedDrive& drive) { return adaptive(drive, 1, 8, 32); }
model::DriveModel cache_adaptive_soon(const InventedDrive& drive) {
  return adaptive(drive, 1, 8, 16);
}
model::DriveModel cache_adaptive_few(const InventedDrive& drive) {
  return adaptive(drive, 4, 16, 48);
}
model::DriveModel cache_adaptive_wide(const InventedDrive& drive) {
  return adaptive(drive, 2, 32, 100);
}

// 256 MB, on a drive that is larger than that.
model::DriveModel cache_large(const InventedDrive& drive) {
  model::DriveModel model = made_from(drive, classic_recipe({}), kClassicMechanics);
  model.cache.read_ahead_max_blocks = invented(0, "blocks");
  model.cache.segments = invented(512);
  model.cache.segment_blocks = invented(1024, "blocks");
  return model;
}

model::DriveModel cache_ignores_dra(const InventedDrive& drive) {
  return with_firmware(drive, [](model::Firmware& f) { f.ignored_cache_fields = {"DRA"}; });
}

model::DriveModel cache_ignores_rcd_wce(const InventedDrive& drive) {
  return with_firmware(drive, [](model::Firmware& f) { f.ignored_cache_fields = {"RCD", "WCE"}; });
}

model::DriveModel cache_ignores_segments(const InventedDrive& drive) {
  return with_firmware(
      drive, [](model::Firmware& f) { f.ignored_cache_fields = {"NUMBER OF CACHE SEGMENTS"}; });
}

model::DriveModel cache_fixed_page(const InventedDrive& drive) {
  return with_firmware(drive, [](model::Firmware& f) { f.cache_page_changeable = false; });
}

// 10 GB behind a SCSI / ATA translation that takes no change of the caching page.
model::DriveModel sat_disk(const InventedDrive& drive) {
  model::DriveModel model = spare_zone(drive);
  model.identity.vendor = "ATA";
  model::Firmware& firmware = *model.firmware;
  firmware.scsi_level = "SPC-3";
  firmware.ata = true;
  firmware.cache_page_changeable = false;
  firmware.seek_command = false;
  firmware.defect_list = false;
  firmware.most_transfer_blocks = 256;
  // Power management lets the arm rest when nothing has come for a while.
  model.imperfections->idle_condition_s = 0.2;
  model.imperfections->idle_condition_ms = 300;
  return model;
}

constexpr InventedDrive kDrives[] = {
    {"spare-none", "invented, 10 GB: no spares", spare_none},
    {"spare-track", "invented, 10 GB: spare sectors of each track", spare_track},
    {"spare-cylinder", "invented, 10 GB: spare sectors of each cylinder", spare_cylinder},
    {"spare-cylinder-front", "invented, 10 GB: spare sectors before each cylinder",
     spare_cylinder_front},
    {"spare-cylinder-group", "invented, 10 GB: spare sectors of each group of cylinders",
     spare_cylinder_group},
    {"spare-zone", "invented, 10 GB: spare sectors of each zone", spare_zone},
    {"spare-disk", "invented, 10 GB: spare sectors at the end of the disk", spare_disk},
    {"spare-tracks-of-zone", "invented, 10 GB: spare tracks of each zone, tracks are slipped",
     spare_tracks_of_zone},
    {"spare-mixed", "invented, 10 GB: spare sectors of each cylinder and of each group of them",
     spare_mixed},
    {"spare-mixed-tracks",
     "invented, 10 GB: spare sectors of each cylinder, spare tracks of each zone",
     spare_mixed_tracks},
    {"many-defects", "invented, 10 GB: thousands of defects, scratches, tracks given up",
     many_defects},
    {"head-density", "invented, 10 GB: each head with its own sectors per track", head_density},
    {"serpentine-147gb", "invented, 147 GB, 15000 rpm: bands of 65 tracks on each of 4 surfaces",
     serpentine_147gb},
    {"lying-translation", "invented, 10 GB: translates addresses into an even geometry",
     lying_translation},
    {"seeks-apart", "spare-cylinder; seeks inward, outward and of writes each take their time",
     seeks_apart},
    {"seeks-apart-by-reads", "seeks-apart without SEEK commands", seeks_apart_by_reads},
    {"few-formats", "invented, 10 GB: places in bytes from the index only", few_formats},
    {"sat-disk", "invented, 10 GB: an ATA drive behind a SCSI / ATA translation", sat_disk},
    {"busy", "invented, 10 GB: answers BUSY or UNIT ATTENTION now and then", busy},
    {"cache-base", "invented, 0.5 GB: 8 segments of 256 blocks, write-back", cache_base},
    {"cache-one-segment", "cache-base with one segment", cache_one_segment},
    {"cache-many-segments", "cache-base with 32 segments", cache_many_segments},
    {"cache-fifo", "cache-base, replaces first in first out", cache_fifo},
    {"cache-random", "cache-base, replaces at random", cache_random},
    {"cache-pooled", "cache-base, segments share a buffer of 1024 blocks", cache_pooled},
    {"cache-discards", "cache-base, drops read data once sent", cache_discards},
    {"cache-no-read-ahead", "cache-base without read-ahead", cache_no_read_ahead},
    {"cache-read-ahead-track", "cache-base, reads ahead to the end of the track",
     cache_read_ahead_track},
    {"cache-read-ahead-cylinder", "cache-base, reads ahead to the end of the cylinder",
     cache_read_ahead_cylinder},
    {"cache-read-ahead-next-track",
     "cache-base, reads ahead to the track's end, and the next one's after sequential reads",
     cache_read_ahead_next_track},
    {"cache-read-ahead-sequential", "cache-base, reads ahead after sequential reads only",
     cache_read_ahead_sequential},
    {"cache-read-ahead-short", "cache-base, reads at most 64 blocks ahead", cache_read_ahead_short},
    {"cache-read-ahead-least", "cache-base, no command stops the first 128 blocks of read-ahead",
     cache_read_ahead_least},
    {"cache-read-ahead-on-hit", "cache-base, reads ahead after hits, too", cache_read_ahead_on_hit},
    {"cache-no-abort", "cache-base, no command stops read-ahead", cache_no_abort},
    {"cache-write-through", "cache-base without a write cache", cache_write_through},
    {"cache-separate-write", "cache-base, two of the segments for writes only",
     cache_separate_write},
    {"cache-shared-writes", "cache-base, written data wait in any segment until it is idle",
     cache_shared_writes},
    {"cache-destage-idle", "cache-shared-writes, destages after 50 ms without a command",
     cache_destage_idle},
    {"cache-destage-by-lbn", "cache-shared-writes, destages by LBN", cache_destage_by_lbn},
    {"cache-write-burst", "cache-shared-writes, at most 512 blocks wait", cache_write_burst},
    {"cache-persistent", "cache-shared-writes, written data are safe as they are taken",
     cache_persistent},
    {"cache-adaptive", "cache-base, 1 to 8 segments as the load asks, looked at every 32 requests",
     cache_adaptive},
    {"cache-adaptive-soon", "cache-base, 1 to 8 segments as the load asks, every 16 requests",
     cache_adaptive_soon},
    {"cache-adaptive-few", "cache-base, 4 to 16 segments as the load asks, every 48 requests",
     cache_adaptive_few},
    {"cache-adaptive-wide", "cache-base, 2 to 32 segments as the load asks, every 100 requests",
     cache_adaptive_wide},
    {"cache-large", "invented, 10 GB: 512 segments of 1024 blocks", cache_large},
    {"cache-ignores-dra", "cache-base, DRA of mode page 08h does nothing", cache_ignores_dra},
    {"cache-ignores-rcd-wce", "cache-base, RCD and WCE of mode page 08h do nothing",
     cache_ignores_rcd_wce},
    {"cache-ignores-segments", "cache-base, the number of segments of mode page 08h does nothing",
     cache_ignores_segments},
    {"cache-fixed-page", "cache-base, nothing of mode page 08h can be changed", cache_fixed_page},
};

}  // namespace

std::span<const InventedDrive> invented_drives() { return kDrives; }

void name_invented(const InventedDrive& drive, model::DriveModel& model) {
  std::string upper(drive.name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  model.identity.name = std::string(drive.name);
  model.identity.vendor = "PLATTER";
  model.identity.product = upper.substr(0, 16);
  model.identity.revision = "VIRT";
  model.identity.serial = "VIRTUAL-" + upper;
  model.provenance.source = "invented";
}

}  // namespace platter::virtual_drive
