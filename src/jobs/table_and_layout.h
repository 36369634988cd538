// Tables' files: a model compiled to one, and the layout that one or a model holds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emit/table/table.h"
#include "engine/layout_map.h"
#include "jobs/outputs.h"
#include "model/drive_model.h"
#include "report/place_list.h"

namespace platter::jobs {

struct WrittenTable {
  emit_table::Table table;
  std::size_t bytes = 0;  // of the file
};

// The model at `path`, as `format` ("table", "csv", "c") at `file`. Says what its model's standing
// is, unless it was validated.
WrittenTable write_table(const std::string& path, const std::string& file,
                         const std::string& format, const Outputs& outputs);

struct LoadedLayout {
  engine::LayoutMap map;
  std::vector<model::NotUnderstood> not_understood;  // a table has none of them
};

// Throws Error(bad_input) for a file without one.
LoadedLayout layout_of(const std::string& path);

// The reason at each place that lies where the layout is not understood.
void note_not_understood(const LoadedLayout& layout, std::vector<report::Place>& places);

}  // namespace platter::jobs
