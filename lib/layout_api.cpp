// Where blocks lie, and what passes under the heads when.

#include <algorithm>

#include "engine/tables.h"
#include "lib/handles.h"
#include "lib/ranges.h"

namespace {

using platter::engine::LayoutMap;
using platter::engine::Track;
using platter::lib::check_lbn;
using platter::lib::check_time;
using platter::lib::failed;
using platter::lib::TableContent;
using platter::lib::with_table;

const LayoutMap& layout_of(const TableContent& t) { return t.table.tables->layout; }

void fill_track(const TableContent& t, const Track& track, platter_track* result) {
  const LayoutMap& layout = layout_of(t);
  const std::uint64_t first = layout.lbn_at_or_after_slot(track.first_slot);
  const std::uint64_t end = layout.lbn_at_or_after_slot(track.first_slot + track.sectors);
  *result = {};
  result->cylinder = track.cylinder;
  result->head = track.head;
  result->sectors = track.sectors;
  result->zone = track.zone;
  result->first_lbn = std::min(first, t.blocks);
  result->blocks = std::min(end, t.blocks) - result->first_lbn;
  result->angle = track.angle;
  result->sector_angle = track.slot_angle;
}

platter_status check_times(std::int64_t time_ns, std::int64_t phase_ns) {
  if (const platter_status bad = check_time("time_ns", time_ns)) return bad;
  return check_time("phase_ns", phase_ns);
}

}  // namespace

platter_status platter_place_of_lbn(const platter_table* table, uint64_t lbn,
                                    platter_place* place) {
  return with_table("platter_place_of_lbn", table, {{"place", place}},
                    [=](const TableContent& t) -> platter_status {
                      if (const platter_status bad = check_lbn(lbn, t.blocks)) return bad;
                      const LayoutMap& layout = layout_of(t);
                      const std::uint64_t slot = layout.slot_of_lbn(lbn);
                      const Track track = layout.track_of_slot(slot);
                      *place = {};
                      place->cylinder = track.cylinder;
                      place->head = track.head;
                      place->sector = static_cast<std::uint32_t>(slot - track.first_slot);
                      place->track_sectors = track.sectors;
                      place->angle = layout.angle_of_slot(track, slot);
                      place->sector_angle = track.slot_angle;
                      place->flags = layout.is_remapped(lbn) ? PLATTER_REMAPPED : 0;
                      return PLATTER_OK;
                    });
}

platter_status platter_lbn_of_place(const platter_table* table, uint32_t cylinder, uint32_t head,
                                    uint32_t sector, uint64_t* lbn) {
  return with_table("platter_lbn_of_place", table, {{"lbn", lbn}},
                    [=](const TableContent& t) -> platter_status {
                      const LayoutMap& layout = layout_of(t);
                      const auto track = layout.track_at(cylinder, head);
                      if (!track || sector >= track->sectors)
                        return failed(PLATTER_OUT_OF_RANGE,
                                      "the drive has no sector at cylinder {}, head {}, sector {}",
                                      cylinder, head, sector);
                      const auto found = layout.lbn_of_slot(track->first_slot + sector);
                      if (!found || *found >= t.blocks) return PLATTER_NOTHING;
                      *lbn = *found;
                      return PLATTER_OK;
                    });
}

platter_status platter_track_of_lbn(const platter_table* table, uint64_t lbn,
                                    platter_track* track) {
  return with_table("platter_track_of_lbn", table, {{"track", track}},
                    [=](const TableContent& t) -> platter_status {
                      if (const platter_status bad = check_lbn(lbn, t.blocks)) return bad;
                      const LayoutMap& layout = layout_of(t);
                      fill_track(t, layout.track_of_slot(layout.slot_of_lbn(lbn)), track);
                      return PLATTER_OK;
                    });
}

platter_status platter_track_at(const platter_table* table, uint32_t cylinder, uint32_t head,
                                platter_track* track) {
  return with_table(
      "platter_track_at", table, {{"track", track}}, [=](const TableContent& t) -> platter_status {
        const auto found = layout_of(t).track_at(cylinder, head);
        if (!found)
          return failed(PLATTER_OUT_OF_RANGE, "the drive has no track at cylinder {}, head {}",
                        cylinder, head);
        fill_track(t, *found, track);
        return PLATTER_OK;
      });
}

platter_status platter_angle_at(const platter_table* table, int64_t time_ns, int64_t phase_ns,
                                uint64_t* angle) {
  return with_table("platter_angle_at", table, {{"angle", angle}},
                    [=](const TableContent& t) -> platter_status {
                      if (const platter_status bad = check_times(time_ns, phase_ns)) return bad;
                      *angle = t.table.tables->rotation.angle_at(time_ns, phase_ns);
                      return PLATTER_OK;
                    });
}

platter_status platter_next_passage(const platter_table* table, uint64_t angle, int64_t time_ns,
                                    int64_t phase_ns, int64_t* passage_ns) {
  return with_table("platter_next_passage", table, {{"passage_ns", passage_ns}},
                    [=](const TableContent& t) -> platter_status {
                      if (const platter_status bad = check_times(time_ns, phase_ns)) return bad;
                      *passage_ns = t.table.tables->rotation.next_passage(angle, time_ns, phase_ns);
                      return PLATTER_OK;
                    });
}
