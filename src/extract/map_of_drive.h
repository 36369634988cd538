// A run's map by the witness that tells it best: address translation where that adds up and is
// cheaper, else timing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extract/map_by_timing.h"
#include "extract/map_by_translation.h"
#include "extract/map_source.h"

namespace platter::extract {

class MapOfDrive final : public MapSource {
 public:
  // `name`: the device's, for sentences.
  MapOfDrive(mtbrc::Context& context, const std::string& name, std::optional<double> budget_s,
             MapByTime how)
      : context_(context), by_translation_(context, name, budget_s), by_timing_(context, how) {}

  FoundMap find(std::vector<Answer>& answers) override;
  void take_up(const model::Layout& found) override {
    by_ = found.timed ? static_cast<MapSource*>(&by_timing_) : &by_translation_;
    by_->take_up(found);
  }
  model::Parameter question_time() const override { return by_translation_.question_time(); }
  double visits() const override { return by_->visits(); }
  std::size_t zones() const override { return by_->zones(); }
  // Where timed reads contradict nearly all of what translation told, the map is made by timing.
  FoundMap with_angles() override;

 private:
  FoundMap by_timing_after(FoundMap translated, std::vector<Answer>& answers);

  mtbrc::Context& context_;
  MapByTranslation by_translation_;
  MapByTiming by_timing_;
  MapSource* by_ = &by_translation_;
};

}  // namespace platter::extract
