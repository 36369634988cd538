#include "dev/storage/platter_drive.hh"

#include <vector>

#include "base/logging.hh"
#include "sim/core.hh"
#include "sim/cur_tick.hh"
#include "sim/serialize.hh"

namespace gem5 {

PlatterDrive::PlatterDrive(const Params &p) : SimObject(p) {
  check(platter_table_open(p.table.c_str(), &table));
  check(platter_engine_create(table, &engine));
  platter_info info = {};
  info.struct_size = sizeof info;
  check(platter_table_info(table, &info));
  blockBytes = info.block_bytes;
}

PlatterDrive::~PlatterDrive() {
  platter_engine_destroy(engine);
  platter_table_close(table);
}

void PlatterDrive::check(platter_status status) const {
  fatal_if(status < 0, "%s: %s", name(), platter_last_error());
}

Tick PlatterDrive::delay(uint64_t sector, uint64_t sectors, bool write) {
  const uint64_t begin = sector * 512, end = begin + sectors * 512;
  platter_request request = {};
  request.lbn = begin / blockBytes;
  request.blocks = static_cast<uint32_t>((end + blockBytes - 1) / blockBytes - request.lbn);
  request.flags = write ? PLATTER_WRITE : 0;
  const int64_t now_ns = static_cast<int64_t>(curTick() / sim_clock::as_int::ns);
  platter_completion done;
  check(platter_engine_service(engine, &request, now_ns, &done));
  return static_cast<Tick>(done.completion_ns - now_ns) * sim_clock::as_int::ns;
}

// Arm, cache and queue go into gem5's checkpoints, and out of them over the same table.
void PlatterDrive::serialize(CheckpointOut &cp) const {
  std::vector<uint8_t> state(platter_engine_checkpoint_size(engine));
  check(platter_engine_save(engine, state.data(), state.size()));
  SERIALIZE_CONTAINER(state);
}

void PlatterDrive::unserialize(CheckpointIn &cp) {
  std::vector<uint8_t> state;
  UNSERIALIZE_CONTAINER(state);
  check(platter_engine_restore(engine, state.data(), state.size()));
}

}  // namespace gem5
