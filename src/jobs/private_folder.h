// A folder for sockets and tables of a server, which is its owner's alone and goes with it.
#pragma once

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include "model/error.h"
#include "model/temporary_folder.h"

namespace platter::jobs {

class PrivateFolder : public model::TemporaryFolder {
 public:
  // Throws Error(output) where none can be made.
  PrivateFolder() : TemporaryFolder(model::temporary_name("platter-emulate")) {
    if (path().empty())
      throw Error(ExitStatus::output,
                  fmt::format("no folder for sockets can be made: {}; set TMPDIR to one that can "
                              "be written",
                              std::strerror(errno)));
  }
};

}  // namespace platter::jobs
