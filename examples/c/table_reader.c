/* Reads a table file (*.ptab, version 1) without any library: where blocks lie, and how long the
   seeks between them take. cc -O2 table_reader.c -o table_reader && ./table_reader FILE.ptab LBN...
   Written from docs/table.md. For a little-endian machine; it trusts the file, which `platter show
   FILE.ptab` verifies. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t angle, angle_step;
  int32_t cylinder, cylinder_step;
  int16_t head, head_step;
  uint32_t count, sectors, first, items;
  uint8_t kind, reserved[3];
} node;
typedef struct {
  uint64_t angle;
  uint32_t sectors;
  int32_t cylinder;
  int16_t head;
  uint16_t r1;
  uint32_t r2;
} track;
typedef struct {
  uint32_t first_jump, first_cylinder, first_course, first_size;
} run_list;
typedef struct {
  uint64_t angle_step;
  uint32_t count;
  int32_t cylinder_step;
  int16_t head, head_step;
  uint32_t r;
} course;
typedef struct {
  uint64_t shift, sequential, period, gap;
} stretch;
typedef struct {
  int64_t cylinder, head;
  uint64_t sector, sectors, angle;
} place;
enum { TRACK, GROUP, TRACK_LIST, RUN_LIST, ZONE_LIST };

static const uint8_t *follow(const uint8_t *at) {
  uint32_t by;
  memcpy(&by, at, 4);
  return at + by;
}

/* A field of one of FlatBuffers' tables, or NULL where it is not there. */
static const uint8_t *field(const uint8_t *table, unsigned number) {
  int32_t back;
  memcpy(&back, table, 4);
  const uint16_t *vtable = (const uint16_t *)(table - back);
  return 4 + 2 * number < vtable[0] && vtable[2 + number] ? table + vtable[2 + number] : NULL;
}

/* The items of an array, and how many. */
static const void *array(const uint8_t *table, unsigned number, uint32_t *items) {
  const uint8_t *at = field(table, number);
  *items = 0;
  if (!at) return NULL;
  at = follow(at);
  memcpy(items, at, 4);
  return at + 4;
}

static const uint8_t *layout, *seek;
static const node *nodes;
static uint64_t *slots; /* of one instance of each node */
static uint32_t count;
#define ARRAY(type, number) ((const type *)array(layout, number, &count))

/* Run j of a list: its course and sectors; returns its slots. */
static uint64_t run(const node *n, uint32_t j, const course **c, uint32_t *sectors) {
  const run_list *list = ARRAY(run_list, 3) + n->first;
  *c = ARRAY(course, 4) + ARRAY(uint16_t, 8)[list->first_course + j];
  *sectors = ARRAY(uint32_t, 5)[ARRAY(uint16_t, 9)[list->first_size + j]];
  return (uint64_t)(*c)->count * *sectors;
}

static uint64_t item_slots(const node *n, uint32_t j) {
  const course *c;
  uint32_t sectors;
  if (n->kind == GROUP) return slots[n->first + j] * nodes[n->first + j].count;
  return n->kind == TRACK_LIST ? ARRAY(track, 2)[n->first + j].sectors : run(n, j, &c, &sectors);
}

static uint64_t slot_of(uint64_t lbn) {
  const uint32_t *blocks = ARRAY(uint32_t, 10), *shifts = ARRAY(uint32_t, 11);
  uint64_t into = lbn;
  for (; into >= *blocks; ++shifts) into -= *blocks++;
  if (*shifts < UINT32_C(1) << 31) return lbn + *shifts;
  const stretch *s = ARRAY(stretch, 12) + (*shifts - (UINT32_C(1) << 31));
  return lbn + s->shift + (s->period ? into / s->period * s->gap : 0);
}

