// What DiskSim's arithmetic takes off a media access. It times sector after sector, each rounded
// down to 2^-20 of a revolution, so that an access over many sectors ends early: over those of the
// request, over a revolution that a write misses because its data are late, and with zero-latency
// access over all that pass from the landing of the head on. Slots without an LBN pass in no time
// meanwhile.
#pragma once

#include <cstdint>

#include "engine/engine.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

class DiskSimRounding {
 public:
  // `engine` is the one that serves the requests; it tells where the tracks are.
  DiskSimRounding(const model::DriveModel& model, const engine::Engine& engine,
                  bool layout_g4 = false);

  // By how much DiskSim ends earlier than the engine, which said `done`, with the same platter. To
  // be called for each request, in order.
  double lost_ns(const engine::Request& request, const engine::Completion& done);

 private:
  double of_one_sector_ns(std::uint32_t sectors) const;
  Nanoseconds overhead_ns(bool write) const;
  Nanoseconds move_ns(const engine::Track& to, bool write) const;
  double slips_within(const engine::Track& track, std::uint64_t from, std::uint64_t end) const;

  const model::DriveModel& model_;
  const engine::Engine& engine_;
  bool layout_g4_;
  engine::Arm arm_;
  bool after_write_ = false;
};

}  // namespace platter::emit_disksim
