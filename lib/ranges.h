// The ranges of numbers that libplatter is given, each refused with its name, what it is and what
// it may be.
#pragma once

#include <cstdint>

#include "lib/failures.h"
#include "lib/handles.h"
#include "lib/platter.h"

namespace platter::lib {

inline platter_status check_between(const char* name, std::int64_t value, std::int64_t least,
                                    std::int64_t most, const char* limit) {
  if (value >= least && value <= most) return PLATTER_OK;
  return failed(PLATTER_OUT_OF_RANGE, "{} is {}, and must be from {} to {} ({})", name, value,
                least, most, limit);
}

inline platter_status check_time(const char* name, std::int64_t time_ns) {
  return check_between(name, time_ns, -PLATTER_TIME_LIMIT, PLATTER_TIME_LIMIT,
                       "PLATTER_TIME_LIMIT");
}

inline platter_status check_lbn(std::uint64_t lbn, std::uint64_t blocks) {
  if (lbn < blocks) return PLATTER_OK;
  return failed(PLATTER_OUT_OF_RANGE, "lbn is {}, past the drive's last block, {}", lbn,
                blocks - 1);
}

// For what gives the drive more to do. Requests may all come before PLATTER_TIME_LIMIT and still
// take a drive past it; far beyond, its times would no longer fit their type.
inline platter_status check_work_at(const EngineContent& e, const char* name,
                                    std::int64_t time_ns) {
  if (const platter_status bad = check_time(name, time_ns)) return bad;
  if (e.engine.busy_until_ns() <= 2 * PLATTER_TIME_LIMIT) return PLATTER_OK;
  return failed(PLATTER_OUT_OF_RANGE,
                "the drive is busy until {} ns, past twice PLATTER_TIME_LIMIT, and takes no more "
                "work at {} {}; reset it with platter_engine_reset()",
                e.engine.busy_until_ns(), name, time_ns);
}

platter_status check_request(const EngineContent& e, const platter_request& r);

}  // namespace platter::lib
