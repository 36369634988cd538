// Caches that stay on whatever is set are bypassed with FUA, where the drive obeys it by effect.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "scsi/drive.h"

namespace platter::scsi {

// Accesses to one block that come sooner than this one after the other are not all from the media:
// no platter goes round in less than 3 ms.
constexpr Nanoseconds kSoonerThanAnyMedia = 2 * kMillisecond;

// Most of three re-reads of a block, or of three writes of a block each right behind a read of it
// from the media, are answered sooner than any media could. nullopt: where it cannot be accessed
// nothing is told.
std::optional<bool> rereads_come_at_once(Drive& drive, std::uint64_t lbn);
// Reads, or `reach`, go to the media by now; needs the permission, and rewrites what is there.
std::optional<bool> writes_come_at_once(Drive& drive, std::uint64_t lbn,
                                        const std::function<void(std::uint64_t lbn)>& reach = {});

enum class Forced : std::uint8_t {
  not_needed,  // these commands wait for the media as they are
  obeyed,      // with FUA they do, and are sent so from now on, until caches are set or restored
  refused,     // the drive does not take FUA in them
  ignored,     // or takes it and answers at once all the same
};
Forced force_reads(Drive& drive, std::uint64_t lbn);
// `reach` gets a block from the media: by a read, where nothing else is said.
Forced force_writes(Drive& drive, std::uint64_t lbn,
                    const std::function<void(std::uint64_t lbn)>& reach = {});

}  // namespace platter::scsi
