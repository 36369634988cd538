// One guest of a server: its socket, its device, and the SCSI host behind it.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/vhost_user/channel.h"
#include "emulator/vhost_user/device.h"
#include "emulator/vhost_user/doorbell.h"
#include "emulator/vhost_user/scsi_host.h"

namespace platter::emulator {

class ServedGuest {
 public:
  // All outlive it. `number` is no other guest's: its commands' tags, and what wakes the server.
  ServedGuest(model::Descriptor socket, std::uint32_t number, SharedDrives& drives,
              Doorbells& doorbells, Patience& patience);
  ~ServedGuest();
  ServedGuest(const ServedGuest&) = delete;
  ServedGuest& operator=(const ServedGuest&) = delete;

  std::uint32_t number() const { return number_; }
  ScsiHost& host() { return host_; }

  // What the doorbells say: of one of its queues, or that there is something on its socket.
  static std::uint32_t guest_of(std::uint64_t rung) {
    return static_cast<std::uint32_t>(rung / kNumbers);
  }
  void rung(const Doorbells::Rung& rung);
  // What it said meanwhile is done, and answered. false: it has hung up. Throws BrokenGuest.
  bool converse();

  bool has_begun() const;  // some of its queues are served
  bool has_request() const;
  bool is_torn() const { return device_.is_torn(); }
  // Takes some of what is in its queues; it came at `now_ns`. Returns how many bytes it moves.
  // Throws BrokenGuest.
  std::uint64_t serve(Nanoseconds now_ns);
  // Tells it of answers, if it wants to be told. Throws BrokenGuest.
  void call();

 private:
  static constexpr std::uint64_t kNumbers = 32;  // of queues, and the last one of the socket
  static constexpr std::uint64_t kSocket = kNumbers - 1;

  void watch_socket();
  std::uint64_t first() const { return number_ * kNumbers; }

  const std::uint32_t number_;
  Doorbells& doorbells_;
  Patience& patience_;
  model::Descriptor socket_;
  Inbox inbox_{};
  Outbox outbox_{};
  std::uint32_t events_ = EPOLLIN;  // for which its socket is watched
  bool says_something_ = false, waits_ = false, is_gone_ = false;
  std::array<Virtqueue, virtio::kQueues> queues_{};
  ScsiHost host_;
  Device device_;
};

}  // namespace platter::emulator
