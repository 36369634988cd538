#include "mtbrc/writable.h"

#include "estimate/passages.h"
#include "mtbrc/trials.h"

namespace platter::mtbrc {

bool is_writable(const Context& context, const engine::Track& track) {
  const engine::LayoutMap& map = *context.map;
  if (!holds_lbns(context, track)) return false;
  for (std::uint64_t slot = track.first_slot; slot < track.first_slot + track.sectors; ++slot) {
    const auto lbn = map.lbn_of_slot(slot);
    if (lbn && !context.drive.may_write(*lbn, 1)) return false;
  }
  return true;
}

std::optional<std::uint64_t> writable_run(const Context& context, const engine::Track& track,
                                          std::uint64_t slot, std::uint32_t blocks) {
  if (slot + blocks > track.first_slot + track.sectors) return std::nullopt;
  const auto lbn = estimate::run_at(*context.map, slot, blocks);
  if (!lbn || !context.drive.physical_blocks().is_whole(*lbn, blocks)) return std::nullopt;
  return lbn;
}

bool learn_contents(Context& context, const engine::Track& track) {
  const engine::LayoutMap& map = *context.map;
  const std::uint64_t track_end = track.first_slot + track.sectors;
  for (std::uint64_t slot = track.first_slot; slot < track_end; ++slot)
    if (const auto lbn = map.lbn_of_slot(slot); lbn && !map.is_remapped(*lbn)) {
      // One command for each stretch of consecutive LBNs.
      std::uint64_t end = slot + 1;
      std::uint32_t blocks = 1;
      while (end < track_end && blocks < 128 &&
             map.lbn_of_slot(end) == std::optional(*lbn + blocks) &&
             !map.is_remapped(*lbn + blocks)) {
        ++end;
        ++blocks;
      }
      try {
        context.drive.learn_contents(*lbn, blocks);
      } catch (const scsi::DriveError& error) {
        if (!error.may_do_elsewhere()) throw;
        return false;
      }
      slot = end - 1;
    }
  return true;
}

}  // namespace platter::mtbrc
