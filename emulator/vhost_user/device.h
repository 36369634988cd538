// One connection's device: what its front end says of memory and rings, and what it is answered.
// Whoever serves it moves the messages, and watches the rings.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "emulator/vhost_user/broken_guest.h"
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
  // `host`, over these queues, and the queues outlive it.
  Device(ScsiHost& host, ScsiHost::Queues queues, unsigned drives, Notification notification);

  // Does what the message says. The reply, if it wants one. Throws BrokenGuest.
  std::optional<Message> handle(Message message);

  // The front end has started that queue.
  bool is_served(unsigned queue) const;
  // Readable when the guest has put something into the queue; -1: it is not told of by a
  // descriptor.
  int kick_descriptor(unsigned queue) const { return rings_.at(queue).kick.get(); }
  int call_descriptor(unsigned queue) const { return rings_.at(queue).call.get(); }
  // The queue that the last message kicked, if it did.
  std::optional<unsigned> take_kicked() { return std::exchange(kicked_, std::nullopt); }
  // For messages of our own; -1: the front end takes none.
  int request_socket() const { return request_socket_.get(); }

 private:
  struct Ring {
    std::uint32_t entries = 0;
    Virtqueue::Addresses addresses{};
    bool has_addresses = false, enabled = false, started = false;
    OwnedDescriptor kick{}, call{}, error{};
  };

  void set_features(const Message& message);
  void map_memory(const Message& message);
  unsigned queue_of(std::optional<std::uint64_t> index) const;
  void set_addresses(const Message& message);
  void take_descriptor(Message& message);
  void place(unsigned queue);
  Message stopped(unsigned queue);
  Message part_of_configuration(const Message& message) const;
  void check_written_configuration(const Message& message) const;

  ScsiHost& host_;
  ScsiHost::Queues queues_;
  unsigned drives_;
  Notification notification_;
  std::array<Ring, virtio::kQueues> rings_{};
  std::shared_ptr<const GuestMemory> memory_{};
  std::uint64_t features_ = 0;
  OwnedDescriptor request_socket_{};
  std::optional<unsigned> kicked_{};
};

}  // namespace platter::emulator
