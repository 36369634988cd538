// A Unix socket that listens, for a server of ours: its owner's alone (0600), and gone when this
// is.
#pragma once

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "model/error.h"
#include "model/leftovers.h"

namespace platter::jobs {

class ListeningSocket {
 public:
  // Throws Error(refused) if something of that name is there, served or not, Error(usage) for a
  // path that is too long for a socket, Error(permission, output).
  explicit ListeningSocket(const std::string& path);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_->path(); }

 private:
  int descriptor_ = -1;
  std::optional<model::Leftover> path_{};
};

// A folder for sockets and tables of a server, which is its owner's alone and goes with it.
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
