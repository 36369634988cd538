// Two models side by side on standard output: what `diff` and `registry diff` print.
#pragma once

#include <string>
#include <vector>

#include "model/diff.h"

namespace platter::cli {

struct DifferencesShown {
  bool all = false, json = false;
};

// Then throws Error(differs), which names both models, where figures differ by more than their
// errors.
void print_differences(const std::vector<model::Difference>& differences, const std::string& a,
                       const std::string& b, DifferencesShown shown);

}  // namespace platter::cli
