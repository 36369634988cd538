/* The header is C99, and its structs have the places that docs/library.md and bindings rely on. */

#include "platter.h"

#define HOLDS(name, condition) typedef char name[(condition) ? 1 : -1]

HOLDS(request_size, sizeof(platter_request) == 56);
HOLDS(request_tag, offsetof(platter_request, tag) == 16);
HOLDS(request_positioning, offsetof(platter_request, positioning_ns) == 24);
HOLDS(request_end, offsetof(platter_request, reserved_2) == 48);
HOLDS(completion_size, sizeof(platter_completion) == 32);
HOLDS(completion_time, offsetof(platter_completion, completion_ns) == 16);
HOLDS(place_size, sizeof(platter_place) == 48);
HOLDS(place_flags, offsetof(platter_place, flags) == 32);
HOLDS(track_size, sizeof(platter_track) == 64);
HOLDS(queue_size, sizeof(platter_queue) == 24);
HOLDS(counters_size, sizeof(platter_counters) == 24);

/* Called from C++, so that this file is linked as C. */
int header_of_c(void);
int header_of_c(void) {
  platter_request request = {0};
  platter_info info = {0};
  request.flags = PLATTER_WRITE | PLATTER_FORCE_UNIT_ACCESS;
  info.struct_size = sizeof info;
  return (int)request.flags + platter_table_info(NULL, &info) == 3 + PLATTER_BAD_ARGUMENT;
}
