// The layout that a file holds: a model's, or a table's.
#pragma once

#include <string>
#include <vector>

#include "engine/layout_map.h"
#include "model/drive_model.h"
#include "report/place_list.h"

namespace platter::jobs {

struct LoadedLayout {
  engine::LayoutMap map;
  std::vector<model::NotUnderstood> not_understood;  // a table has none of them
};

// Throws Error(bad_input) for a file without one.
LoadedLayout layout_of(const std::string& path);

// The reason at each place that lies where the layout is not understood.
void note_not_understood(const LoadedLayout& layout, std::vector<report::Place>& places);

}  // namespace platter::jobs
