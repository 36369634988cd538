// Where blocks lie, and what passes under the heads when.

#include "engine/tables.h"
#include "lib/handles.h"

namespace {

using platter::engine::LayoutMap;
using platter::engine::Track;
using platter::lib::failed;
using platter::lib::is_time;
using platter::lib::missing;

const LayoutMap& layout_of(const platter_table* table) { return table->table.tables->layout; }

platter_status past_the_last_block() {
  return failed(PLATTER_OUT_OF_RANGE, "the block is past the drive's last one");
}

void fill_track(const platter_table* table, const Track& track, platter_track* result) {
  const LayoutMap& layout = layout_of(table);
  const std::uint64_t first = layout.lbn_at_or_after_slot(track.first_slot);
  const std::uint64_t end = layout.lbn_at_or_after_slot(track.first_slot + track.sectors);
  *result = {};
  result->cylinder = track.cylinder;
  result->head = track.head;
  result->sectors = track.sectors;
  result->zone = track.zone;
  result->first_lbn = std::min(first, table->blocks);
  result->blocks = std::min(end, table->blocks) - result->first_lbn;
  result->angle = track.angle;
  result->sector_angle = track.slot_angle;
}

}  // namespace

platter_status platter_place_of_lbn(const platter_table* table, uint64_t lbn,
                                    platter_place* place) {
  if (table == nullptr || place == nullptr) return missing("platter_place_of_lbn: NULL was given");
  if (lbn >= table->blocks) return past_the_last_block();
  const LayoutMap& layout = layout_of(table);
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
}

platter_status platter_lbn_of_place(const platter_table* table, uint32_t cylinder, uint32_t head,
                                    uint32_t sector, uint64_t* lbn) {
  if (table == nullptr || lbn == nullptr) return missing("platter_lbn_of_place: NULL was given");
  const LayoutMap& layout = layout_of(table);
  const auto track = layout.track_at(cylinder, head);
  if (!track || sector >= track->sectors)
    return failed(PLATTER_OUT_OF_RANGE,
                  "the drive has no sector at this cylinder, head and sector");
  const auto found = layout.lbn_of_slot(track->first_slot + sector);
  if (!found || *found >= table->blocks) return PLATTER_NOTHING;
  *lbn = *found;
  return PLATTER_OK;
}

platter_status platter_track_of_lbn(const platter_table* table, uint64_t lbn,
                                    platter_track* track) {
  if (table == nullptr || track == nullptr) return missing("platter_track_of_lbn: NULL was given");
  if (lbn >= table->blocks) return past_the_last_block();
  const LayoutMap& layout = layout_of(table);
  fill_track(table, layout.track_of_slot(layout.slot_of_lbn(lbn)), track);
  return PLATTER_OK;
}

platter_status platter_track_at(const platter_table* table, uint32_t cylinder, uint32_t head,
                                platter_track* track) {
  if (table == nullptr || track == nullptr) return missing("platter_track_at: NULL was given");
  const auto found = layout_of(table).track_at(cylinder, head);
  if (!found)
    return failed(PLATTER_OUT_OF_RANGE, "the drive has no track at this cylinder and head");
  fill_track(table, *found, track);
  return PLATTER_OK;
}

platter_status platter_angle_at(const platter_table* table, int64_t time_ns, int64_t phase_ns,
                                uint64_t* angle) {
  if (table == nullptr || angle == nullptr) return missing("platter_angle_at: NULL was given");
  if (!is_time(time_ns) || !is_time(phase_ns))
    return failed(PLATTER_OUT_OF_RANGE, "platter_angle_at: a time is beyond PLATTER_TIME_LIMIT");
  *angle = table->table.tables->rotation.angle_at(time_ns, phase_ns);
  return PLATTER_OK;
}

platter_status platter_next_passage(const platter_table* table, uint64_t angle, int64_t time_ns,
                                    int64_t phase_ns, int64_t* passage_ns) {
  if (table == nullptr || passage_ns == nullptr)
    return missing("platter_next_passage: NULL was given");
  if (!is_time(time_ns) || !is_time(phase_ns))
    return failed(PLATTER_OUT_OF_RANGE,
                  "platter_next_passage: a time is beyond PLATTER_TIME_LIMIT");
  *passage_ns = table->table.tables->rotation.next_passage(angle, time_ns, phase_ns);
  return PLATTER_OK;
}
