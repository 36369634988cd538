// Messages over a socket.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "emulator/vhost_user/message.h"

namespace platter::emulator {

// What a peer sends, put together from the pieces in which it comes. Nothing here waits.
class Inbox {
 public:
  enum class Found { message, not_yet, end };

  // Reads what there is of the next message, which take() then gives. `end`: the peer has hung up.
  // Throws BrokenGuest for what is no message, or is cut off.
  Found look(int socket);
  Message take();

 private:
  bool has_header() const { return got_ >= header_.size(); }
  void take_header();

  std::array<std::uint8_t, 12> header_{};
  std::size_t got_ = 0;  // of the header and what follows it
  Message message_{};
};

// What a peer is sent, kept until the peer takes it.
class Outbox {
 public:
  void put(const Message& message);
  // As much as the peer takes now. false: it takes nothing any more.
  bool send(int socket);
  bool is_empty() const { return bytes_.empty(); }

 private:
  std::vector<std::uint8_t> bytes_{};
};

// For a peer that is trusted to say all that it begins to say: the next message, waited for until
// it is whole; nullopt: the peer has hung up. Throws BrokenGuest.
std::optional<Message> receive(int socket);
// false: the peer does not take it.
bool send(int socket, const Message& message);

}  // namespace platter::emulator
