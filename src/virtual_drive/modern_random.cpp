#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

#include "virtual_drive/random_dice.h"
#include "virtual_drive/random_drive.h"

namespace platter::virtual_drive {
namespace {

constexpr double kLeastBytes = 100e9, kMostBytes = 24e12;
constexpr double kMostSurfaceBytes = 1.2e12;

double log_uniform(Dice& dice, double low, double high) {
  return std::exp(dice.uniform(std::log(low), std::log(high)));
}

void draw_blocks(ModernDrive& drive, double bytes, Dice& dice) {
  const double kind = dice.uniform(0, 1);
  if (bytes < 1e12 ? kind < 0.6 : kind < 0.1) return;  // 512n
  drive.physical_block_bytes = 4096;
  if (kind > 0.8) drive.block_bytes = 4096;
}

std::uint32_t drawn_heads(double bytes, Dice& dice) {
  const auto least = static_cast<std::uint32_t>(std::ceil(bytes / kMostSurfaceBytes));
  if (dice.chance(0.05)) return dice.pick32(21, 32);
  const auto most = static_cast<std::uint32_t>(bytes / 25e9);
  return dice.pick32(least, std::clamp(most, least, 20U));
}

// Sizes of the tracks of a surface that holds so much, and how many tracks it has: both grow as the
// root of what it holds.
std::uint32_t draw_tracks(ModernDrive& drive, double surface_bytes, Dice& dice) {
  ModernRecipe& recipe = drive.recipe;
  const double mean_bytes = 1.73e6 * std::sqrt(surface_bytes / 1e12) * dice.uniform(0.8, 1.25);
  const double inner = dice.uniform(0.45, 0.65);  // of the outermost track's size
  const double sectors = mean_bytes / drive.block_bytes * 2 / (1 + inner);
  recipe.sectors = static_cast<std::uint32_t>(sectors);
  recipe.last_sectors = static_cast<std::uint32_t>(sectors * inner);
  recipe.formats = dice.pick32(10, 64);
  recipe.formats_used = dice.uniform(0.6, 1);
  return static_cast<std::uint32_t>(surface_bytes / mean_bytes);
}

void draw_bands(ModernRecipe& recipe, std::uint32_t heads, std::uint32_t tracks, Dice& dice) {
  recipe.serpentine = {.surfaces_alternate = dice.chance(0.5), .bands_alternate = dice.chance(0.5)};
  recipe.band = dice.log_pick32(1, 600);
  recipe.bands = tracks / recipe.band * heads + dice.pick32(0, heads - 1);
  if (dice.chance(0.25))
    recipe.border_rounds = 0;
  else
    recipe.border_rounds = dice.pick32(1, 4);
}

void draw_surfaces(ModernRecipe& recipe, std::uint32_t heads, Dice& dice) {
  // With pitches no round is as the one before, and the layout has a node for each band.
  constexpr std::uint32_t kLeastBand = 20, kMostBands = 100'000;
  const double density = dice.chance(0.8) ? dice.uniform(0, 0.06) : 0;
  const bool pitches = recipe.band >= kLeastBand && recipe.bands <= kMostBands && dice.chance(0.5);
  recipe.surfaces.resize(heads);
  for (ModernSurface& surface : recipe.surfaces) {
    surface.density = dice.uniform(1 - density, 1 + density);
    if (pitches) surface.pitch = dice.uniform(0.92, 1);
  }
  recipe.surfaces[dice.pick(0, heads - 1)].pitch = 1;
}

void draw_rotation(ModernMechanics& mechanics, double bytes, Dice& dice) {
  constexpr std::uint32_t kSpeeds[] = {5400, 5700, 5940, 5980, 7200, 7200, 7200, 7200};
  mechanics.nominal_rpm = kSpeeds[dice.pick(0, std::size(kSpeeds) - 1)];
  if (bytes < 2e12 && dice.chance(0.2)) mechanics.nominal_rpm = dice.chance(0.5) ? 10'000 : 15'000;
  const double rpm = mechanics.nominal_rpm * dice.uniform(0.993, 1.007);
  mechanics.decirpm = static_cast<std::uint32_t>(std::llround(10 * rpm));
}

void draw_arm(ModernMechanics& mechanics, std::uint32_t tracks, Dice& dice) {
  const double period_ms = 600e3 / mechanics.decirpm;
  mechanics.seek_base_ms = dice.uniform(0.035, 0.07) * period_ms;
  const double rest_ms = dice.uniform(1.3, 3.6) * period_ms - mechanics.seek_base_ms;
  const double root = dice.uniform(0.5, 1);  // of the rest; a line is the other part
  mechanics.seek_root_ms = root * rest_ms / std::sqrt(tracks);
  mechanics.seek_line_ms = (1 - root) * rest_ms / tracks;
  mechanics.head_switch_ms = dice.uniform(0.08, 0.22) * period_ms;
  mechanics.write_settle_ms = dice.uniform(0.01, 0.03) * period_ms;
}

// Whole wedges: as many as the arm or the head needs, and some more.
void draw_skews(ModernRecipe& recipe, const ModernMechanics& mechanics, Dice& dice) {
  recipe.wedges = dice.pick32(100, 500);
  const double wedge_ms = 600e3 / mechanics.decirpm / recipe.wedges;
  const auto wedges_of = [&](double move_ms) {
    const double time_ms = (move_ms + mechanics.write_settle_ms) * dice.uniform(1.02, 1.3);
    return static_cast<std::uint32_t>(std::ceil(time_ms / wedge_ms));
  };
  const double step_ms = mechanics.seek_base_ms + mechanics.seek_root_ms + mechanics.seek_line_ms;
  const auto moved_ms = [&](double tracks) {
    return mechanics.seek_base_ms + mechanics.seek_root_ms * std::sqrt(tracks) +
           mechanics.seek_line_ms * tracks;
  };
  recipe.track_skews = {wedges_of(step_ms)};
  if (dice.chance(0.4))
    for (std::uint64_t more = dice.pick(1, 3); more > 0; --more)
      recipe.track_skews.push_back(recipe.track_skews.back() + dice.pick32(1, 2));
  const double back_ms = recipe.serpentine.bands_alternate ? step_ms : moved_ms(recipe.band);
  recipe.head_skew = wedges_of(std::max(mechanics.head_switch_ms, back_ms));
  recipe.round_skew = wedges_of(std::max(mechanics.head_switch_ms, moved_ms(recipe.band)));
  if (dice.chance(0.5)) recipe.round_skew += dice.pick32(0, recipe.wedges / 4);
}

void draw_irregularities(Irregularities& irregularities, std::uint64_t tracks, Dice& dice) {
  const double share = dice.uniform(0, 1.0 / 2000);
  irregularities.tracks = static_cast<std::uint32_t>(share * static_cast<double>(tracks));
  if (!dice.chance(0.3)) return;
  const double singles = log_uniform(dice, 1e-5, 5e-3) * static_cast<double>(tracks);
  irregularities.singles = static_cast<std::uint32_t>(singles);
}

void draw_electronics(ModernDrive& drive, double bytes, Dice& dice) {
  drive.attachment = dice.chance(0.7) ? Attachment::sata : Attachment::sas;
  constexpr std::uint32_t kBuffers[] = {16, 32, 64, 128, 256, 512};
  const std::size_t least = bytes < 1e12 ? 0 : bytes < 4e12 ? 2 : 3;
  drive.buffer_mib = kBuffers[dice.pick(least, least + 2)];
  drive.bus_mb_s = dice.uniform(1.3, 4) * drive.recipe.sectors * drive.block_bytes *
                   drive.mechanics.decirpm / 600e6;  // faster than the outermost track
}

}  // namespace

ModernDrive modern_random_recipe(std::uint64_t seed) {
  constexpr std::uint64_t kModern = 0x6d6f6465726e;  // another drive than random-N
  std::mt19937_64 random(seed ^ kModern);
  Dice dice(random);
  const double bytes = log_uniform(dice, kLeastBytes, kMostBytes);
  ModernDrive drive;
  draw_blocks(drive, bytes, dice);
  const std::uint32_t heads = drawn_heads(bytes, dice);
  const std::uint32_t tracks = draw_tracks(drive, bytes / heads, dice);
  draw_bands(drive.recipe, heads, tracks, dice);
  draw_surfaces(drive.recipe, heads, dice);
  draw_rotation(drive.mechanics, bytes, dice);
  draw_arm(drive.mechanics, tracks, dice);
  draw_skews(drive.recipe, drive.mechanics, dice);
  draw_irregularities(drive.recipe.irregularities, std::uint64_t{heads} * tracks, dice);
  draw_electronics(drive, bytes, dice);
  return drive;
}

model::DriveModel modern_random_drive(std::uint64_t seed) {
  std::mt19937_64 random(~seed);
  model::DriveModel model = make_modern(modern_random_recipe(seed), random);
  model.identity.name = fmt::format("modern random drive {}", seed);
  model.identity.vendor = "PLATTER";
  model.identity.product = "MODERN-RANDOM";
  model.identity.revision = "VIRT";
  model.identity.serial = fmt::format("VIRTUAL-MODERN-{}", seed);
  model.provenance.source = fmt::format("drawn at random, seed {}", seed);
  model.provenance.seed = seed;
  return model;
}

}  // namespace platter::virtual_drive
