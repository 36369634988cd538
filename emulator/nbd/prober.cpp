#include "emulator/nbd/prober.h"

#include <libnbd.h>

#include <utility>

namespace platter::emulator {

void Prober::Close::operator()(nbd_handle* client) const { nbd_close(client); }

Prober::Prober(std::string socket, bool in_real_time, TransportDelay& delay,
               std::function<void(const std::string&)> measured)
    : socket_(std::move(socket)),
      commands_(
          in_real_time, delay, [this] { return send(); }, std::move(measured)) {}

Prober::~Prober() = default;

std::string Prober::send() {
  std::string trouble = send_once();
  while (!trouble.empty() && comes_again_.exchange(false)) {
    client_.reset();
    trouble = send_once();
  }
  return trouble;
}

std::string Prober::send_once() {
  if (!client_) {
    client_.reset(nbd_create());
    if (!client_ || nbd_set_export_name(client_.get(), kProbeExport) != 0 ||
        nbd_connect_unix(client_.get(), socket_.c_str()) != 0)
      return nbd_get_error();
  }
  return nbd_cache(client_.get(), 512, 0, 0) == 0 ? "" : nbd_get_error();
}

}  // namespace platter::emulator
