#include <string>

#include "virtual_drive/catalogue_recipes.h"
#include "virtual_drive/modern_drive.h"
#include "virtual_drive/random_dice.h"
#include "virtual_drive/shingled_drive.h"

namespace platter::virtual_drive {
namespace {

// What is drawn follows from a name, so that drives that differ in one thing share all else.
std::mt19937_64 generator_of(std::string_view name) {
  std::seed_seq seed(name.begin(), name.end());
  return std::mt19937_64(seed);
}

model::DriveModel named_modern(const InventedDrive& drive, const ModernDrive& made_of,
                               std::string_view drawn_by) {
  std::mt19937_64 random = generator_of(drawn_by);
  model::DriveModel model = make_modern(made_of, random);
  name_invented(drive, model);
  return model;
}

struct Spread {
  double density = 0;  // evenly from as much below the mean to as much above it
  double pitch = 0;    // so much may a surface's be below the finest
};

std::vector<ModernSurface> drawn_surfaces(std::uint32_t count, const Spread& spread,
                                          std::string_view drawn_by) {
  std::mt19937_64 random = generator_of(std::string(drawn_by) + " surfaces");
  Dice dice(random);
  std::vector<ModernSurface> surfaces(count);
  for (ModernSurface& surface : surfaces) {
    surface.density = dice.uniform(1 - spread.density, 1 + spread.density);
    surface.pitch = 1 - dice.uniform(0, spread.pitch);
  }
  surfaces.front().pitch = 1;
  return surfaces;
}

// Drives that have as many irregular tracks for their size as the one of 20 TB.
constexpr std::uint32_t kTracksOfIrregular = 2313;

// Of 500 GB, and of what has as many bytes on a surface.
ModernDrive formatted_as_500gb(std::uint32_t surfaces, std::uint32_t bands,
                               std::string_view drawn_by) {
  ModernDrive made_of;
  ModernRecipe& recipe = made_of.recipe;
  recipe.surfaces = drawn_surfaces(surfaces, {.density = 0.04}, drawn_by);
  recipe.serpentine.bands_alternate = true;
  recipe.band = 120;
  recipe.bands = bands;
  recipe.sectors = 1790;
  recipe.last_sectors = 950;
  recipe.formats = 30;
  recipe.wedges = 108;
  recipe.track_skews = {9};
  recipe.head_skew = 24;
  recipe.round_skew = 36;
  recipe.irregularities.tracks = recipe.bands * recipe.band / kTracksOfIrregular;
  made_of.mechanics.seek_line_ms = 4e-5;
  made_of.buffer_mib = 32;
  return made_of;
}

model::DriveModel modern_500gb_as(const InventedDrive& drive, Attachment attachment) {
  constexpr std::string_view kDrawnBy = "modern-500gb";
  ModernDrive made_of = formatted_as_500gb(4, 5940, kDrawnBy);
  made_of.mechanics.decirpm = 72'060;
  made_of.attachment = attachment;
  made_of.bus_mb_s = 280;
  if (attachment == Attachment::usb) {
    made_of.physical_block_bytes = 4096;
    made_of.bus_mb_s = 400;
  }
  return named_modern(drive, made_of, kDrawnBy);
}

model::DriveModel modern_500gb(const InventedDrive& drive) {
  return modern_500gb_as(drive, Attachment::sata);
}

model::DriveModel modern_500gb_usb(const InventedDrive& drive) {
  return modern_500gb_as(drive, Attachment::usb);
}

// Two arms over two surfaces each, one logical unit.
model::DriveModel modern_2arms(const InventedDrive& drive) {
  ModernDrive made_of = formatted_as_500gb(2, 3042, drive.name);
  made_of.mechanics.decirpm = 72'093;
  made_of.attachment = Attachment::sas;
  made_of.arms = 2;
  return named_modern(drive, made_of, drive.name);
}

// Media caches and bands as Skylight found them, cleaned when idle or when full.
model::DriveModel modern_smr_of(const InventedDrive& drive, const ShingledDrive& shingles,
                                std::uint32_t zoned) {
  ModernDrive made_of = formatted_as_500gb(4, 5940, "modern-smr");
  made_of.mechanics.decirpm = 59'040;
  made_of.mechanics.nominal_rpm = 5900;
  made_of.physical_block_bytes = 4096;
  model::DriveModel model = named_modern(drive, made_of, "modern-smr");
  shingle(shingles, model);
  model.firmware->zoned = zoned;
  return model;
}

model::DriveModel modern_smr_idle(const InventedDrive& drive) {
  return modern_smr_of(drive, {.band_mib = 30, .cache_gb = 8, .entries = 100'000}, 0);
}

model::DriveModel modern_smr_lazy(const InventedDrive& drive) {
  constexpr std::uint32_t kDeviceManaged = 2;
  return modern_smr_of(
      drive, {.band_mib = 24, .cache_gb = 5, .entries = 60'000, .cleans_when_idle = false},
      kDeviceManaged);
}

model::DriveModel modern_1tb(const InventedDrive& drive) {
  ModernDrive made_of;
  ModernRecipe& recipe = made_of.recipe;
  recipe.surfaces = drawn_surfaces(4, {.density = 0.02}, drive.name);
  for (ModernSurface& surface : recipe.surfaces) surface.density -= 0.02;
  recipe.surfaces.front().density = 1;  // the others hold less
  recipe.band = 150;
  recipe.bands = 5860;
  recipe.sectors = 2937;
  recipe.last_sectors = 1562;
  recipe.formats = 40;
  recipe.formats_used = 0.8;
  recipe.wedges = 200;
  recipe.track_skews = {16, 17};
  recipe.head_skew = 44;
  recipe.round_skew = 60;
  recipe.irregularities.tracks = recipe.bands * recipe.band / kTracksOfIrregular;
  made_of.mechanics.decirpm = 72'471;
  made_of.mechanics.seek_line_ms = 3e-5;
  made_of.buffer_mib = 32;
  made_of.bus_mb_s = 280;
  return named_modern(drive, made_of, drive.name);
}

model::DriveModel modern_5tb(const InventedDrive& drive) {
  ModernDrive made_of;
  ModernRecipe& recipe = made_of.recipe;
  recipe.surfaces = drawn_surfaces(10, {.density = 0.05, .pitch = 0.06}, drive.name);
  recipe.serpentine.surfaces_alternate = true;
  recipe.band = 325;
  recipe.bands = 10'410;
  recipe.sectors = 3868;
  recipe.last_sectors = 2100;
  recipe.formats = 45;
  recipe.formats_used = 0.8;
  recipe.wedges = 320;
  recipe.track_skews = {25, 26};
  recipe.head_skew = 70;
  recipe.round_skew = 110;
  recipe.irregularities.tracks = recipe.bands * recipe.band / kTracksOfIrregular;
  made_of.mechanics.decirpm = 71'986;
  made_of.mechanics.seek_line_ms = 1e-5;
  made_of.physical_block_bytes = 4096;
  made_of.buffer_mib = 128;
  return named_modern(drive, made_of, drive.name);
}

model::DriveModel modern_10heads(const InventedDrive& drive) {
  ModernDrive made_of;
  ModernRecipe& recipe = made_of.recipe;
  recipe.surfaces = drawn_surfaces(10, {}, drive.name);
  recipe.serpentine.bands_alternate = true;
  recipe.band = 200;
  recipe.bands = 24'000;
  recipe.sectors = 4240;
  recipe.last_sectors = 2270;
  recipe.formats = 61;
  made_of.mechanics.decirpm = 72'013;
  recipe.irregularities.tracks = recipe.bands * recipe.band / kTracksOfIrregular;
  made_of.physical_block_bytes = 4096;
  return named_modern(drive, made_of, drive.name);
}

ModernDrive drive_of_20tb(std::uint32_t singles) {
  ModernDrive drive;
  ModernRecipe& recipe = drive.recipe;
  recipe.surfaces = drawn_surfaces(20, {.density = 0.03}, "modern-20tb");
  recipe.serpentine = {.surfaces_alternate = true, .bands_alternate = true};
  recipe.bands = 38'550;
  recipe.sectors = 580;
  recipe.last_sectors = 270;
  recipe.formats = 62;
  recipe.formats_used = 0.76;
  recipe.border_rounds = 2;
  recipe.track_skews = {30, 31, 32};
  recipe.irregularities = {.tracks = 5000, .singles = singles};
  drive.mechanics.decirpm = 71'934;
  drive.block_bytes = drive.physical_block_bytes = 4096;
  return drive;
}

model::DriveModel modern_20tb(const InventedDrive& drive) {
  return named_modern(drive, drive_of_20tb(0), "modern-20tb");
}

model::DriveModel modern_20tb_slips(const InventedDrive& drive) {
  return named_modern(drive, drive_of_20tb(60'000), "modern-20tb");
}

model::DriveModel sas_147gb(const InventedDrive& drive) {
  ModernDrive made_of;
  ModernRecipe& recipe = made_of.recipe;
  recipe.surfaces = drawn_surfaces(4, {}, drive.name);
  recipe.serpentine.bands_alternate = true;
  recipe.band = 65;
  recipe.bands = 4600;
  recipe.sectors = 1200;
  recipe.last_sectors = 720;
  recipe.formats = 30;
  recipe.wedges = 256;
  recipe.track_skews = {32};
  recipe.head_skew = 56;
  recipe.round_skew = 72;
  recipe.irregularities.singles = 3400;
  made_of.mechanics = {.decirpm = 150'052,
                       .nominal_rpm = 15'000,
                       .seek_base_ms = 0.35,
                       .seek_root_ms = 0.026,
                       .head_switch_ms = 0.7,
                       .write_settle_ms = 0.1};
  made_of.attachment = Attachment::sas;
  made_of.buffer_mib = 16;
  made_of.bus_mb_s = 300;
  model::DriveModel model = named_modern(drive, made_of, drive.name);
  model.firmware->scsi_level = "SPC-3";
  model.firmware->seek_command = true;
  return model;
}

constexpr InventedDrive kModernDrives[] = {
    {"modern-500gb", "of today, 500 GB, 7206 rpm: 4 surfaces, 108 servo wedges", modern_500gb},
    {"modern-1tb", "of today, 1 TB, 7247.1 rpm: 4 surfaces, 2937 sectors outermost", modern_1tb},
    {"modern-5tb", "of today, 5 TB, 7198.6 rpm: 10 surfaces, each of its own density and pitch",
     modern_5tb},
    {"modern-10heads", "of today, 8 TB, 7201.3 rpm: 10 surfaces, 61 formats, skews of 384 wedges",
     modern_10heads},
    {"modern-20tb", "of today, 20 TB, 7193.4 rpm: 20 surfaces, 5000 irregular tracks", modern_20tb},
    {"modern-20tb-slips", "modern-20tb with 60000 single slips besides", modern_20tb_slips},
    {"modern-500gb-usb", "modern-500gb as 512e behind a USB bridge: no FUA, one command at a time",
     modern_500gb_usb},
    {"modern-2arms", "of today, 500 GB, 7209.3 rpm: two arms with two surfaces each", modern_2arms},
    {"modern-smr-idle",
     "of today, 500 GB, shingled, and says nothing of it: cleans bands when idle", modern_smr_idle},
    {"modern-smr-lazy", "of today, 500 GB, shingled, and says so: cleans bands when it must",
     modern_smr_lazy},
    {"sas-147gb", "without translation, 147 GB, 15005.2 rpm: 4 surfaces, 3400 single slips",
     sas_147gb},
};

}  // namespace

std::span<const InventedDrive> modern_drives() { return kModernDrives; }

}  // namespace platter::virtual_drive
