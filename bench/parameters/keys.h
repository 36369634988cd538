// The parameters of a model by the keys of the schema, each with other values that it could have.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::bench {

using Change = std::function<void(model::DriveModel&)>;

// A number that an engine may use: a member of rotation, of the layout's nodes, skips and remaps,
// of the seek curve's points, of cache, overheads, bus or queue, or one of the three times beside
// them. What belongs to arrays stands for all of their elements.
struct Key {
  std::string path;
  bool stated = false;          // the model has a value
  std::vector<Change> changes;  // some make no possible model
};

std::vector<Key> keys_of(const model::DriveModel& model);

}  // namespace platter::bench
