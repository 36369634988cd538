// What a study has to know of a trace's file before its points can be named: the digest of its
// bytes, its devices, how many requests there are. Kept in the folder of results by path, size and
// time of change, so that a file is looked at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "replay/replay_model.h"
#include "study/study.h"

namespace platter::study {

struct DeviceFacts {
  std::string name{};  // as the trace calls it
  std::uint64_t requests = 0;
};

struct TraceFacts {
  std::string digest{};
  std::uint64_t requests = 0;  // estimated from the file's size where `counted` is false
  bool counted = false;
  std::vector<DeviceFacts> devices{};  // of a trace that is to be split by them, in order of names
  std::string stamps{};                // by what its files are known again
  std::string fault{};                 // why they could not be counted; each point will say so
};

// Of a workload: nothing. `counted`: requests are to be counted, as they are anyway where the trace
// is to be split. Throws Error(bad_input, permission) for a file that cannot be read at all.
TraceFacts facts_of(const TraceSpec& trace, const std::string& folder, bool counted);

// Throws Error(bad_input) where the trace's files are no longer those of these facts: what was read
// of them since may be another trace.
void require_unchanged(const TraceSpec& trace, const TraceFacts& facts);

// Writes each device's requests into a file of its own, in blocks of this size, unless they are
// there: a pass over the whole trace for each of hundreds of volumes would take longer than their
// replays. At most 32 files at once are written.
void split_by_device(const TraceSpec& trace, const TraceFacts& facts, std::uint32_t block_bytes,
                     const std::string& folder);

// Where it writes them.
std::string path_of_part(const TraceSpec& trace, const TraceFacts& facts, const std::string& device,
                         std::uint32_t block_bytes, const std::string& folder);

// The requests of the trace, or of one of its devices (after split_by_device), for this drive.
std::unique_ptr<trace::Reader> open_trace_of(const TraceSpec& trace, const TraceFacts& facts,
                                             const std::string& device, const replay::Subject& on,
                                             const std::string& folder);

}  // namespace platter::study
