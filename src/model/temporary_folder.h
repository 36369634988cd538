// A folder of its own that goes away with this, and with the program.
#pragma once

#include <list>
#include <optional>
#include <string>

#include "model/leftovers.h"

namespace platter::model {

// A pattern for a name in the folder of temporary files. Throws Error(output) where there is none.
std::string temporary_name(const std::string& name);

class TemporaryFolder {
 public:
  // `pattern` ends in XXXXXX. Where it cannot be made path() is empty, and errno says why.
  explicit TemporaryFolder(std::string pattern);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // The path of a file that will lie in it.
  const std::string& file(const std::string& name);

 private:
  std::string path_;
  std::optional<Leftover> leftover_{};
  std::list<Leftover> files_{};
};

}  // namespace platter::model
