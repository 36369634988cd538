// One connection's device: what its front end says of memory and rings, and what it is answered.
// Whoever serves it moves the messages, and watches the rings.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/vhost_user/doorbell.h"
#include "emulator/vhost_user/guest_memory.h"
#include "emulator/vhost_user/message.h"
#include "emulator/vhost_user/scsi_host.h"
#include "emulator/vhost_user/virtqueue.h"

namespace platter::emulator {

// How a guest and a device tell each other that something is in a ring.
enum class Notification {
  descriptors,  // eventfds
  in_band,      // messages: in simulated time, nothing may happen that nobody waits for
};

class Device {
 public:
  // Where its kicks are watched: queue i under the number `first` + i.
  struct Watch {
    Doorbells* doorbells = nullptr;
    std::uint64_t first = 0;
  };
  // `host`, over these queues, the queues and the doorbells outlive it.
  Device(ScsiHost& host, ScsiHost::Queues queues, unsigned drives, Notification notification,
         Watch watch);
  Device(ScsiHost& host, ScsiHost::Queues queues, unsigned drives, Notification notification)
      : Device(host, queues, drives, notification, Watch{}) {}

  // Does what the message says. The reply, if it wants one. Throws BrokenGuest.
  std::optional<Message> handle(Message message);
  // The front end stops a queue of which requests are outstanding: no message may be handled before
  // they are answered and stopped() has given the reply.
  std::optional<unsigned> stopping() const { return stopping_; }
  std::optional<Message> stopped();

  // The front end has started that queue.
  bool is_served(unsigned queue) const;
  // Something was kicked.
  void drain_kick(unsigned queue, Patience& patience) const {
    rings_.at(queue).kick.drain(patience);
  }
  int call_descriptor(unsigned queue) const { return rings_.at(queue).call.get(); }
  // The queue that the last message kicked, if it did.
  std::optional<unsigned> take_kicked() { return std::exchange(kicked_, std::nullopt); }
  // For messages of our own; -1: the front end takes none.
  int request_socket() const { return request_socket_.get(); }
  bool is_torn() const { return memory_ && memory_->is_torn(); }

 private:
  struct Ring {
    std::uint32_t entries = 0;
    Virtqueue::Addresses addresses{};
    bool has_addresses = false, enabled = false, started = false;
    Kick kick{};
    model::Descriptor call{}, error{};
  };

  void set_features(const Message& message);
  void map_memory(const Message& message);
  unsigned queue_of(std::optional<std::uint64_t> index) const;
  void set_addresses(const Message& message);
  void take_descriptor(Message& message);
  void place(unsigned queue);
  void stop(unsigned queue);
  Message part_of_configuration(const Message& message) const;
  void check_written_configuration(const Message& message) const;

  ScsiHost& host_;
  ScsiHost::Queues queues_;
  unsigned drives_;
  Notification notification_;
  Watch watch_;
  std::array<Ring, virtio::kQueues> rings_{};
  std::shared_ptr<const GuestMemory> memory_{};
  std::vector<std::weak_ptr<const GuestMemory>> earlier_{};  // which requests may still need
  std::uint64_t features_ = 0;
  model::Descriptor request_socket_{};
  std::optional<unsigned> kicked_{}, stopping_{};
};

}  // namespace platter::emulator
