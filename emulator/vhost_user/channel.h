// Messages over a socket.
#pragma once

#include <optional>
#include <string>

#include "emulator/vhost_user/message.h"

namespace platter::emulator {

// One is there, or its beginning: reads it whole, and waits for its rest no longer than a second.
// nullopt: the peer has hung up. Throws BrokenGuest for what is no message.
std::optional<Message> receive(int socket);

// false: the peer does not take it.
bool send(int socket, const Message& message);

}  // namespace platter::emulator
