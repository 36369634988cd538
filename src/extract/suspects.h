// Which number of a model is suspect where its self-validation fails: what the requests that it
// does not foretell have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/layout_map.h"
#include "model/drive_model.h"
#include "replay/result.h"

namespace platter::extract {

// Half-sentences, the likeliest first: numbers that are absent and count as 0; the bus time, where
// requests are the later the longer they are; seeks over some distances, writes, or ends of tracks,
// where requests of that kind are off by a revolution more often than others by more than chance
// has. `model` answered every request when the drive did; from request `from` on (counted from 0).
// Pure.
std::vector<std::string> suspects(const replay::Result& drive, const replay::Result& answers,
                                  const model::DriveModel& model, const engine::LayoutMap& map,
                                  std::size_t from);

}  // namespace platter::extract
