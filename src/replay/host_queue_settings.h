// What stands between an upper layer and the drive: its settings, as they are typed and kept, and
// what came of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/units.h"

namespace platter::replay {

// By default what Linux 2.6 had and David models (Agrawal 2012, section 6.2 and table I): 128
// requests, 512 KiB at most in one, a plug of 3 ms, first in first out, no prefetching of its own.
struct HostQueueSettings {
  std::uint32_t requests = 128;           // most that it holds, those at the drive included
  std::uint64_t merge_bytes = 512 << 10;  // largest request for the drive; 0: as they come
  Nanoseconds plug_ns = 3 * kMillisecond;
  std::uint64_t prefetch_bytes = 0;  // ahead of a stream of reads
  std::uint32_t loops = 0;           // of a closed trace; 0: as many as the drive has at once

  bool operator==(const HostQueueSettings&) const = default;
};

// "default", or some of "requests=128,merge-kb=512,plug-ms=3,prefetch-kb=0,loops=0"; what is not
// named stays as it is by default. Throws Error(usage).
HostQueueSettings host_queue_of(std::string_view text);
// All of them, in that order: equal settings have equal texts.
std::string text_of(const HostQueueSettings& settings);

struct HostQueueUse {
  HostQueueSettings settings{};
  std::uint64_t commands = 0;     // that the drive got
  std::uint64_t merged = 0;       // requests, or parts of one, that went with another
  std::uint64_t prefetches = 0;   // windows read ahead
  std::uint64_t from_memory = 0;  // reads of which the host had all, or had it on the way

  bool operator==(const HostQueueUse&) const = default;
};

// Whether the windows that the host's queue read ahead were of any use.
// A sentence where windows were asked for and no read was answered by any; else empty.
std::string why_prefetching_did_nothing(const HostQueueUse& use);

}  // namespace platter::replay
