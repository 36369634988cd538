// Where a run's map comes from. Whatever judges or uses a map asks only this door.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "extract/kept_answers.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::extract {

struct FoundMap {
  model::Layout layout;  // no zones: with the reason
  model::Notes notes;    // for a reader of the model
};

class MapSource {
 public:
  virtual ~MapSource() = default;

  // Which LBNs lie on which track, without angles. Broken off where the context's deadline passes:
  // a part of a map is of no use. What the drive said is kept in `answers`, and not asked again.
  virtual FoundMap find(std::vector<Answer>& answers) = 0;
  // A map that was found before, as find() gave it.
  virtual void take_up(const model::Layout& found) = 0;
  // What one question to the drive took in it, in ms; without samples: none was asked.
  virtual model::Parameter question_time() const = 0;
  // How many visits of tracks the angles of the map take at the least, and how many zones it has.
  virtual double visits() const = 0;
  virtual std::size_t zones() const = 0;
  // The map with angles, held against timed reads: what they contradict is not in it.
  virtual FoundMap with_angles() = 0;
};

}  // namespace platter::extract
