// A file in a folder of its own (TMPDIR), for what is needed as long as this lives.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "model/error.h"
#include "model/leftovers.h"

namespace platter::replay {

class TemporaryFile {
 public:
  // Its path says `name`. Throws Error(output).
  explicit TemporaryFile(const std::string& name)
      : folder_(pattern_), path_(folder_.path().empty() ? "" : folder_.file(name)) {
    if (path_.empty())
      throw Error(ExitStatus::output,
                  fmt::format("{}: no temporary folder can be made there; set TMPDIR to one that "
                              "can be written",
                              std::filesystem::path(pattern_).parent_path().string()));
  }

  const std::string& path() const { return path_; }

 private:
  std::string pattern_ = model::temporary_name("platter-result");
  model::TemporaryFolder folder_;
  std::string path_;
};

}  // namespace platter::replay
