// What a maker decides of a drive, and the path between it and the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace today {

enum class Path { libata, libata_without_ncq, sas, usb };

struct SurfaceDesign {
  double pitch_mm, density, offset_mm, index_rev;
};

struct Design {
  int number = 0;
  std::int64_t blocks = 0;
  int block_bytes = 512, sector_bytes = 4096;

  double rpm = 7200;
  int nominal_rpm = 7200;
  double outer_mm = 46, inner_mm = 21;
  int wedges = 200;
  std::vector<SurfaceDesign> surfaces;
  bool bands_in_turn = false, surfaces_in_turn = false, borders_at_bands = false;
  int band_tracks = 100;
  double sectors_per_mm = 0;
  std::vector<int> formats;
  int track_skew = 0, head_skew = 0, ring_skew = 0;
  int single_flaws = 0, long_flaws = 0, left_out = 0, moved = 0;

  double acceleration = 1, speed = 2, settle_ms = 1, switch_ms = 0.5, write_settle_ms = 0.2;
  double outward = 1, position_us = 30, overshoot_share = 0, overshoot_ms = 1;
  struct Wave {
    double ppm, seconds;
  };
  std::vector<Wave> waves;
  double drift_ppm_an_hour = 0;

  double decode_us = 20, hit_us = 20, write_us = 20, other_us = 20, status_us = 5;
  double bytes_a_us = 550;
  double host_us = 6, host_spread = 0.8, stall_share = 0.001, stall_us = 500;
  double retry_share = 1e-4, pause_every_s = 0, pause_ms = 0, grid_us = 0;

  std::int64_t memory_sectors = 16384, stream_sectors = 4096;
  int stretches = 1000;
  std::int64_t ahead_sectors = 512, awaited_sectors = 512;
  bool ahead_doubles = false, ahead_after_second = false, ahead_goes_on = true,
       ahead_resumes = false;
  bool zero_latency = false, evicts_beginnings = false, keeps_written = true;
  std::int64_t dirty_sectors = 2048;
  int dirty_extents = 256;
  double destage_idle_ms = 10, destage_age_s = 1;
  int destage_every = 0;
  bool destage_sweeps = false, write_cache = true;

  Path path = Path::libata;
  int depth = 32;
  bool reorders = true, fua_reads = true, ignores_fua = false, verify = true,
       verify_from_memory = false;
  // After so many commands its settings are the first ones again, and nobody is told; 0: never.
  int silent_reset_every = 0;
  double ageing_ms = 300;
  std::string model = "TODAY";
};

Design designed(int number);

// Sets one member by its name; false: there is none.
bool set(Design& design, const std::string& name, double value);

// Of that, and of what `seed` makes of it, as JSON for tests.
std::string truth_of(const Design& design);

}  // namespace today
