// What a front end says of memory and rings, right and wrong.
#include "emulator/vhost_user/device.h"

#include "catch.h"
#include "drives.h"
#include "guest.h"

using namespace platter::emulator;
using platter::emulator::testing::Guest;
using platter::emulator::testing::SmallDrives;

namespace {

struct Spoken {
  explicit Spoken(Notification notification = Notification::descriptors)
      : shared(small.drives, nullptr),
        host(shared, queues),
        device(host, queues, 3, notification) {}
  std::optional<Message> say(Message message) { return device.handle(std::move(message)); }
  template <typename... Numbers>
  std::optional<Message> say(MessageKind kind, Numbers... numbers) {
    return say(Guest::message(kind, numbers...));
  }
  void begin() {
    guest.begin([&](Message message) { say(std::move(message)); });
  }

  SmallDrives small{3};
  std::array<Virtqueue, virtio::kQueues> queues{};
  SharedDrives shared;
  ScsiHost host;
  Device device;
  Guest guest{};
};

std::string refusal(Spoken& spoken, Message message) {
  try {
    spoken.say(std::move(message));
  } catch (const BrokenGuest& guest) {
    return guest.what;
  }
  return "";
}

}  // namespace

TEST_CASE("device: what it offers", "[device]") {
  Spoken spoken;
  const auto features = spoken.say(MessageKind::get_features);
  REQUIRE(features);
  CHECK(features->flags == (Message::kVersion | Message::kReply));
  CHECK(features->number<std::uint64_t>(0) == (1ULL << 28 | 1ULL << 30 | 1ULL << 32));
  const auto protocol = spoken.say(MessageKind::get_protocol_features);
  CHECK(protocol->number<std::uint64_t>(0) == (1ULL << 0 | 1ULL << 3 | 1ULL << 5 | 1ULL << 9));
  Spoken in_band(Notification::in_band);
  CHECK(in_band.say(MessageKind::get_protocol_features)->number<std::uint64_t>(0) ==
        (1ULL << 0 | 1ULL << 3 | 1ULL << 5 | 1ULL << 9 | 1ULL << 14));
  CHECK(spoken.say(MessageKind::get_queue_num)->number<std::uint64_t>(0) ==
        std::uint64_t{virtio::kQueues});
}

TEST_CASE("device: its configuration, whole and in parts", "[device]") {
  Spoken spoken;
  const auto part = [&](std::uint32_t at, std::uint32_t bytes) {
    Message message = Guest::message(MessageKind::get_config, at, bytes, std::uint32_t{0});
    message.bytes += bytes <= 256 ? bytes : 0;
    return *spoken.say(std::move(message));
  };
  const Message whole = part(0, 36);
  CHECK(whole.bytes == 12 + 36);
  CHECK(whole.number<std::uint32_t>(12 + 0) == 1u);    // queues of commands
  CHECK(whole.number<std::uint32_t>(12 + 12) == 64u);  // commands a drive
  CHECK(whole.number<std::uint16_t>(12 + 30) == 2u);   // the last target
  CHECK(part(30, 2).number<std::uint16_t>(12) == 2u);
  CHECK(part(36, 0).bytes == 12);
  CHECK(part(36, 1).bytes == 0);
  CHECK(part(0, 37).bytes == 0);
  CHECK(part(0xffffffff, 2).bytes == 0);
  // A driver writes what it found.
  Message same = Guest::message(MessageKind::set_config, 20u, 4u, 0u, 96u);
  CHECK(refusal(spoken, std::move(same)).empty());
  Message other = Guest::message(MessageKind::set_config, 20u, 4u, 0u, 252u);
  CHECK(refusal(spoken, std::move(other)).find("another size") != std::string::npos);
  CHECK_FALSE(refusal(spoken, Guest::message(MessageKind::set_config, 36u, 4u, 0u, 1u)).empty());
  CHECK_FALSE(refusal(spoken, Guest::message(MessageKind::set_config, 20u, 4u, 0u)).empty());
}

