// The report's figures of several panels, drawn for a column of text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "replay/compare.h"
#include "replay/result.h"
#include "report/plots.h"

namespace platter::report {

// Places of a curve that lie off the line between their neighbours, or below a shorter seek, by
// more than their errors allow: in words, the worst first, at most `most`.
std::vector<std::string> odd_places(const model::Seek& seek, std::size_t most = 5);

struct Shown {
  std::string label;
  const replay::Result* result;
};

// Of requests that both went to the media: a model's response time less the drive's, and the same
// folded into one revolution, which shows a platter that stands elsewhere. `comparison`: of each
// model. False: nothing can be paired, and nothing is drawn.
bool plot_error_panels(const replay::Result& drive, std::span<const Shown> models,
                       std::span<const replay::Comparison> comparisons, const std::string& path);
bool has_error_panels(std::span<const replay::Comparison> comparisons);

}  // namespace platter::report
