// A message of the vhost-user protocol as it lies on the socket: header, payload, and the file
// descriptors that come with it. QEMU's docs/interop/vhost-user.rst is the protocol's text.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "model/descriptor.h"

namespace platter::emulator {

enum class MessageKind : std::uint32_t {
  get_features = 1,
  set_features = 2,
  set_owner = 3,
  set_mem_table = 5,
  set_vring_num = 8,
  set_vring_addr = 9,
  set_vring_base = 10,
  get_vring_base = 11,
  set_vring_kick = 12,
  set_vring_call = 13,
  set_vring_err = 14,
  get_protocol_features = 15,
  set_protocol_features = 16,
  get_queue_num = 17,
  set_vring_enable = 18,
  set_back_end_request_fd = 21,
  get_config = 24,
  set_config = 25,
  vring_kick = 35,
};

struct Message {
  static constexpr std::size_t kMostPayload = 1024, kMostDescriptors = 32;
  static constexpr std::uint32_t kVersion = 1, kVersionMask = 3, kReply = 4, kNeedReply = 8;

  MessageKind kind{};
  std::uint32_t flags = kVersion;
  std::uint32_t bytes = 0;  // of the payload
  std::array<std::uint8_t, kMostPayload> payload{};
  std::vector<model::Descriptor> descriptors{};

  // A number of the payload; nullopt: it is shorter.
  template <typename Number>
  std::optional<Number> number(std::size_t at) const {
    if (at + sizeof(Number) > bytes) return std::nullopt;
    Number number{};
    std::memcpy(&number, payload.data() + at, sizeof number);
    return number;
  }
  template <typename Number>
  void append(Number number) {
    std::memcpy(payload.data() + bytes, &number, sizeof number);
    bytes += sizeof number;
  }
};

// What a guest, or its front end, says cannot be: it is not served any more. A sentence's part.
struct BrokenGuest {
  std::string what;
};

}  // namespace platter::emulator
