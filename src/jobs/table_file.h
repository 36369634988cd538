// A model compiled to a table's file.
#pragma once

#include <cstddef>
#include <string>

#include "emit/table/table.h"
#include "jobs/outputs.h"

namespace platter::jobs {

struct WrittenTable {
  emit_table::Table table;
  std::size_t bytes = 0;  // of the file
};

// The model at `path`, as `format` ("table", "csv", "c") at `file`. Says what its model's standing
// is, unless it was validated.
WrittenTable write_table(const std::string& path, const std::string& file,
                         const std::string& format, const Outputs& outputs);

}  // namespace platter::jobs
