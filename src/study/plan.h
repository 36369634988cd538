// A study in parts for several machines: each part its points in a row, all of about the same
// estimated cost. Every machine makes the same plan of the same study.
#pragma once

#include <vector>

#include "study/points.h"

namespace platter::study {

struct Part {
  std::vector<std::size_t> points{};  // by their index
  double estimated_s = 0;
};

// Exactly so many, some of which may be empty.
std::vector<Part> parts_of(const Points& points, std::size_t many);

// At most `most`, and so few that a part is estimated to take this long at least: where it takes
// less, starting it takes its time.
std::size_t sensible_parts(const Points& points, std::size_t most, double least_s);

// Throws Error(bad_input) for more requests of all points together than the study's budget has;
// and, naming its trace, for a point that is estimated to take longer than a year: a point is kept
// whole or not at all, so that nobody would get it.
void require_an_end(const Study& study, const Points& points);

}  // namespace platter::study
