// A workload: a profile on a drive, request by request, reproducible from its seed on every
// platform. docs/workloads.md tells the profiles and every parameter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/lbn_range.h"
#include "trace/placer.h"
#include "trace/profiles.h"
#include "trace/trace.h"

namespace platter::trace {

// The LBNs of the track on which an LBN lies. One that was remapped may lie on a track that holds
// none of it: then of that track, or nothing (last before first).
using TrackOf = std::function<LbnRange(std::uint64_t lbn)>;

struct Workload {
  Profile profile{};
  std::uint64_t blocks = 0;  // capacity of the drive
  std::uint32_t block_bytes = 512;
  std::optional<std::uint64_t> requests{};  // else as many as the profile says
  std::uint64_t seed = 1;
  bool reads_only = false;         // reads in place of the writes, at the same places
  std::vector<LbnRange> within{};  // all requests lie in these; empty: the whole drive
  TrackOf track_of{};              // for profiles that ask for tracks
  std::vector<LbnRange> writes{};  // writes lie in these; empty: as all requests
};

// The workload as a stream: it is made as it is read, and may be longer than memory.
class Generator final : public Reader {
 public:
  // Throws Error(usage) for a profile that does not go with the drive or the ranges.
  explicit Generator(const Workload& workload);

  const Source& source() const override { return source_; }
  std::size_t read(std::span<Request> out) override;

 private:
  Request next();
  std::uint32_t drawn_blocks();
  LbnRange drawn_on_tracks(const OnTracks& tracks, Placer& placer);
  bool burst_ends(std::uint32_t blocks);
  Nanoseconds drawn_gap();

  Profile profile_;
  std::uint64_t requests_, made_ = 0;
  bool reads_only_;
  TrackOf track_of_;
  Ranges allowed_;
  Draws draws_;
  Source source_{};
  std::optional<Placer> placer_{}, write_placer_{};  // the second: writes have ranges of their own
  std::uint64_t weight_ = 0;
  std::optional<LbnRange> before_{};
  Nanoseconds arrival_ns_ = 0, gap_ns_ = 0;
  std::uint64_t burst_requests_ = 0, burst_bytes_ = 0;
};

// All of it in memory.
Trace generate(const Workload& workload);

// All of it to a file, as it is made; Format::detect: ascii if it is open, validate if it is
// closed. Throws Error(usage) for a format of open traces where it is closed.
void save(const Workload& workload, const std::string& path, Format format = Format::detect);

}  // namespace platter::trace
