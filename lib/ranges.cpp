#include "lib/ranges.h"

namespace platter::lib {
namespace {

platter_status check_disturbance(const platter_request& r) {
  const struct {
    const char* name;
    std::int64_t ns, least;
  } all[] = {{"positioning_ns", r.positioning_ns, -PLATTER_DISTURBANCE_LIMIT},
             {"media_delay_ns", r.media_delay_ns, 0},
             {"phase_ns", r.phase_ns, -PLATTER_DISTURBANCE_LIMIT}};
  for (const auto& one : all)
    if (const platter_status bad = check_between(
            one.name, one.ns, one.least, PLATTER_DISTURBANCE_LIMIT, "PLATTER_DISTURBANCE_LIMIT"))
      return bad;
  return PLATTER_OK;
}

}  // namespace

platter_status check_request(const EngineContent& e, const platter_request& r) {
  if ((r.flags & ~std::uint32_t{PLATTER_WRITE | PLATTER_FORCE_UNIT_ACCESS}) != 0)
    return failed(PLATTER_BAD_ARGUMENT,
                  "flags is {}: an unknown flag; a request's are PLATTER_WRITE and "
                  "PLATTER_FORCE_UNIT_ACCESS",
                  r.flags);
  if (r.reserved_1 != 0 || r.reserved_2 != 0)
    return failed(PLATTER_BAD_ARGUMENT, "reserved_1 is {} and reserved_2 is {}; set both to 0",
                  r.reserved_1, r.reserved_2);
  if (r.blocks == 0)
    return failed(PLATTER_OUT_OF_RANGE,
                  "blocks is 0: the request has no blocks; it needs at least 1");
  if (const platter_status bad = check_lbn(r.lbn, e.blocks)) return bad;
  if (r.blocks > e.blocks - r.lbn)
    return failed(PLATTER_OUT_OF_RANGE,
                  "blocks is {}: from lbn {} on the request goes past the drive's last block, {}",
                  r.blocks, r.lbn, e.blocks - 1);
  return check_disturbance(r);
}

}  // namespace platter::lib
