// By which command a timing experiment reaches the media. A drive's cache may stay on whatever is
// set: ATA has nothing that switches its read cache off. Reads with FUA pass it by, unless the
// drive refuses or ignores FUA; VERIFY sends nothing, and so has no use for a cache (SBC-3,
// VERIFY). What a drive makes of them only its times tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/units.h"
#include "scsi/device.h"

namespace platter::mtbrc {

struct Context;

enum class Probe : std::uint8_t {
  read,         // as reads are sent: the caches are off, or the way is found by none (reads_once)
  forced_read,  // READ with FUA
  verify,       // VERIFY(10), (16)
};

struct WayToMedia {
  Probe probe = Probe::read;
  // No command passes the cache: what was read once may come from it, and so no block is read twice
  // where the time of a read from the media is asked for. References are no exception.
  bool reads_once = false;
  std::string why_not = {};  // the ways that come before: what became of them
};

// The first of READ, READ with FUA and VERIFY of which two of one block end whole revolutions
// apart. The caches are to be off as far as they go. Takes up to a second each; what is sent is no
// sample. Does not change the context: its `probe` and `reads_once` are the caller's to set.
WayToMedia find_way_to_media(Context& context, std::uint64_t lbn);

// One block by the command that reaches the media; no sample.
scsi::Completion reach_media(Context& context, std::uint64_t lbn);

// Whether accesses that completed then, each begun at a moment of its own, wait for one place of
// something that turns, at any speed from kSlowest_rpm to kFastest_rpm (rotation.h). Pure.
bool whole_revolutions_apart(const std::vector<Nanoseconds>& completed);

// Blocks that no cache can hold, because nothing near them was read, for experiments that need
// reads, or must do with them (Context::reads_once). What a drive that goes on reading ahead may
// have read behind other reads counts as read.
bool is_fresh(const Context& context, std::uint64_t lbn, std::uint32_t blocks = 1);

}  // namespace platter::mtbrc
