// A cache that divides itself as the load asks: few long segments for few sequential streams, many
// short ones for requests all over the drive. The engine's segments are fixed, so there is one
// engine for each division, and a change of division is a change of engine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/engine.h"
#include "model/drive_model.h"

namespace platter::virtual_drive {

class AdaptiveCache {
 public:
  // Divisions: adaptive_cache_min_segments, doubled again and again as far as the model's own
  // number of segments; all of the same size together. None if the model's cache does not adapt.
  explicit AdaptiveCache(const model::DriveModel& model);

  bool adapts() const { return divisions_.size() > 1; }
  std::uint32_t segments() const { return divisions_[current_].segments; }

  // Called before each media command that arrives at `now_ns`. After every kWindow requests the
  // division is chosen that has room for the streams among them; the cache is then empty, the arm
  // where it was. While data wait to be written, or requests are outstanding, it stays as it is.
  void follow(engine::Engine& engine, std::uint64_t lbn, std::uint32_t blocks, Nanoseconds now_ns);

  static constexpr std::size_t kWindow = 32;

 private:
  struct Division {
    std::uint32_t segments;
    engine::Engine engine;  // as it is after power-on
  };

  std::size_t streams() const;
  std::size_t wanted_division() const;

  std::vector<Division> divisions_;  // ascending number of segments
  std::size_t current_ = 0;
  std::array<std::uint64_t, kWindow> first_{}, end_{};  // LBNs of the last requests
  std::size_t seen_ = 0;
};

}  // namespace platter::virtual_drive
