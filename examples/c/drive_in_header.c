/* A drive as a C header: how long a read of one block takes at the media, from track to track.

     platter emit table drive.json -o drive.h --format c
     cc -O2 -DDRIVE_HEADER='"drive.h"' -DDRIVE=NAME drive_in_header.c -o reads && ./reads LBN...

   NAME is the constant in the header. Overheads and caches are in it too (DRIVE.overheads,
   DRIVE.cache); what an engine makes of them is in docs/model.md. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include DRIVE_HEADER

/* To the track of a block: the longer of seek and head switch (docs/table.md, Motion). */
static int64_t positioning_ns(const platter_place *from, const platter_place *to) {
  const uint64_t far = (uint64_t)llabs(to->cylinder - from->cylinder);
  const bool inward = to->cylinder > from->cylinder;
  int64_t ns = platter_seek_ns(&DRIVE.seek, inward ? platter_seek_read_in : platter_seek_read_out,
                               far);
  if (far > 0) ns += inward ? DRIVE.motion.inward_seek_ns : -DRIVE.motion.inward_seek_ns;
  if (to->head != from->head && ns < DRIVE.motion.head_switch_ns) ns = DRIVE.motion.head_switch_ns;
  return ns;
}

int main(int argc, char **argv) {
  platter_place before = platter_place_of(&DRIVE.layout, platter_slot_of(&DRIVE.layout, 0));
  int64_t now_ns = 0;
  for (int i = 1; i < argc; ++i) {
    const uint64_t lbn = strtoull(argv[i], NULL, 10);
    if (lbn >= DRIVE.identity.blocks)
      return fprintf(stderr, "%s: has no block %s\n", DRIVE.identity.name, argv[i]), 2;
    const platter_place p = platter_place_of(&DRIVE.layout, platter_slot_of(&DRIVE.layout, lbn));
    const int64_t seek_ns = positioning_ns(&before, &p);
    const int64_t wait_ns = platter_wait_ns((uint64_t)DRIVE.motion.period_numerator_ns,
                                            DRIVE.motion.period_denominator, p.angle,
                                            (uint64_t)(now_ns + seek_ns));
    printf("%" PRIu64 ": cylinder %" PRId64 ", head %" PRId64 ", sector %" PRIu64 " of %" PRIu64
           ", angle %.9f, positioning %" PRId64 " ns, rotation %" PRId64 " ns\n",
           lbn, p.cylinder, p.head, p.sector, p.sectors, (double)p.angle / 18446744073709551616.0,
           seek_ns, wait_ns);
    now_ns += seek_ns + wait_ns;
    before = p;
  }
  return 0;
}
