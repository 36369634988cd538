// A rotating disk with a simple segmented cache, whose facts are set: the judge of the cache tests.
// It shares the layout map with the engine, nothing of its mechanics or of its cache: blocks are
// read one by one.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/layout_map.h"
#include "model/drive_model.h"
#include "scsi/device.h"

namespace platter::cache_probe::testing {

struct CacheFacts {
  bool reads = true;
  std::uint32_t segments = 8, segment_blocks = 256;
  enum class Replacement {
    least_recently_used,
    first_in_first_out,
    random
  } replacement = Replacement::least_recently_used;
  model::ReadAhead read_ahead = model::ReadAhead::to_segment_full;
  std::uint32_t read_ahead_max = 0;  // blocks; 0: no limit of its own
  bool over_requested = false, on_hit = false;
  bool free_blocks = false, zero_latency = false, discards = false;
  int write_back = 0;
  std::uint32_t write_segments = 1;  // writes that may wait for the media
  bool writes_take_read_segments = true, read_hit_on_written = true;
  bool combine_writes = true;
  std::uint32_t read_ahead_min = 0;  // blocks read before another command is obeyed
  bool abort = true;                 // false: all are
  bool resumes = false;              // what was broken off goes on when the drive is idle
  bool after_sequential = false;     // read-ahead only behind a read that carries on from the last
  std::uint32_t adaptive_min = 0;    // > 0: so few, larger segments while most reads carry on
  // When it is looked at whether they do: at each read, after windows of so many, after so many ms,
  // or now and then.
  enum class Looked { each_read, window, time, now_and_then } looked = Looked::each_read;
  std::uint32_t window = 24;  // of reads that are looked at
  double looked_ms = 30;
  bool write_updates = false;     // a write into a segment of read data leaves the rest of it
  bool persist = false;           // neither FUA nor SYNCHRONIZE CACHE waits
  bool knows_synchronize = true;  // SYNCHRONIZE CACHE
  double destage_idle_ms = 0;     // without a command, until written data go to the media
};

struct Noise {
  double slow_share = 0, slow_ms = 0;  // media accesses with an exponential delay
  double host_us = 0;                  // median of a log-normal delay of every command
};

struct DriveFacts {
  double rpm = 10000;
  std::uint32_t heads = 4, cylinders = 1500, sectors = 240;
  double switch_ms = 0.8, hit_ms = 0.12, block_us = 5;
  CacheFacts cache;
  Noise noise;
};

// Head-first cylinders, skewed by the head switch.
model::Layout layout_of(const DriveFacts& facts);

class SimpleDrive final : public scsi::Device {
 public:
  explicit SimpleDrive(const DriveFacts& facts, std::uint64_t seed = 1);
  const std::string& name() const override { return name_; }
  scsi::Clock& clock() override { return clock_; }
  std::uint32_t max_outstanding() const override { return 1; }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override;
  scsi::Expected<std::optional<scsi::Completion>> reap() override;
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override;
  scsi::Expected<void> reset() override { return {}; }

 private:
  struct VirtualClock final : scsi::Clock {
    Nanoseconds now = 0;
    Nanoseconds now_ns() override { return now; }
    void sleep_until_ns(Nanoseconds deadline_ns) override { now = std::max(now, deadline_ns); }
  };
  struct Segment {
    std::uint64_t first = 0, end = 0;
    std::uint64_t used = 0, filled = 0;
    bool written = false;
    bool holds(std::uint64_t lbn, std::uint64_t blocks) const {
      return first <= lbn && lbn + blocks <= end;
    }
  };
  struct Ahead {  // read-ahead under way
    std::size_t segment = 0;
    std::uint64_t next = 0, stop = 0, must = 0;
  };
  struct Dirty {
    std::uint64_t lbn = 0, blocks = 0;
  };

  // `through`: force unit access.
  Nanoseconds read(std::uint64_t lbn, std::uint32_t blocks, Nanoseconds t, bool through);
  Nanoseconds write(std::uint64_t lbn, std::uint32_t blocks, Nanoseconds t, bool through);
  Nanoseconds synchronize(Nanoseconds t);
  void background(Nanoseconds until);
  void destage_one();
  void stop_ahead();
  void adapt(std::uint64_t lbn, std::uint64_t end, Nanoseconds t);
  bool looks_now(Nanoseconds t);
  void keep_written(std::uint64_t lbn, std::uint64_t blocks);
  void start_ahead(std::size_t segment, std::uint64_t lbn, std::uint64_t end);
  std::uint64_t track_end(std::uint64_t lbn) const;  // LBN behind its track
  std::size_t victim();
  void trim(Segment& segment) const;
  // The arm goes to the block's track; when it is there.
  Nanoseconds arrive(std::uint64_t lbn, Nanoseconds t);
  // When the block has passed under the heads, from `t` on.
  Nanoseconds pass(std::uint64_t lbn, Nanoseconds t);
  double angle_rev(Nanoseconds t) const;
  Nanoseconds media(std::uint64_t lbn, std::uint32_t blocks, Nanoseconds t, bool from_host);
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  std::string name_ = "simple drive";
  DriveFacts facts_;
  engine::LayoutMap map_;
  VirtualClock clock_;
  std::mt19937_64 random_;
  double period_ns_, phase_rev_;
  std::vector<Segment> segments_;
  std::optional<Ahead> ahead_, paused_;
  std::uint32_t segment_blocks_ = 0;
  std::deque<std::uint64_t> ends_;  // of the last reads
  std::deque<bool> carried_on_;     // did they
  std::uint64_t adapted_reads_ = 0;
  Nanoseconds looked_ = 0;
  Nanoseconds last_command_ = 0;
  std::deque<Dirty> dirty_;
  std::uint64_t uses_ = 0;
  std::uint32_t cylinder_ = 0, head_ = 0;
  Nanoseconds media_free_ = 0;
  std::uint64_t early_ = 0;  // first block that passed before the last request
  std::optional<scsi::Completion> done_;
};

}  // namespace platter::cache_probe::testing
