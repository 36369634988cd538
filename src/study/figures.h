// The figures that a study's file asks for, of its table.
#pragma once

#include <string>
#include <vector>

#include "study/table.h"

namespace platter::study {

// The names of their files, in the order of the study's plots: "NAME-1-mean_ms-by-depth.svg".
std::vector<std::string> figure_names(const Study& study);

struct Figure {
  std::string script;
  std::size_t panels = 1;  // one below the other
};

// One, for report::draw. Rows without x or y are left out; x that is no number is
// drawn in the order of the table.
Figure figure_of(const PlotSpec& plot, const Table& table);

}  // namespace platter::study
