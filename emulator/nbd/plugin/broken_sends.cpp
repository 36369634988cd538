// nbdkit before 1.33.11 (Debian 12 has 1.32.5) ends itself, by an assertion, where a client breaks
// its connection off while several of its answers wait to be sent: one thread finds the connection
// broken, and the next one that there is none. So no answer fails to be sent here: what nobody
// receives any more is dropped, and nbdkit ends the connection when it finds nothing more to read.
// platter starts nbdkit with this plugin as LD_PRELOAD, so that its send() is this one.
#include "emulator/nbd/plugin/broken_sends.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace {

// Thousands of requests have room in a socket, each of which would have its memory and its turn
// before nbdkit came to the end of them.
void discard_requests(int socket) {
  std::array<char, 65536> requests;
  while (recv(socket, requests.data(), requests.size(), MSG_DONTWAIT) > 0) {
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) ssize_t send(int socket, const void* data,
                                                               std::size_t bytes, int flags) {
  const ssize_t sent = syscall(SYS_sendto, socket, data, bytes, flags | MSG_NOSIGNAL, nullptr,
                               socklen_t{0});
  const bool is_gone = sent < 0 && (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN);
  if (!is_gone) return sent;
  platter::emulator::nobody_receives();
  discard_requests(socket);
  return static_cast<ssize_t>(bytes);
}
