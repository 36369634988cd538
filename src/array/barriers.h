// What keeps the copies of a mirror's rebuild and its requests apart, in md's regions of 64 MiB
// (drivers/md/raid1.c, 6.1: raise_barrier(), wait_barrier()). No time: what may begin is asked,
// what has begun and ended is told.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace platter::array {

class Barriers {
 public:
  static constexpr std::uint64_t kRegionBytes = 64 * 1024 * 1024;
  // Copies of a region: md counts the one that waits for its turn among its RESYNC_DEPTH of 32.
  static constexpr std::uint32_t kMostCopies = 31;

  explicit Barriers(std::uint32_t block_bytes) : region_blocks_(kRegionBytes / block_bytes) {}

  // Whether a request may begin, and has then; a write waits for copies in its region.
  bool begin_request(std::uint64_t lbn, bool write);
  void end_request(std::uint64_t lbn) { --regions_[region_of(lbn)].requests; }
  // Of writes that wait: one does, and one no longer.
  void hold(std::uint64_t lbn) { ++regions_[region_of(lbn)].held; }
  void let_go(std::uint64_t lbn) { --regions_[region_of(lbn)].held; }

  // Whether the next copy may begin, and has then. It waits for writes that wait, once for a tick;
  // then writes that come wait for it, and it for all that is outstanding in its region.
  enum class Copy : std::uint8_t { begins, gives_way_for_a_tick, waits };
  Copy begin_copy(std::uint64_t lbn);
  void end_copy(std::uint64_t lbn) { --regions_[region_of(lbn)].copies; }

 private:
  struct Region {
    std::uint32_t requests = 0, held = 0, copies = 0;
  };
  std::uint64_t region_of(std::uint64_t lbn) const { return lbn / region_blocks_; }

  std::uint64_t region_blocks_;
  std::unordered_map<std::uint64_t, Region> regions_{};
  std::optional<std::uint64_t> claimed_{};  // the region where a copy waits for requests
  bool gave_way_ = false;                   // the next copy did
};

}  // namespace platter::array
