#include "virtual_drive/catalogue_recipes.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "virtual_drive/random_drive.h"
#include "virtual_drive/random_layout.h"

namespace platter::virtual_drive {
namespace {

constexpr Mechanics kClassicMechanics{.rpm = 10'000,
                                      .head_switch_ms = 0.7,
                                      .write_settle_ms = 0.6,
                                      .first_seek_ms = 1.0,
                                      .last_seek_ms = 11.5};

model::DriveModel made_from(const InventedDrive& drive, Recipe recipe, const Mechanics& mechanics) {
  std::seed_seq seed(drive.name.begin(), drive.name.end());
  std::mt19937_64 random(seed);
  fit_skews(recipe, mechanics);
  model::DriveModel model = drive_around(build(recipe, random), mechanics);
  std::string upper(drive.name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  model.identity.name = std::string(drive.name);
  model.identity.vendor = "PLATTER";
  model.identity.product = upper.substr(0, 16);
  model.identity.revision = "VIRT";
  model.identity.serial = "VIRTUAL-" + upper;
  model.provenance.source = "invented";
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

constexpr InventedDrive kDrives[] = {
    {"spare-none", "invented, 10 GB: no spares", spare_none},
    {"spare-track", "invented, 10 GB: spare sectors of each track", spare_track},
    {"spare-cylinder", "invented, 10 GB: spare sectors of each cylinder", spare_cylinder},
    {"spare-cylinder-front", "invented, 10 GB: spare sectors in front of each cylinder",
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
    {"few-formats", "invented, 10 GB: places in bytes from the index only", few_formats},
    {"busy", "invented, 10 GB: answers BUSY or UNIT ATTENTION now and then", busy},
};

}  // namespace

std::span<const InventedDrive> invented_drives() { return kDrives; }

}  // namespace platter::virtual_drive