static place place_of(uint64_t rest) {
  place p = {0, 0, 0, 0, 0};
  const node *n = nodes;
  for (uint64_t all; rest >= (all = slots[n - nodes] * n->count); ++n) rest -= all;
  for (;;) {
    uint64_t i = rest / slots[n - nodes];
    rest -= i * slots[n - nodes];
    p.cylinder += n->cylinder + (int64_t)i * n->cylinder_step;
    p.head += n->head + (int64_t)i * n->head_step;
    p.angle += n->angle + i * n->angle_step;
    uint32_t j = 0;
    if (n->kind == TRACK) {
      p.sectors = n->sectors;
      break;
    }
    uint64_t angle = 0; /* where run j begins */
    for (uint64_t all; rest >= (all = item_slots(n, j)); ++j) {
      const course *c;
      uint32_t sectors;
      rest -= all;
      if (n->kind < RUN_LIST) continue;
      run(n, j, &c, &sectors);
      angle += c->count * c->angle_step +
               ((uint64_t)ARRAY(uint32_t, 6)[ARRAY(run_list, 3)[n->first].first_jump + j] << 32);
    }
    if (n->kind == GROUP) {
      n = nodes + n->first + j;
      continue;
    }
    if (n->kind == TRACK_LIST) {
      const track *t = ARRAY(track, 2) + n->first + j;
      p.cylinder += t->cylinder;
      p.head += t->head;
      p.angle += t->angle;
      p.sectors = t->sectors;
    } else {
      const course *c;
      uint32_t sectors;
      run(n, j, &c, &sectors);
      i = rest / sectors;
      rest -= i * sectors;
      p.cylinder += ARRAY(int32_t, 7)[ARRAY(run_list, 3)[n->first].first_cylinder + j] +
                    (int64_t)i * c->cylinder_step;
      p.head += c->head + (int64_t)i * c->head_step;
      p.angle += angle + i * c->angle_step;
      p.sectors = sectors;
    }
    break;
  }
  p.sector = rest;
  p.angle += rest * (UINT64_MAX / p.sectors);
  return p;
}

/* By the first curve; docs/table.md has the others. */
static int64_t seek_ns(uint64_t cylinders) {
  uint32_t points, i = 0;
  const uint64_t *far = array(seek, 1, &points);
  const int64_t *ns = array(seek, 2, &count);
  if (cylinders == 0) return 0;
  while (i + 1 < points && far[i + 1] <= cylinders) ++i;
  const uint32_t low = i < points - 1 ? i : points - 2; /* the last line goes on */
  const int64_t wide = (int64_t)(far[low + 1] - far[low]),
                rise = (ns[low + 1] - ns[low]) * (INT64_C(1) << 24);
  const int64_t slope = (rise + (rise < 0 ? -wide : wide) / 2) / wide;
  const int64_t ahead = ((slope * (int64_t)(cylinders - far[i]) + (1 << 23)) >> 24) + ns[i];
  return ahead > 0 ? ahead : 0;
}

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file || fseek(file, 0, SEEK_END))
    return fprintf(stderr, "table_reader FILE.ptab LBN...\n"), 2;
  const size_t size = (size_t)ftell(file);
  uint8_t *data = malloc(size + 1);
  rewind(file);
  if (!data || fread(data, 1, size, file) != size || size < 16 || memcmp(data + 4, "PTAB", 4))
    return fprintf(stderr, "%s is no table\n", argv[1]), 1;
  const uint8_t *drive = follow(data), *major = field(drive, 1);
  array(drive, 4, &count); /* what a reader has to know */
  if (!major || *(const uint16_t *)major != 1 || count)
    return fprintf(stderr, "%s is not of version 1\n", argv[1]), 1;
  layout = follow(field(drive, 15));
  seek = follow(field(drive, 10));
  nodes = ARRAY(node, 1);
  slots = calloc(count + 1, sizeof *slots);
  for (uint32_t n = count; n-- > 0;) {
    slots[n] = nodes[n].sectors;
    for (uint32_t j = 0; nodes[n].kind != TRACK && j < nodes[n].items; ++j)
      slots[n] += item_slots(nodes + n, j);
  }
  int64_t before = 0;
  for (int i = 2; i < argc; ++i) {
    const uint64_t lbn = strtoull(argv[i], NULL, 10);
    const place p = place_of(slot_of(lbn));
    printf("%" PRIu64 ": cylinder %" PRId64 ", head %" PRId64 ", sector %" PRIu64 " of %" PRIu64
           ", angle %.9f, seek %" PRId64 " ns\n",
           lbn, p.cylinder, p.head, p.sector, p.sectors, (double)p.angle / 18446744073709551616.0,
           seek_ns((uint64_t)llabs(p.cylinder - before)));
    before = p.cylinder;
  }
  return 0;
}
