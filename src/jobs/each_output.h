// Where what is made of each of several goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/result_folder.h"

namespace platter::jobs {

// Of a single one to `output`; of several under their own names,
// with this ending, into the folder `output`, which is made.
class EachOutput {
 public:
  // Throws Error(usage) where that is a file, Error(output) where it cannot be made.
  EachOutput(const std::vector<std::string>& names, std::string output, std::string ending);
  std::string of(const std::string& name) const;

 private:
  std::string output_, ending_;
  std::optional<ResultFolder> folder_{};
};

}  // namespace platter::jobs
