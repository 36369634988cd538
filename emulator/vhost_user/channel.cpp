#include "emulator/vhost_user/channel.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

#include "emulator/vhost_user/foreign_file.h"

namespace platter::emulator {
namespace {

constexpr int kPatience_ms = 10'000;

// They are ours to close from here on, also if the message is none.
void take_descriptors(msghdr& header, Message& message) {
  bool foreign = false;
  for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr;
       control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
      foreign = foreign || !is_local(descriptor);
      if (foreign)
        close_apart(descriptor);
      else
        message.descriptors.emplace_back(descriptor);
    }
  }
  if (foreign) throw BrokenGuest{"a descriptor is of a program, a device or another host"};
  if (message.descriptors.size() > Message::kMostDescriptors)
    throw BrokenGuest{"a message has too many descriptors"};
}

// As recv(2), with what descriptors come along.
ssize_t receive_some(int socket, std::span<std::uint8_t> to, Message& message) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(Message::kMostDescriptors * sizeof(int))> control;
  iovec piece{to.data(), to.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  message.descriptors.reserve(2 * Message::kMostDescriptors);  // then none is lost for want of room
  const ssize_t got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got > 0) take_descriptors(header, message);
  return got;
}

bool wait_for(int socket, short events) {
  pollfd wait{socket, events, 0};
  return poll(&wait, 1, kPatience_ms) != 0;
}

}  // namespace

Inbox::Found Inbox::look(int socket) {
  for (;;) {
    const std::size_t whole = header_.size() + message_.bytes;
    if (has_header() && got_ == whole) return Found::message;
    const auto to = has_header()
                        ? std::span(message_.payload).subspan(got_ - header_.size(), whole - got_)
                        : std::span(header_).subspan(got_);
    const ssize_t now = receive_some(socket, to, message_);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0 && errno == EAGAIN) return Found::not_yet;
    if (now <= 0 && got_ == 0) return Found::end;
    if (now <= 0) throw BrokenGuest{"a message is cut off"};
    got_ += static_cast<std::size_t>(now);
    if (got_ == header_.size() && message_.bytes == 0) take_header();
  }
}

void Inbox::take_header() {
  std::uint32_t kind = 0, bytes = 0;
  std::memcpy(&kind, &header_[0], 4);
  std::memcpy(&message_.flags, &header_[4], 4);
  std::memcpy(&bytes, &header_[8], 4);
  message_.kind = static_cast<MessageKind>(kind);
  if ((message_.flags & Message::kVersionMask) != Message::kVersion)
    throw BrokenGuest{"it does not speak version 1 of vhost-user"};
  if (bytes > Message::kMostPayload)
    throw BrokenGuest{fmt::format("a message of kind {} has {} bytes", kind, bytes)};
  message_.bytes = bytes;
}

Message Inbox::take() {
  got_ = 0;
  return std::exchange(message_, Message());
}

void Outbox::put(const Message& message) {
  const auto add = [this](const void* from, std::size_t size) {
    const auto* const bytes = static_cast<const std::uint8_t*>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  };
  add(&message.kind, 4);
  add(&message.flags, 4);
  add(&message.bytes, 4);
  add(message.payload.data(), message.bytes);
}

bool Outbox::send(int socket) {
  while (!bytes_.empty()) {
    const ssize_t now = ::send(socket, bytes_.data(), bytes_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return now < 0 && errno == EAGAIN;
    bytes_.erase(bytes_.begin(), bytes_.begin() + now);
  }
  return true;
}

std::optional<Message> receive(int socket) {
  Inbox inbox;
  for (;;) switch (inbox.look(socket)) {
      case Inbox::Found::message:
        return inbox.take();
      case Inbox::Found::end:
        return std::nullopt;
      case Inbox::Found::not_yet:
        if (!wait_for(socket, POLLIN)) throw BrokenGuest{"a message has no end"};
    }
}

bool send(int socket, const Message& message) {
  Outbox outbox;
  outbox.put(message);
  while (outbox.send(socket)) {
    if (outbox.is_empty()) return true;
    if (!wait_for(socket, POLLOUT)) return false;
  }
  return false;
}

}  // namespace platter::emulator
