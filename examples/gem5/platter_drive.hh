// A disk drive's time for gem5: what IdeDisk waits for, in place of its one delay. README.md has the change of IdeDisk.
#ifndef __DEV_STORAGE_PLATTER_DRIVE_HH__
#define __DEV_STORAGE_PLATTER_DRIVE_HH__

#include <platter.h>

#include <cstdint>

#include "base/types.hh"
#include "params/PlatterDrive.hh"
#include "sim/sim_object.hh"

namespace gem5 {

class PlatterDrive : public SimObject {
 public:
  PARAMS(PlatterDrive);
  PlatterDrive(const Params &p);
  ~PlatterDrive();

  // One request at a time, as IdeDisk has them: how long from now on it takes. `sector` and `sectors` are of 512 bytes.
  Tick delay(uint64_t sector, uint64_t sectors, bool write);

  void serialize(CheckpointOut &cp) const override;
  void unserialize(CheckpointIn &cp) override;

 private:
  void check(platter_status status) const;

  platter_table *table = nullptr;
  platter_engine *engine = nullptr;
  uint64_t blockBytes = 512;
};

}  // namespace gem5

#endif  // __DEV_STORAGE_PLATTER_DRIVE_HH__
