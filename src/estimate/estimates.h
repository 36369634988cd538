// All that is estimated of timed commands, as one table: what each figure needs, and the function
// that makes it of these. A figure is made once, when it or one that needs it is first asked for; a
// function sees no figure but those that its row names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "estimate/evidence.h"
#include "estimate/head_switch.h"
#include "estimate/hits.h"
#include "estimate/read_times.h"
#include "estimate/rotation.h"
#include "estimate/same_track.h"
#include "estimate/seeks.h"
#include "estimate/write_seeks.h"
#include "estimate/write_supply.h"

namespace platter::estimate {

// Each behind those that it needs.
enum class Figure : std::uint8_t {
  rotation,              // the period; needs neither map nor rotation
  grid,                  // of completions; the same
  same_track,            // MTBRCs on one track, by kind
  read_times,            // of all distances, by MTBRCs and by SEEKs
  write_supply,          // what a write waits for where no arm moves
  hits,                  // which accesses the cache served
  delay_spread,          // what these scatter by
  hit_transfer,          // ms a block on the bus, by hits of reads
  block_transfer,        // the same, else by reads that the bus makes late
  write_block_transfer,  // ms a block on the bus, of writes
  write_data,            // ms that the smallest writes wait for their data
  overheads,
  watermark,
  portions,
  seeks,
  head_switch,
  write_settle,
  write_seeks,
};

// In that order. Each has its error, or says why it is absent.
using Figures = std::tuple<RotationEstimate, std::optional<Nanoseconds>, SameTrack, ReadTimes,
                           std::optional<WriteSupply>, Hits, std::optional<model::DelaySpread>,
                           model::Parameter, model::Parameter, model::Parameter, model::Parameter,
                           model::Overheads, model::Parameter, model::Parameter, Seeks, HeadSwitch,
                           model::Parameter, WriteSeeks>;
inline constexpr std::size_t kFigures = std::tuple_size_v<Figures>;

struct Row {
  std::string_view name;
  std::uint32_t needs = 0;  // a bit for each Figure
  void (*function)(const Evidence&, Figures&) = nullptr;
};
extern const std::array<Row, kFigures> kEstimates;

class Estimates {
 public:
  // As Evidence takes them, and for as long.
  Estimates(const Samples& samples, const engine::LayoutMap* map, const model::Rotation& rotation,
            const model::DriveModel* stated = nullptr, Nanoseconds grid_ns = 0)
      : evidence_(samples, map, rotation, stated, grid_ns) {}

  const Evidence& evidence() const { return evidence_; }
  template <Figure figure>
  const auto& of() & {
    make(static_cast<std::size_t>(figure));
    return std::get<static_cast<std::size_t>(figure)>(figures_);
  }
  template <Figure figure>
  auto of() && {
    make(static_cast<std::size_t>(figure));
    return std::move(std::get<static_cast<std::size_t>(figure)>(figures_));
  }

 private:
  void make(std::size_t figure);

  Evidence evidence_;
  Figures figures_;
  std::uint32_t made_ = 0;  // a bit for each
};

}  // namespace platter::estimate
