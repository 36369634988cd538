/* A drive's table in C99, without any library: where blocks lie, how long seeks take, when a sector
   passes. docs/table.md is the reference. table_reader.c fills the structs from a *.ptab file;
   `platter emit table --format c` writes them as constants, with this text in front. */
#ifndef PLATTER_TABLE_LOOKUP
#define PLATTER_TABLE_LOOKUP

#include <stdbool.h>
#include <stdint.h>

/* Angles are fractions of a revolution times 2^64, and wrap. */
typedef struct {
  uint64_t angle, angle_step;
  int32_t cylinder, cylinder_step;
  int16_t head, head_step;
  uint32_t count, sectors, first, items;
  uint8_t kind, reserved_1, reserved_2, reserved_3;
} platter_node;

typedef struct {
  uint64_t angle;
  uint32_t sectors;
  int32_t cylinder;
  int16_t head;
  uint16_t reserved_1;
  uint32_t reserved_2;
} platter_listed_track;

typedef struct {
  uint32_t first_jump, first_cylinder, first_course, first_size;
} platter_run_list;

typedef struct {
  uint64_t angle_step;
  uint32_t count;
  int32_t cylinder_step;
  int16_t head, head_step;
  uint32_t reserved;
} platter_course;

typedef struct {
  uint64_t shift, sequential, period, gap;
} platter_stretch;

typedef struct {
  uint32_t roots;
  const platter_node *nodes;
  const platter_listed_track *listed_tracks;
  const platter_run_list *run_lists;
  const platter_course *courses;
  const uint32_t *run_sectors, *run_jumps;
  const int32_t *run_cylinders;
  const uint16_t *run_courses, *run_sizes;
  const uint32_t *piece_blocks, *piece_shifts;
  const platter_stretch *stretches;
  const uint64_t *node_slots; /* of one instance of each node; the file does not say it */
} platter_layout;

typedef struct {
  uint32_t curves, points;
  const uint64_t *cylinders;
  const int64_t *times_ns; /* of one curve behind the other */
} platter_seek;

typedef struct {
  int64_t cylinder, head;
  uint64_t sector, sectors, angle;
} platter_place;

enum {
  platter_kind_track,
  platter_kind_group,
  platter_kind_track_list,
  platter_kind_run_list,
  platter_kind_zone_list
};
enum { platter_seek_read_in, platter_seek_read_out, platter_seek_write_in, platter_seek_write_out };

/* Run j of a node that has a list of them. */
static inline const platter_course *platter_run(const platter_layout *l, const platter_node *n,
                                                uint32_t j, uint32_t *sectors) {
  const platter_run_list *list = l->run_lists + n->first;
  *sectors = l->run_sectors[l->run_sizes[list->first_size + j]];
  return l->courses + l->run_courses[list->first_course + j];
}

/* Of item j of a node. */
static inline uint64_t platter_item_slots(const platter_layout *l, const platter_node *n,
                                          uint32_t j) {
  uint32_t sectors;
  if (n->kind == platter_kind_group)
    return l->node_slots[n->first + j] * l->nodes[n->first + j].count;
  if (n->kind == platter_kind_track_list) return l->listed_tracks[n->first + j].sectors;
  const platter_course *course = platter_run(l, n, j, &sectors);
  return (uint64_t)course->count * sectors;
}

/* The physical sector, in layout order, of a block that the drive has. */
static inline uint64_t platter_slot_of(const platter_layout *l, uint64_t lbn) {
  uint32_t piece = 0;
  uint64_t into = lbn;
  for (; into >= l->piece_blocks[piece]; ++piece) into -= l->piece_blocks[piece];
  const uint32_t shift = l->piece_shifts[piece];
  if (shift < UINT32_C(1) << 31) return lbn + shift;
  const platter_stretch *s = l->stretches + (shift - (UINT32_C(1) << 31));
  return lbn + s->shift + (s->period ? into / s->period * s->gap : 0);
}

