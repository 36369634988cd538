// Whole drives of today around layouts from recipes: mechanics, cache and firmware of a SATA or SAS
// drive that translates no addresses, and the host that it hangs on.
#pragma once

#include <cstdint>
#include <random>

#include "model/drive_model.h"
#include "virtual_drive/modern_layout.h"

namespace platter::virtual_drive {

enum class Attachment : std::uint8_t { sata, sas, usb };

struct ModernMechanics {
  std::uint32_t decirpm = 72'000;  // tenths of a revolution a minute
  std::uint32_t nominal_rpm = 7200;
  // A seek over d tracks takes base + root sqrt(d) + line d.
  double seek_base_ms = 0.45, seek_root_ms = 0.0195, seek_line_ms = 0;
  double head_switch_ms = 1.6, write_settle_ms = 0.15;
};

struct ModernDrive {
  ModernRecipe recipe;
  ModernMechanics mechanics;
  std::uint32_t arms = 1;         // each with the recipe's surfaces, and blocks of its own
  double interference_ms = 0.06;  // of several: a move beside a busy one
  Attachment attachment = Attachment::sata;
  std::uint32_t block_bytes = 512, physical_block_bytes = 512;
  std::uint32_t buffer_mib = 256;
  double bus_mb_s = 550;
};

// The caller names the drive.
model::DriveModel make_modern(const ModernDrive& drive, std::mt19937_64& random);

// Power conditions for a virtual drive: which it has, how long it takes to wake from each, and when
// it goes there by itself.
// All follows from the drive's serial number and name.
void draw_power(model::DriveModel& model, bool page_changeable);

}  // namespace platter::virtual_drive
