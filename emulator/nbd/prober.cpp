#include "emulator/nbd/prober.h"

#include <libnbd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <utility>

namespace platter::emulator {
namespace {

// libnbd has none where it is not libnbd that gave up.
std::string last_error() {
  const char* const error = nbd_get_error();
  return error != nullptr ? error : "it was given up at the end";
}

}  // namespace

void Prober::Close::operator()(nbd_handle* client) const { nbd_close(client); }

Prober::Prober(std::string socket, bool in_real_time, TransportDelay& delay,
               std::function<void(const std::string&)> measured)
    : socket_(std::move(socket)),
      commands_(
          in_real_time, delay, [this] { return send(); }, std::move(measured)) {}

Prober::~Prober() = default;

std::string Prober::send() {
  std::string trouble = send_once();
  while (!trouble.empty() && comes_again_.exchange(false) && !stays_away_) {
    client_.reset();
    trouble = send_once();
  }
  return trouble;
}

bool Prober::connect() {
  constexpr int kLook_ms = 100;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.size() >= sizeof address.sun_path)
    return nbd_connect_unix(client_.get(), socket_.c_str()) == 0;  // which says that it is too long
  socket_.copy(address.sun_path, socket_.size());
  if (nbd_aio_connect(client_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0)
    return false;
  while (nbd_aio_is_connecting(client_.get()) == 1)
    if (stays_away_ || nbd_poll(client_.get(), kLook_ms) < 0) return false;
  return nbd_aio_is_ready(client_.get()) == 1;
}

std::string Prober::send_once() {
  if (!client_) {
    client_.reset(nbd_create());
    if (!client_ || nbd_set_export_name(client_.get(), kProbeExport) != 0 || !connect())
      return last_error();
  }
  return nbd_cache(client_.get(), 512, 0, 0) == 0 ? "" : last_error();
}

}  // namespace platter::emulator
