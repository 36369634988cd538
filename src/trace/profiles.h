// Workload profiles: what a workload asks of any drive, in the words of docs/workloads.md. The
// catalogue holds the published ones under the names that their papers gave them, and ours.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/units.h"
#include "trace/draws.h"
#include "trace/request.h"

namespace platter::trace {

// `least_bytes` and more in steps of `step_bytes`, each as likely as its weight; a request is as
// many whole blocks as hold that.
struct Sizes {
  std::uint32_t least_bytes = 0, step_bytes = 0;
  std::vector<std::uint32_t> weights{1};
};

// Seen from the request before: `sequential` of `of` requests begin where it ended, `local` of `of`
// begin at most `local_blocks` from its beginning, all others anywhere.
struct Nearby {
  std::uint64_t sequential = 0, local = 0, of = 1;
  std::uint64_t local_blocks = 500;
};

// Streams that each read or write on through a region of their own: the allowed ranges are cut into
// as many equal pieces. A stream begins with its region and, past its end, there again.
struct Streams {
  std::uint32_t count = 1;
  bool in_turn = true;             // otherwise the next request's stream is drawn
  std::uint64_t run_requests = 0;  // after so many a stream goes on anywhere in its region; 0:
                                   // never
  // From the beginning of a stream's request to that of its next; 0: from end to beginning none.
  std::uint64_t stride_bytes = 0;
};

// `hot` of the requests begin in the middle `span` of the allowed ranges, the others in the rest.
struct HotSpot {
  Share hot{80, 100}, span{20, 100};
};

// Each request has the length of a track, drawn by a block of it that is as likely as any other:
// aligned, it is that track; else it begins at that block.
struct OnTracks {
  bool aligned = true;
};

using Placement = std::variant<Nearby, Streams, HotSpot, OnTracks>;

enum class Gap : std::uint8_t {
  constant,     // the mean
  uniform,      // between 0 and twice the mean
  exponential,  // Poisson arrivals
};

// open: the times between arrivals. closed: the think times.
struct Times {
  Kind kind = Kind::open;
  Gap gap = Gap::uniform;
  Nanoseconds mean_ns = 0;
  // Bursts end after so many requests or with the request that fills so many bytes, whichever comes
  // first (0: no such end); then nothing is asked for `idle_ns`. Both 0: no bursts.
  std::uint64_t burst_requests = 0, burst_bytes = 0;
  Nanoseconds idle_ns = 0;
};

struct Profile {
  std::string name{}, about{}, source{};
  Share writes{};
  Sizes sizes{};
  std::uint32_t align_bytes = 0;  // of places that are drawn; 0: any block
  Placement place{};
  Times times{};
  std::uint64_t requests = 5000;
};

// In the order in which people are shown them.
std::span<const Profile> profiles();

// Spaces in the name do not count. Throws Error(usage) for one that there is not.
const Profile& profile(std::string_view name);

// The catalogue of workloads for people and for programs.
std::string list_text(std::span<const Profile> profiles);
std::string list_json(std::span<const Profile> profiles);

}  // namespace platter::trace
