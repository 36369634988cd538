// A drive in the few figures that simulators take which model no disk: docs/simulators.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::emit_summary {

// One zone of the map. Bytes per second: of the media alone, and of reading on from track to track
// where each begins right behind the skew.
struct ZoneRate {
  std::uint64_t first_lbn = 0, blocks = 0;
  double media_bytes_s = 0, sustained_bytes_s = 0;
};

constexpr int kRandomRequests = 40'000;

struct DriveSummary {
  std::string name{};
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 512, heads = 0, cylinders = 0;
  std::uint64_t tracks = 0;
  double rpm = 0, rotational_latency_ms = 0;  // half a revolution
  // Of reads, the mean of both directions. The average is over all pairs of blocks.
  double average_seek_ms = 0, third_stroke_ms = 0, full_stroke_ms = 0, track_to_track_ms = 0;
  double write_settle_ms = 0, head_switch_ms = 0;
  double read_overhead_ms = 0, write_overhead_ms = 0;  // of misses; 0 where not known
  std::vector<ZoneRate> zones{};
  double sustained_bytes_s = 0;  // of the whole drive from end to end
  std::uint32_t segments = 0, segment_blocks = 0;
  bool ata = false;

  // Of 4 KiB anywhere, one at a time, without caches: means over kRandomRequests of the engine, and
  // one standard error of each.
  double random_read_ms = 0, random_write_ms = 0;
  double random_read_error_ms = 0, random_write_error_ms = 0;
};

enum class RandomMeans : std::uint8_t { computed, left_out };  // they take most of the time

// Throws Error(bad_input) for a model that lacks what an engine needs.
DriveSummary summary_of(const model::DriveModel& model, RandomMeans means = RandomMeans::computed);

// How many blocks lie on neighbouring cylinders, `width` of them in each bin, so that a model may
// name as many cylinders as it likes.
class BlocksOfCylinders {
 public:
  explicit BlocksOfCylinders(std::size_t cylinders);
  void add(std::size_t cylinder, std::uint64_t blocks) {
    bins_[cylinder / width_] += static_cast<double>(blocks);
  }
  std::size_t width() const { return width_; }
  const std::vector<double>& bins() const { return bins_; }

 private:
  std::size_t width_;
  std::vector<double> bins_;
};

// Mean seek over all pairs of blocks.
double average_seek_ms(const model::Seek& seek, const BlocksOfCylinders& blocks);

}  // namespace platter::emit_summary
