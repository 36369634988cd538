/* Reads a table file (*.ptab, version 1) without any library: where blocks lie, and how long the
   seeks between them take. cc -O2 table_reader.c -o table_reader && ./table_reader FILE.ptab LBN...
   Written from docs/table.md and its schema. For a little-endian machine; it trusts the file, which
   `platter show FILE.ptab` verifies. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table_lookup.h"

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

static uint32_t number(const uint8_t *table, unsigned which, uint32_t otherwise) {
  const uint8_t *at = field(table, which);
  return at ? *(const uint32_t *)at : otherwise;
}

static platter_layout layout_of(const uint8_t *table) {
  uint32_t none, nodes;
  platter_layout l = {.roots = number(table, 0, 0),
                      .nodes = array(table, 1, &nodes),
                      .listed_tracks = array(table, 2, &none),
                      .run_lists = array(table, 3, &none),
                      .courses = array(table, 4, &none),
                      .run_sectors = array(table, 5, &none),
                      .run_jumps = array(table, 6, &none),
                      .run_cylinders = array(table, 7, &none),
                      .run_courses = array(table, 8, &none),
                      .run_sizes = array(table, 9, &none),
                      .piece_blocks = array(table, 10, &none),
                      .piece_shifts = array(table, 11, &none),
                      .stretches = array(table, 12, &none)};
  uint64_t *slots = calloc(nodes + 1, sizeof *slots);
  if (!slots) exit(1);
  l.node_slots = slots;
  for (uint32_t n = nodes; n-- > 0;) { /* children come behind their parents */
    slots[n] = l.nodes[n].sectors;
    for (uint32_t j = 0; l.nodes[n].kind != platter_kind_track && j < l.nodes[n].items; ++j)
      slots[n] += platter_item_slots(&l, l.nodes + n, j);
  }
  return l;
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
  uint32_t needed, times;
  const uint8_t *drive = follow(data), *major = field(drive, 1);
  array(drive, 4, &needed); /* what a reader has to know */
  if (!major || *(const uint16_t *)major != 1 || needed)
    return fprintf(stderr, "%s is not of version 1\n", argv[1]), 1;
  const platter_layout layout = layout_of(follow(field(drive, 15)));
  const uint8_t *curves = follow(field(drive, 10));
  platter_seek seek = {.curves = number(curves, 0, 1)};
  seek.cylinders = array(curves, 1, &seek.points);
  seek.times_ns = array(curves, 2, &times);
  int64_t before = 0;
  for (int i = 2; i < argc; ++i) {
    const uint64_t lbn = strtoull(argv[i], NULL, 10);
    const platter_place p = platter_place_of(&layout, platter_slot_of(&layout, lbn));
    printf("%" PRIu64 ": cylinder %" PRId64 ", head %" PRId64 ", sector %" PRIu64 " of %" PRIu64
           ", angle %.9f, seek %" PRId64 " ns\n",
           lbn, p.cylinder, p.head, p.sector, p.sectors, (double)p.angle / 18446744073709551616.0,
           platter_seek_ns(&seek, platter_seek_read_in, (uint64_t)llabs(p.cylinder - before)));
    before = p.cylinder;
  }
  return 0;
}