static inline platter_place platter_place_of(const platter_layout *l, uint64_t slot) {
  platter_place p = {0, 0, 0, 0, 0};
  const platter_node *n = l->nodes;
  uint64_t rest = slot, all;
  for (; rest >= (all = l->node_slots[n - l->nodes] * n->count); ++n) rest -= all;
  for (;;) {
    const uint64_t i = rest / l->node_slots[n - l->nodes];
    rest -= i * l->node_slots[n - l->nodes];
    p.cylinder += n->cylinder + (int64_t)i * n->cylinder_step;
    p.head += n->head + (int64_t)i * n->head_step;
    p.angle += n->angle + i * n->angle_step;
    p.sectors = n->sectors;
    if (n->kind == platter_kind_track) break;
    uint32_t j = 0, sectors = 0;
    uint64_t angle = 0; /* where run j begins */
    for (; rest >= (all = platter_item_slots(l, n, j)); ++j) {
      rest -= all;
      if (n->kind < platter_kind_run_list) continue;
      const platter_course *course = platter_run(l, n, j, &sectors);
      const uint32_t jump = l->run_jumps[l->run_lists[n->first].first_jump + j];
      angle += course->count * course->angle_step + ((uint64_t)jump << 32);
    }
    if (n->kind == platter_kind_group) {
      n = l->nodes + n->first + j;
      continue;
    }
    if (n->kind == platter_kind_track_list) {
      const platter_listed_track *t = l->listed_tracks + n->first + j;
      p.cylinder += t->cylinder;
      p.head += t->head;
      p.angle += t->angle;
      p.sectors = t->sectors;
    } else {
      const platter_course *course = platter_run(l, n, j, &sectors);
      const uint64_t track = rest / sectors;
      rest -= track * sectors;
      p.cylinder += l->run_cylinders[l->run_lists[n->first].first_cylinder + j] +
                    (int64_t)track * course->cylinder_step;
      p.head += course->head + (int64_t)track * course->head_step;
      p.angle += angle + track * course->angle_step;
      p.sectors = sectors;
    }
    break;
  }
  p.sector = rest;
  p.angle += rest * (UINT64_MAX / p.sectors);
  return p;
}

/* Of a table with one curve it is the curve of all; platter_seek_... of one with four. */
static inline int64_t platter_seek_ns(const platter_seek *s, uint32_t curve, uint64_t cylinders) {
  const int64_t *ns = s->times_ns + (s->curves > 1 ? curve * s->points : 0);
  uint32_t i = 0;
  if (cylinders == 0) return 0;
  while (i + 1 < s->points && s->cylinders[i + 1] <= cylinders) ++i;
  const uint32_t low = i < s->points - 1 ? i : s->points - 2; /* the last line goes on */
  const int64_t wide = (int64_t)(s->cylinders[low + 1] - s->cylinders[low]),
                rise = (ns[low + 1] - ns[low]) * (INT64_C(1) << 24);
  const int64_t slope = (rise + (rise < 0 ? -wide : wide) / 2) / wide;
  const int64_t time =
      ((slope * ((int64_t)cylinders - (int64_t)s->cylinders[i]) + (1 << 23)) >> 24) + ns[i];
  return time > 0 ? time : 0;
}

/* Until a sector at that angle passes; one revolution takes numerator_ns / denominator. Good to a
   nanosecond. */
static inline int64_t platter_wait_ns(uint64_t numerator_ns, uint64_t denominator, uint64_t angle,
                                      uint64_t now_ns) {
  const double period_ns = (double)numerator_ns / (double)denominator,
               turn = 18446744073709551616.0;
  const double turns = (double)(now_ns % numerator_ns) / period_ns;
  double ahead = (double)angle / turn - (turns - (double)(uint64_t)turns);
  if (ahead < 0) ahead += 1;
  return (int64_t)(ahead * period_ns + 0.5);
}

#endif
