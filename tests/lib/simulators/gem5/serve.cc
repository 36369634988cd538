// Asks examples/gem5 for the delay of one request after the other, and prints when each was complete; from the middle
// on also a second drive that took the first one's checkpoint: serve FILE.ptab < "SECTOR SECTORS WRITE" lines.
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "dev/storage/platter_drive.hh"
#include "sim/core.hh"
#include "sim/cur_tick.hh"

int main(int, char **argv) {
  gem5::PlatterDriveParams params;
  params.name = "disk", params.table = argv[1];
  gem5::PlatterDrive drive(params);
  std::unique_ptr<gem5::PlatterDrive> restored;
  uint64_t sector = 0, sectors = 0, served = 0;
  for (int write = 0; std::scanf("%" SCNu64 "%" SCNu64 "%d", &sector, &sectors, &write) == 3; ++served) {
    if (served == 500) {
      gem5::CheckpointOut checkpoint;
      drive.serialize(checkpoint);
      restored = std::make_unique<gem5::PlatterDrive>(params);
      restored->unserialize(checkpoint);
    }
    const auto delay = drive.delay(sector, sectors, write != 0);
    if (restored && restored->delay(sector, sectors, write != 0) != delay) return 3;
    gem5::now += delay;
    std::printf("%" PRIu64 "\n", gem5::now / gem5::sim_clock::as_int::ns);
  }
}
