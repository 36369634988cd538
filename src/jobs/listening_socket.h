// A Unix socket that listens, for a server of ours: its owner's alone (0600), and gone when this
// is.
#pragma once

#include <optional>
#include <string>

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

}  // namespace platter::jobs
