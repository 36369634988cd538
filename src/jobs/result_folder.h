// The folder in which a run puts its results.
#pragma once

#include <string>
#include <vector>

namespace platter::jobs {

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

}  // namespace platter::jobs
