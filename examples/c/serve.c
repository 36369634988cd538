/* Serves random requests from a table, several outstanding, and prints the mean response time; then
   takes all of it back, and serves it again:  serve FILE.ptab [REQUESTS]
   Build: cc serve.c -o serve $(pkg-config --cflags --libs platter) */
#include <inttypes.h>
#include <platter.h>
#include <stdio.h>
#include <stdlib.h>

static void check(platter_status status) {
  if (status >= 0) return;
  fprintf(stderr, "serve: %s\n", platter_last_error());
  exit(1);
}

static uint64_t draw(uint64_t *seed) { /* xorshift64* */
  *seed ^= *seed >> 12, *seed ^= *seed << 25, *seed ^= *seed >> 27;
  return *seed * UINT64_C(2685821657736338717);
}

/* Four requests are always outstanding: whenever one is complete, the next one arrives. */
static double mean_response_ms(platter_engine *drive, uint64_t blocks, uint32_t requests) {
  uint64_t seed = 1;
  uint32_t submitted = 0, completed = 0;
  int64_t now_ns = 0, sum_ns = 0;
  while (completed < requests) {
    while (submitted < requests && submitted < completed + 4) {
      platter_request request = {0};
      request.lbn = draw(&seed) % (blocks - 8);
      request.blocks = 8;
      request.flags = draw(&seed) % 3 == 0 ? PLATTER_WRITE : 0;
      request.tag = submitted++;
      check(platter_engine_submit(drive, &request, now_ns));
    }
    platter_completion completion;
    check(platter_engine_next_completion(drive, &completion));
    now_ns = completion.completion_ns;
    sum_ns += completion.completion_ns - completion.arrival_ns;
    ++completed;
  }
  return (double)sum_ns / requests / 1e6;
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: serve FILE.ptab [REQUESTS]\n"), 2;
  const uint32_t requests = argc > 2 ? (uint32_t)atoi(argv[2]) : 10000;
  platter_table *table;
  platter_engine *drive;
  check(platter_table_open(argv[1], &table));
  check(platter_engine_create(table, &drive));
  platter_info info = {.struct_size = sizeof info};
  check(platter_table_info(table, &info));
  printf("%s, %" PRIu64 " blocks%s\n", info.name, info.blocks,
         info.flags & PLATTER_DERIVED ? ", derived" : "");

  const platter_queue sptf = {.scheduler = PLATTER_SPTF};
  check(platter_engine_set_queue(drive, &sptf));
  const size_t size = platter_engine_checkpoint_size(drive);
  void *checkpoint = malloc(size);
  check(platter_engine_save(drive, checkpoint, size));
  const double first = mean_response_ms(drive, info.blocks, requests);
  check(platter_engine_restore(drive, checkpoint, size));
  const double again = mean_response_ms(drive, info.blocks, requests);
  printf("mean response %.6f ms; after the rollback %.6f ms\n", first, again);
  free(checkpoint);
  platter_engine_destroy(drive);
  platter_table_close(table);
  return first == again ? 0 : 1;
}
