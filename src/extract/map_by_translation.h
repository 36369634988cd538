// A run's map by address translation, borne out by timed reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extract/map_source.h"
#include "mtbrc/context.h"

namespace platter::extract {

class MapByTranslation final : public MapSource {
 public:
  // `name`: the device's, for sentences.
  MapByTranslation(mtbrc::Context& context, std::string name, std::optional<double> budget_s)
      : context_(context), name_(std::move(name)), budget_s_(budget_s) {}

  // Where the map would take longer than the other way, or the answers make none: no zones, and
  // the reason.
  FoundMap find(std::vector<Answer>& answers) override;
  // What a map by timing would take; nullopt: none is to be had, and translation goes on whatever
  // it takes.
  void compare_with(std::optional<double> other_way_s) { other_way_s_ = other_way_s; }
  // A map that was found before, without angles.
  void take_up(const model::Layout& found) override;
  model::Parameter question_time() const override { return question_time_; }
  double visits() const override;
  std::size_t zones() const override { return translated_.zones.size(); }
  FoundMap with_angles() override;

 private:
  mtbrc::Context& context_;
  std::string name_;
  std::optional<double> budget_s_;  // for the sentence where it ended too early
  std::optional<double> other_way_s_;
  model::Layout translated_;  // as translation tells it
  model::Parameter question_time_;
};

}  // namespace platter::extract
