#include "disksim_rounding.h"

#include <algorithm>
#include <cmath>

#include "model/seek_curve.h"

namespace platter::emit_disksim {

DiskSimRounding::DiskSimRounding(const model::DriveModel& model, const engine::Engine& engine,
                                 bool layout_g4)
    : model_(model), engine_(engine), layout_g4_(layout_g4) {}

double DiskSimRounding::of_one_sector_ns(std::uint32_t sectors) const {
  const double period_ns = static_cast<double>(model_.rotation.numerator_ns) /
                           static_cast<double>(model_.rotation.denominator);
  const std::uint64_t width = (std::uint64_t{1} << 32) / sectors;
  return period_ns / sectors - std::ldexp(static_cast<double>(width >> 12), -20) * period_ns;
}

Nanoseconds DiskSimRounding::overhead_ns(bool write) const {
  const model::Overheads& all = model_.overheads;
  const model::Parameter& miss =
      write ? (after_write_ ? all.write_miss_after_write : all.write_miss_after_read)
            : (after_write_ ? all.read_miss_after_write : all.read_miss_after_read);
  return from_ms(all.per_request.value.value_or(0) + miss.value.value_or(0));
}

Nanoseconds DiskSimRounding::move_ns(const engine::Track& to, bool write) const {
  const std::uint32_t cylinders = std::max(to.cylinder, arm_.cylinder) -
                                  std::min(to.cylinder, arm_.cylinder);
  double move_ms = model::seek_time_ms(model_.seek, cylinders);
  if (to.head != arm_.head) move_ms = std::max(move_ms, model_.head_switch.value.value_or(0));
  if (write && move_ms != 0) move_ms += model_.write_settle.value.value_or(0);
  return from_ms(move_ms);
}

// Slots of the track without an LBN, from slot `from` on to `end`, over the track's end if need be;
// all of them where the two are the same.
double DiskSimRounding::slips_within(const engine::Track& track, std::uint64_t from,
                                     std::uint64_t end) const {
  const std::uint64_t track_end = track.first_slot + track.sectors;
  double slips = 0;
  std::uint64_t slot = from;
  do {
    slips += engine_.layout().lbn_of_slot(slot) ? 0 : 1;
    if (++slot == track_end && slot != end) slot = track.first_slot;
  } while (slot != end);
  return slips;
}

double DiskSimRounding::lost_ns(const engine::Request& request, const engine::Completion& done) {
  const bool zero_latency = (request.write ? model_.cache.zero_latency_write
                                           : model_.cache.zero_latency_read)
                                .value.value_or(0) != 0;
  const Nanoseconds phase_ns = request.disturbance.phase_ns, period_ns = engine_.period_ns();
  const Nanoseconds block_ns = from_ms(
      model_.bus.write_block_transfer.value.value_or(model_.bus.block_transfer.value.value_or(0)));
  const engine::LayoutMap& map = engine_.layout();
  const Nanoseconds begun_ns = done.arrival_ns + overhead_ns(request.write);
  Nanoseconds now_ns = begun_ns;
  double lost = 0;
  const std::uint64_t end = request.lbn + request.blocks;
  for (std::uint64_t lbn = request.lbn; lbn < end;) {
    const std::uint64_t first = map.slot_of_lbn(lbn);
    const engine::Track track = map.track_of_slot(first);
    const std::uint64_t track_end = track.first_slot + track.sectors;
    std::uint64_t last = first;
    while (++lbn < end && map.slot_of_lbn(lbn) < track_end && map.slot_of_lbn(lbn) > last) {
      last = map.slot_of_lbn(lbn);
    }
    now_ns += move_ns(track, request.write);
    arm_ = {track.cylinder, track.head};
    const double sector_ns = static_cast<double>(period_ns) / static_cast<double>(track.sectors);
    const Nanoseconds begins_ns = engine_.next_passage(map.angle_of_slot(track, first), now_ns,
                                                       phase_ns);
    const Nanoseconds wanted_ns = std::llround(static_cast<double>(last - first + 1) * sector_ns);
    // DiskSim sweeps from the landing on if that lies between the first sector and the track's
    // last.
    const Nanoseconds since_first_ns = period_ns - (begins_ns - now_ns);
    const auto landing =
        first + static_cast<std::uint64_t>(static_cast<double>(since_first_ns) / sector_ns) + 1;
    const bool sweeps = layout_g4_ && zero_latency && landing < track_end;
    const bool lands_within = sweeps && landing <= last;  // then it takes one revolution
    Nanoseconds end_ns = lands_within ? now_ns + period_ns : begins_ns + wanted_ns;
    double revolutions = 0;
    // The data of a write may come later than their sectors pass.
    if (request.write && !zero_latency) {
      const Nanoseconds last_ns = begun_ns + static_cast<Nanoseconds>(lbn - request.lbn) * block_ns;
      while (end_ns - static_cast<Nanoseconds>(sector_ns) < last_ns) {
        end_ns += period_ns;
        ++revolutions;
      }
    }
    // A bus slower than the media is what ends a read; the media only begin it.
    const bool bus_ends = !request.write &&
                          model_.bus.block_transfer.value.value_or(0) > to_ms(1) * sector_ns;
    Nanoseconds timed_ns = end_ns - (sweeps ? now_ns : begins_ns);
    if (bus_ends && !lands_within) timed_ns -= wanted_ns;
    // On a new track it looks at the angle again: what was lost before does not count.
    lost = static_cast<double>(timed_ns) / sector_ns * of_one_sector_ns(track.sectors);
    if (!bus_ends) {
      lost += slips_within(track, sweeps ? landing : first, lands_within ? landing : last + 1) *
              sector_ns;
      if (revolutions > 0) lost += revolutions * slips_within(track, first, first) * sector_ns;
    }
    now_ns = end_ns;
  }
  after_write_ = request.write;
  return lost;
}

}  // namespace platter::emit_disksim
