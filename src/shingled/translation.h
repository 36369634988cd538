// The translation layer of a drive-managed shingled drive, as Aghayev and Desnoyers found it
// (Skylight, FAST 2015): blocks have static home places in bands that are rewritten as a whole;
// what is written goes into a media cache, one behind the other, and comes home when its band is
// cleaned. It says where blocks are; what that costs in time is the engine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "model/units.h"

namespace platter::shingled {

struct Settings {
  std::uint64_t blocks = 0;        // that the host sees
  std::uint64_t cache_blocks = 0;  // of the media cache
  Nanoseconds idle_ns = 0;         // without a command before cleaning begins
  Nanoseconds cleaning_ns = 0;     // of one band
  std::uint32_t band_blocks = 0;
  std::uint32_t entries = 0;   // most extents in the media cache
  std::uint8_t when_idle = 0;  // flag: bands are cleaned in idle time, too

  bool operator==(const Settings&) const = default;
  // Of a drive that is not shingled, or of which too little is known, nothing acts.
  bool act() const { return band_blocks > 0 && cache_blocks > 0; }
  std::uint32_t band_of(std::uint64_t lbn) const {
    return static_cast<std::uint32_t>(lbn / band_blocks);
  }
  std::uint32_t bands() const { return band_of(blocks - 1) + 1; }
};

constexpr std::uint32_t kMostEntries = 1U << 20;
constexpr std::uint32_t kMostBands = 1U << 22;

// Consecutive blocks at consecutive places: block `lbn` is at place `at`. A place below
// Settings::blocks is the home of the block of that number, those behind are the media cache.
struct Run {
  std::uint64_t lbn = 0, at = 0, blocks = 0;
};

// Plain bytes with its tables behind it, in memory that somebody else has: a copy of bytes() is a
// checkpoint.
class Translation {
 public:
  static std::size_t bytes(const Settings& settings);
  static Translation* create(const Settings& settings, void* memory);

  // From `lbn` on, `blocks` at most.
  Run run_from(std::uint64_t lbn, std::uint64_t blocks) const;
  bool all_home() const { return entries_used_ == 0; }
  std::uint64_t cached_blocks() const { return blocks_used_; }
  std::uint32_t cached_extents() const { return entries_used_; }

  // More than the media cache ever takes goes home at once.
  bool goes_home(std::uint64_t blocks) const { return blocks > settings_.cache_blocks / 4; }
  bool has_room(std::uint64_t lbn, std::uint64_t blocks) const;
  // The place of the first of them, the others lie behind it. There is room.
  std::uint64_t write(std::uint64_t lbn, std::uint64_t blocks);
  // They were written at home.
  void forget(std::uint64_t lbn, std::uint64_t blocks);

  // The band that became dirty first of all.
  std::optional<std::uint32_t> next_dirty() const;
  // How long it has been cleaned so far. What is written into it meanwhile sets that back.
  Nanoseconds worked_ns() const { return worked_ns_; }
  void work(Nanoseconds time_ns) { worked_ns_ += time_ns; }
  // All of its blocks are at home.
  void come_home();

  // When the host was last heard of, for a caller that asks how long the drive has been idle.
  Nanoseconds heard_ns = 0;

  // The blocks that lie at places [first, end), as places of the host's.
  std::vector<Run> blocks_at(std::uint64_t first, std::uint64_t end) const;

 private:
  struct Entry {
    std::uint64_t lbn, at;  // `at` counts from the beginning of the media cache
    std::uint32_t blocks;
    std::uint32_t next;  // of its band, and 1; 0: none
  };
  struct Band {
    std::uint32_t first;       // entry, and 1
    std::uint32_t next_dirty;  // band, and 1
  };
  explicit Translation(const Settings& settings) : settings_(settings) {}

  Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
  const Entry* entries() const { return reinterpret_cast<const Entry*>(this + 1); }
  Band* bands() { return reinterpret_cast<Band*>(entries() + settings_.entries); }
  const Band* bands() const { return reinterpret_cast<const Band*>(entries() + settings_.entries); }
  std::uint64_t part_in_band(std::uint64_t lbn, std::uint64_t blocks) const;
  std::uint32_t take_entry();
  void free_entry(std::uint32_t number);
  void drop(std::uint64_t lbn, std::uint64_t blocks);
  void add(const Entry& entry);

  Settings settings_;
  std::uint64_t head_ = 0;         // where the next write goes
  std::uint64_t blocks_used_ = 0;  // of the media cache
  std::uint32_t entries_used_ = 0, free_ = 0;
  std::uint32_t first_dirty_ = 0, last_dirty_ = 0;
  Nanoseconds worked_ns_ = 0;
};
static_assert(std::is_trivially_copyable_v<Translation>);

}  // namespace platter::shingled
