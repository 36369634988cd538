// What a logical unit makes of a command: the reply, and the work before the reply is due.
#pragma once

#include <cstdint>

#include "model/units.h"
#include "virtual_drive/personality.h"
#include "virtual_drive/sense_data.h"

namespace platter::virtual_drive {

struct Work {
  enum class Kind : std::uint8_t {
    electronics,  // nothing but the drive's processor: electronics_ns
    media,        // a read or write of `blocks` from `lbn` on
    write_and_verify,
    seek,
    synchronize,
    spin_up,
    rest,  // to `rest`, or back to work
  };
  Kind kind = Kind::electronics;
  Nanoseconds electronics_ns = 0;
  Nanoseconds before_ns = 0;  // until the media are asked: data on the bus, the way back from rest
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 0;
  bool write = false;
  bool force_unit_access = false;
  bool verify = false;     // a read from the media that sends nothing
  bool prefetch = false;   // a read into the cache that sends nothing
  bool same = false;       // a write of one block to many
  bool immediate = false;  // the answer does not wait for the work
  Nanoseconds spin_up_ns = 0;
  std::uint32_t lost_revolutions = 0;  // retries of a sector that cannot be read
  bool cache_changed = false;          // MODE SELECT of the caching page
  bool timers_changed = false;  // ... of page 1Ah, of a drive whose model has power conditions
  std::uint32_t rest = 0;       // as Engine::go_to_rest()
  bool flush = false;           // what waits is written before
  bool keeps_rest = false;      // timers go on behind it
};

struct Answer {
  Reply reply;
  Work work;
};

// Of a command that asks nothing but the drive's processor.
Answer answer_of_electronics(const Personality& drive, Reply reply);

}  // namespace platter::virtual_drive
