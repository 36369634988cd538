#include "emulator/vhost_user/channel.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "emulator/vhost_user/broken_guest.h"

namespace platter::emulator {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr int kPatience_ms = 1000;

void take_descriptors(msghdr& header, Message& message) {
  for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr;
       control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
      message.descriptors.emplace_back(descriptor);
    }
  }
}

// All of `to`, with what descriptors come along. false: the peer hung up before the first byte.
bool receive_whole(int socket, std::span<std::uint8_t> to, Message& message) {
  for (std::size_t got = 0; got < to.size();) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(Message::kMostDescriptors * sizeof(int))> control;
    iovec piece{to.data() + got, to.size() - got};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t now = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (now > 0) {
      take_descriptors(header, message);
      got += static_cast<std::size_t>(now);
    } else if (now < 0 && (errno == EAGAIN || errno == EINTR)) {
      pollfd wait{socket, POLLIN, 0};
      if (poll(&wait, 1, kPatience_ms) == 0) throw BrokenGuest{"a message has no end"};
    } else if (got == 0 && message.bytes == 0) {
      return false;
    } else {
      throw BrokenGuest{"a message is cut off"};
    }
  }
  return true;
}

}  // namespace

OwnedDescriptor& OwnedDescriptor::operator=(OwnedDescriptor&& other) noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = other.release();
  return *this;
}

OwnedDescriptor::~OwnedDescriptor() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<Message> receive(int socket) {
  Message message;
  std::array<std::uint8_t, kHeaderBytes> header{};
  if (!receive_whole(socket, header, message)) return std::nullopt;
  std::uint32_t kind = 0;
  std::memcpy(&kind, &header[0], 4);
  std::memcpy(&message.flags, &header[4], 4);
  std::memcpy(&message.bytes, &header[8], 4);
  message.kind = static_cast<MessageKind>(kind);
  if ((message.flags & Message::kVersionMask) != Message::kVersion)
    throw BrokenGuest{"it does not speak version 1 of vhost-user"};
  if (message.bytes > Message::kMostPayload)
    throw BrokenGuest{fmt::format("a message of kind {} has {} bytes", kind, message.bytes)};
  receive_whole(socket, std::span(message.payload).first(message.bytes), message);
  return message;
}

bool send(int socket, const Message& message) {
  std::array<std::uint8_t, kHeaderBytes + Message::kMostPayload> bytes{};
  const auto kind = static_cast<std::uint32_t>(message.kind);
  std::memcpy(&bytes[0], &kind, 4);
  std::memcpy(&bytes[4], &message.flags, 4);
  std::memcpy(&bytes[8], &message.bytes, 4);
  std::memcpy(&bytes[kHeaderBytes], message.payload.data(), message.bytes);
  const std::size_t size = kHeaderBytes + message.bytes;
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t now = ::send(socket, bytes.data() + sent, size - sent,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
    if (now > 0) {
      sent += static_cast<std::size_t>(now);
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return false;
    pollfd wait{socket, POLLOUT, 0};
    if (poll(&wait, 1, kPatience_ms) == 0) return false;
  }
  return true;
}

}  // namespace platter::emulator
