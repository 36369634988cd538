// The tables with which Salam-Alada 2004, section 4.6, sums a workload up (tables 4.1, 4.2
// and 4.3): for each configuration and type of access the number of accesses and their sizes in
// bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "trace/statistics.h"

namespace platter::trace {

struct AccessRow {
  std::string configuration{};
  bool write = false;
  std::uint64_t number = 0;
  double mean_bytes = 0, median_bytes = 0, min_bytes = 0, max_bytes = 0;  // of none: 0
  double median_stride_bytes = 0;  // not in the tables; the paper's stride (appendix D)
};

// Reads first, as in the paper. The configuration is the trace's name without folder and suffix.
std::array<AccessRow, 2> access_rows(const Statistics& statistics);

// The paper's columns in the paper's order, two rows for each trace; sizes of no access are "-".
std::string access_table(std::span<const Statistics> traces);

}  // namespace platter::trace
