// A run's map by timing alone, of a drive that does not translate addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extract/map_source.h"
#include "extract/options.h"
#include "layout_by_timing/mapper.h"
#include "layout_by_timing/media_timing.h"
#include "layout_by_timing/surface_finder.h"
#include "layout_by_timing/to_layout.h"
#include "mtbrc/context.h"

namespace platter::extract {

// What the map of a drive of so many bytes takes by timing, about, in seconds. Chosen: by drives of
// the catalogue from 1 GB to 20 TB (bench/layout/timed_map_times.py).
constexpr double timed_map_s(double bytes) { return 90 + 36e-12 * bytes; }
// Behind it the surfaces, in the mean of 38 drives of today.
constexpr double kTimedSurfaces_s = 15;
// Chosen: so little is of use yet.
constexpr double least_timed_map_s(double bytes) { return 18 + 18e-12 * bytes; }

class MapByTiming final : public MapSource {
 public:
  MapByTiming(mtbrc::Context& context, MapByTime how) : context_(context), how_(how) {}

  FoundMap find(std::vector<Answer>& answers) override;
  void take_up(const model::Layout& found) override { layout_ = found; }
  model::Parameter question_time() const override { return {}; }
  double visits() const override;
  std::size_t zones() const override { return layout_.zones.size(); }
  // The map was found with its angles: what it is worth, by blocks that nothing else used.
  FoundMap with_angles() override;
  // What the map takes, about; nullopt: it is not wanted.
  std::optional<double> expected_s() const;
  // Whether what the drive says of its places may be true.
  void believe_translation(bool is_believed) { believed_ = is_believed; }

 private:
  struct OfArm;  // the map of the blocks that an arm reaches: of all, where there is one
  FoundMap none(const std::string& why);
  Nanoseconds deadline_ns() const;
  void map_all(std::span<const std::unique_ptr<OfArm>> arms);
  void map_arm(OfArm& arm, const std::function<void(double)>& progress);
  layout_by_timing::Surfaces find_surfaces(OfArm& arm);
  void say_what_is_not_mapped(const OfArm& arm, model::Notes& notes);
  layout_by_timing::Surfaces take_layout(std::span<const std::unique_ptr<OfArm>> arms);

  mtbrc::Context& context_;
  MapByTime how_;
  bool translates_ = false;  // the drive, if not all of its places
  bool believed_ = true;
  model::Layout layout_;
};

}  // namespace platter::extract
