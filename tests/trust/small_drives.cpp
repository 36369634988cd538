#include "small_drives.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "virtual_drive/modern_drive.h"
#include "virtual_drive/open.h"
#include "virtual_drive/random_drive.h"

namespace trust {
namespace {

using platter::virtual_drive::Mechanics;
using platter::virtual_drive::Recipe;
using platter::virtual_drive::Unit;

constexpr SmallDrive kSmall[] = {
    {"small", "60 cylinders, 2 heads, 2 zones, physical blocks of 512 bytes, page 40h"},
    {"small-512e", "the same with physical blocks of 4096 bytes"},
    {"small-4kn", "the same with logical blocks of 4096 bytes"},
    {"small-ata", "the same as an ATA drive behind a translation: no SEEK, no defect list"},
    {"small-ata-512e", "that one with physical blocks of 4096 bytes"},
    {"small-power", "the first with power conditions, some of whose timers are on"},
    {"small-shingled", "the first with shingled tracks, whose bands are cleaned when it is idle"},
    {"small-shingled-lazy", "that one, whose bands are cleaned when the media cache is full"},
    {"small-random-N",
     "drawn at random, everything follows from N; 20,000 to 100,000 physical sectors"},
};

constexpr std::string_view kSmallRandom = "small-random-";
constexpr platter::virtual_drive::Limits kSmallLimits{
    .least_slots = 20'000, .most_slots = 100'000, .most_defects = 50};

platter::model::DriveModel small_random(const std::string& name) {
  const std::uint64_t seed = std::stoull(name.substr(kSmallRandom.size()));
  auto drive = platter::virtual_drive::random_drive(seed, kSmallLimits);
  drive.imperfections->seed = seed + 1;  // the same in every start
  return drive;
}

void make_ata(platter::model::DriveModel& drive) {
  drive.identity.vendor = "ATA";
  auto& firmware = *drive.firmware;
  firmware.ata = true;
  firmware.defect_list = firmware.seek_command = false;
  firmware.cache_page_changeable = false;
  firmware.most_transfer_blocks = 256;
}

// Some 20 bands, and a media cache that less than a run's writes fills.
void make_shingled(platter::model::DriveModel& drive, bool when_idle) {
  const auto invented = [](double value, const char* unit = "") {
    platter::model::Parameter parameter;
    parameter.value = value;
    parameter.unit = unit;
    return parameter;
  };
  auto& shingling = drive.shingling.emplace();
  shingling.kind = "drive-managed";
  shingling.band_blocks = invented(600, "blocks");
  shingling.media_cache_blocks = invented(800, "blocks");
  shingling.map_entries = invented(60);
  shingling.cleans_when_idle = invented(when_idle ? 1 : 0);
  shingling.idle_threshold = invented(500, "ms");
  shingling.band_cleaning = invented(200, "ms");
}

platter::model::DriveModel small(const std::string& name) {
  Recipe recipe;
  recipe.heads = 2;
  recipe.zones = 2;
  recipe.slots = 12'000;
  recipe.sectors = 112;
  recipe.last_sectors = 88;
  recipe.spares.push_back({.unit = Unit::cylinder, .count = 2});
  const Mechanics mechanics{.rpm = 10000,
                            .head_switch_ms = 0.8,
                            .write_settle_ms = 0.5,
                            .first_seek_ms = 1.0,
                            .last_seek_ms = 6};
  fit_skews(recipe, mechanics);
  std::mt19937_64 random(7);
  auto drive = drive_around(build(recipe, random), mechanics);
  drive.identity.name = "trust " + name;
  drive.identity.vendor = "TRUST";
  drive.identity.product = name;
  drive.identity.revision = "1";
  drive.identity.serial = "T0001";
  drive.identity.block_bytes = name == "small-4kn" ? 4096 : 512;
  const bool of_4096 = name.ends_with("-512e") || name == "small-4kn";
  drive.identity.physical_block_bytes = of_4096 ? 4096 : 512;
  drive.imperfections.emplace();  // quiet, but for where the platters stand at first
  drive.imperfections->seed = 1;
  drive.imperfections->random_phase = true;
  drive.firmware->scsi_level = "SPC-3";
  if (name.starts_with("small-ata")) make_ata(drive);
  if (name.starts_with("small-shingled")) make_shingled(drive, name == "small-shingled");
  if (name == "small-power") platter::virtual_drive::draw_power(drive, true);
  return drive;
}

}  // namespace

std::span<const SmallDrive> small_drives() { return kSmall; }

platter::model::DriveModel model_of(const std::string& name, std::uint32_t lowest_aligned) {
  const bool is_small = std::ranges::find(kSmall, name, &SmallDrive::name) != std::end(kSmall);
  auto drive = is_small                         ? small(name)
               : name.starts_with(kSmallRandom) ? small_random(name)
                                                : platter::virtual_drive::virtual_model(name);
  const auto per_physical = drive.identity.physical_block_bytes /
                            std::max(1u, drive.identity.block_bytes);
  if (lowest_aligned != 0 && lowest_aligned >= per_physical)
    throw std::invalid_argument(
        "--lowest-aligned is less than the logical blocks of a physical one");
  if (drive.imperfections) drive.imperfections->unit_attention_at_start = false;
  return drive;
}

}  // namespace trust
