#include "jobs/listening_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace platter::jobs {
namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    throw Error(ExitStatus::usage,
                fmt::format("{} is {} for a socket; give a path of 1 to {} bytes", path,
                            path.empty() ? "too short" : "too long", sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

int new_socket(int flags) { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0); }

bool is_served(const sockaddr_un& address) {
  const int client = new_socket(SOCK_NONBLOCK);
  const bool served = ::connect(client, reinterpret_cast<const sockaddr*>(&address),
                                sizeof address) == 0 ||
                      errno == EAGAIN;
  ::close(client);
  return served;
}

[[noreturn]] void cannot_be_made(const std::string& path, const sockaddr_un& address, int error) {
  if (error == EADDRINUSE && is_served(address))
    throw Error(ExitStatus::refused, path +
                                         " is served by another program; end that one, or give "
                                         "another path for the socket");
  if (error == EADDRINUSE)
    throw Error(ExitStatus::refused,
                path + " exists; remove it, or give another path for the socket");
  throw Error(error == EACCES || error == EPERM ? ExitStatus::permission : ExitStatus::output,
              fmt::format("{}: no socket can be made there: {}; give another path", path,
                          std::strerror(error)));
}

// Returns an errno. bind(2) never replaces what is there, and makes the file with its final mode.
int bind_privately(int socket, const sockaddr_un& address) {
  const mode_t before = ::umask(0177);
  const int error = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
                        ? 0
                        : errno;
  ::umask(before);
  return error;
}

int listening(const std::string& path) {
  const sockaddr_un address = address_of(path);
  const int socket = new_socket(0);
  if (const int error = bind_privately(socket, address)) {
    ::close(socket);
    cannot_be_made(path, address, error);
  }
  ::listen(socket, SOMAXCONN);
  return socket;
}

}  // namespace

// The name becomes a leftover once the socket is ours, and no signal comes between.
ListeningSocket::ListeningSocket(const std::string& path) {
  const model::SignalsHeld held;
  descriptor_ = listening(path);
  path_.emplace(path);
}

ListeningSocket::~ListeningSocket() {
  ::unlink(path().c_str());
  ::close(descriptor_);
}

}  // namespace platter::jobs
