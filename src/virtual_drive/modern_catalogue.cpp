#include "virtual_drive/modern_catalogue.h"

#include <string>

#include "virtual_drive/modern_drive.h"
#include "virtual_drive/random_dice.h"

namespace platter::virtual_drive {
namespace {

// What is drawn follows from the seed's name, so that drives that differ in one thing share all
// else.
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

std::vector<ModernSurface> surfaces_of_density(std::uint32_t count, double spread,
                                               std::string_view drawn_by) {
  std::mt19937_64 random = generator_of(std::string(drawn_by) + " surfaces");
  Dice dice(random);
  std::vector<ModernSurface> surfaces(count);
  for (ModernSurface& surface : surfaces) surface.density = dice.uniform(1 - spread, 1 + spread);
  return surfaces;
}

ModernDrive drive_20tb(std::string_view name) {
  ModernDrive drive;
  ModernRecipe& recipe = drive.recipe;
  recipe.surfaces = surfaces_of_density(20, 0.03, name);
  recipe.serpentine = {.surfaces_alternate = true, .bands_alternate = true};
  recipe.band = 300;
  recipe.bands = 38'550;
  recipe.sectors = 580;
  recipe.last_sectors = 270;
  recipe.formats = 62;
  recipe.formats_used = 0.76;
  recipe.border_rounds = 2;
  recipe.track_skews = {30, 31, 32};
  recipe.irregularities.tracks = 5000;
  drive.mechanics.decirpm = 71'934;
  drive.block_bytes = drive.physical_block_bytes = 4096;
  return drive;
}

model::DriveModel modern_20tb(const InventedDrive& drive) {
  return named_modern(drive, drive_20tb("modern-20tb"), "modern-20tb");
}

constexpr InventedDrive kModernDrives[] = {
    {"modern-20tb",
     "of today, 20 TB, 7193.4 rpm, 4096-byte blocks: 20 surfaces, 5000 irregular tracks",
     modern_20tb},
};

}  // namespace

std::span<const InventedDrive> modern_drives() { return kModernDrives; }

}  // namespace platter::virtual_drive
