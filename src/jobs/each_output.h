// Where what is made of each of several goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace platter::jobs {

// The folder in which a run puts its results.
// Made at once, for a run is long, and gone again if nothing came to lie in it.
class ResultFolder {
 public:
  // Throws Error(output) where it cannot be made.
  explicit ResultFolder(const std::string& path);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

 private:
  std::vector<std::string> made_;  // the innermost first
};

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
