#include "calibrate/accesses.h"

#include "engine/layout_map.h"
#include "model/stand_ins.h"
#include "replay/hits.h"
#include "statistics/circular.h"

namespace platter::calibrate {

std::vector<Access> media_accesses(const model::DriveModel& model, const Measurement& measured,
                                   const replay::Result& in_drives_time) {
  const engine::LayoutMap layout(model.layout);
  const double period_ns = *in_drives_time.period_ns;
  const replay::HitRule rule = replay::HitRule::of_period(
      period_ns, in_drives_time.block_transfer_ns.value_or(0));
  // A write that is complete when it has been received tells nothing of its place, even if it
  // waited.
  const bool writes_tell = model::acting(model, model.cache.write_back_level) == 0 ||
                           replay::caches_of(measured.drive().caches) !=
                               replay::Caches::as_they_are;
  std::vector<Access> accesses;
  for (std::size_t i = 0; i < in_drives_time.requests.size(); ++i) {
    const replay::Response &theirs = measured.drive().requests[i],
                           &mine = in_drives_time.requests[i];
    if (mine.write && !writes_tell) continue;
    if (!rule.both_from_media(theirs, mine)) continue;
    const engine::Pbn last = layout.pbn_of_lbn(mine.lbn + mine.blocks - 1);
    const engine::Track track = layout.track_of_slot(layout.slot_of_lbn(mine.lbn));
    const double model_ns = static_cast<double>(mine.completion_ns()) +
                            in_drives_time.phase_ns.value_or(0);
    accesses.push_back({.request = i,
                        .completion_ns = static_cast<double>(theirs.completion_ns()),
                        .turn = statistics::turn_rev(model_ns / period_ns),
                        .zone = track.zone,
                        .cylinder = track.cylinder,
                        .head = track.head,
                        .one_track = last.cylinder == track.cylinder && last.head == track.head,
                        .write = mine.write,
                        .after_write = i > 0 && in_drives_time.requests[i - 1].write});
  }
  return accesses;
}

}  // namespace platter::calibrate
