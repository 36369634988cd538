#include "emulator/nbd/prober.h"

#include <libnbd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <utility>

namespace platter::emulator {
namespace {

// libnbd has none where it is not libnbd that gave up.
std::string last_error() {
  const char* const error = nbd_get_error();
  return error != nullptr ? error : "it was given up at the end";
}

std::uint64_t second_half(std::uint32_t block_bytes, std::uint64_t bytes) {
  return bytes / 2 / block_bytes * block_bytes;
}

}  // namespace

void Prober::Close::operator()(nbd_handle* client) const { nbd_close(client); }

Prober::Prober(std::string socket, std::uint32_t block_bytes, std::uint64_t bytes,
               bool in_real_time, TransportDelay& delay,
               std::function<void(const std::string&)> measured)
    : socket_(std::move(socket)),
      block_bytes_(block_bytes),
      awake_from_(second_half(block_bytes, bytes)),
      data_(std::min<std::uint64_t>(TransportDelay::kBytes.back(), awake_from_)),
      commands_(
          in_real_time, data_.size(), delay, [this](const NullCommand& what) { return send(what); },
          std::move(measured)) {}

Prober::~Prober() = default;

std::string Prober::send(const NullCommand& what) {
  std::string trouble = send_once(what);
  while (!trouble.empty() && comes_again_.exchange(false) && !stays_away_) {
    client_.reset();
    trouble = send_once(what);
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

std::string Prober::send_once(const NullCommand& what) {
  if (!client_) {
    client_.reset(nbd_create());
    if (!client_ || nbd_set_export_name(client_.get(), kProbeExport) != 0 || !connect())
      return last_error();
  }
  // Whole blocks: a block of more bytes than are measured counts as those.
  const std::size_t blocks = std::max<std::size_t>(
      TransportDelay::kBytes[what.bytes_at] / block_bytes_, 1);
  const std::size_t bytes = std::min(blocks * block_bytes_, data_.size());
  const std::uint64_t from = what.awake ? awake_from_ : 0;
  const int sent = what.data == NullCommand::Data::write
                       ? nbd_pwrite(client_.get(), data_.data(), bytes, from, 0)
                       : nbd_pread(client_.get(), data_.data(), bytes, from, 0);
  return sent == 0 ? "" : last_error();
}

}  // namespace platter::emulator