TEST_CASE("device: a queue is served once it has all that it needs", "[device]") {
  Spoken spoken;
  spoken.begin();
  for (unsigned queue = 0; queue < 3; ++queue) CHECK(spoken.device.is_served(queue));
  CHECK_FALSE(spoken.device.is_served(3));
  spoken.say(MessageKind::set_vring_enable, 2u, 0u);
  CHECK_FALSE(spoken.device.is_served(2));
  spoken.say(MessageKind::set_vring_enable, 2u, 1u);
  CHECK(spoken.device.is_served(2));
  // Memory that is told anew has the rings at the same addresses.
  spoken.say(spoken.guest.memory_table());
  CHECK(spoken.device.is_served(2));
  const auto stopped = spoken.say(MessageKind::get_vring_base, 2u, 0u);
  CHECK(stopped->number<std::uint32_t>(4) == 0u);
  CHECK_FALSE(spoken.device.is_served(2));
}

TEST_CASE("device: a queue goes on where the front end says", "[device]") {
  Spoken spoken;
  spoken.begin();
  spoken.say(MessageKind::set_vring_base, 2u, 40u);
  CHECK(spoken.queues[2].next_index() == 40);
}

TEST_CASE("device: acknowledgements are given where they are asked for", "[device]") {
  Spoken spoken;
  CHECK_FALSE(spoken.say(MessageKind::set_owner));
  Message asked = Guest::message(MessageKind::set_owner);
  asked.flags |= Message::kNeedReply;
  const auto done = spoken.say(std::move(asked));
  REQUIRE(done);
  CHECK(done->number<std::uint64_t>(0) == 0u);
  Message unknown = Guest::message(static_cast<MessageKind>(99));
  unknown.flags |= Message::kNeedReply;
  const auto refused = spoken.say(std::move(unknown));
  REQUIRE(refused);
  CHECK(refused->number<std::uint64_t>(0) == 1u);
  CHECK_FALSE(spoken.say(static_cast<MessageKind>(99)));
}

TEST_CASE("device: a kick may come as a message", "[device]") {
  Spoken spoken(Notification::in_band);
  spoken.begin();
  CHECK_FALSE(spoken.device.take_kicked());
  spoken.say(MessageKind::vring_kick, 2u, 0u);
  CHECK(spoken.device.take_kicked() == 2u);
  CHECK_FALSE(spoken.device.take_kicked());
}

// holds: emulators.md: What a front end says
TEST_CASE("device: what a front end may not say", "[device]") {
  Spoken spoken;
  const auto refuses = [&](Message message) {
    return !refusal(spoken, std::move(message)).empty();
  };
  CHECK(refuses(Guest::message(MessageKind::set_features, std::uint64_t{1} << 29)));
  CHECK(refuses(Guest::message(MessageKind::set_features, std::uint64_t{1})));        // both ways
  CHECK_FALSE(refuses(Guest::message(MessageKind::set_features, std::uint64_t{6})));  // QEMU's own
  CHECK(refuses(Guest::message(MessageKind::set_features, 1u)));                      // too short
  CHECK(refuses(Guest::message(MessageKind::set_vring_num, 18u, 128u)));
  CHECK(refuses(Guest::message(MessageKind::set_vring_num, 2u)));
  CHECK(refuses(Guest::message(MessageKind::get_vring_base, 77u)));
  CHECK(refuses(Guest::message(MessageKind::set_vring_kick, std::uint64_t{2})));
  CHECK(refuses(Guest::message(MessageKind::set_back_end_request_fd)));
  CHECK(refuses(Guest::ring_addresses(2)));  // no memory
  CHECK(refuses(spoken.guest.memory_table(Guest::kBytes + 1)));
  CHECK(refuses(Guest::message(MessageKind::set_mem_table, 1u, 0u)));
  CHECK(refuses(Guest::message(MessageKind::set_mem_table, 4'000'000'000u, 0u)));
  Message no_file = Guest::message(MessageKind::set_mem_table, 1u, 0u, Guest::kGuestAddress,
                                   Guest::kBytes, Guest::kUserAddress, std::uint64_t{0});
  CHECK(refuses(std::move(no_file)));
  spoken.say(spoken.guest.memory_table());
  CHECK(refuses(Guest::ring_addresses(2)));  // a ring of no entries
  spoken.say(MessageKind::set_vring_num, 2u, 128u);
  CHECK_FALSE(refuses(Guest::ring_addresses(2)));
  Message odd = Guest::message(MessageKind::set_vring_addr, 2u, 0u, Guest::kUserAddress + 1,
                               Guest::kUserAddress + 0x2000, Guest::kUserAddress + 0x1000,
                               std::uint64_t{0});
  CHECK(refuses(std::move(odd)));
}
