#include "emulator/vhost_user/device.h"

#include <fmt/core.h>

#include <algorithm>

#include "emulator/vhost_user/foreign_file.h"

namespace platter::emulator {
namespace {

constexpr std::uint64_t bit(unsigned number) { return std::uint64_t{1} << number; }

// Features of the device, and one that says that there are features of the protocol.
constexpr unsigned kIndirectDescriptors = 28, kProtocolFeatures = 30, kVersion1 = 32;
constexpr std::uint64_t kFeatures = bit(kIndirectDescriptors) | bit(kProtocolFeatures) |
                                    bit(kVersion1);
// A front end may have them of its own: they speak of events, of which there are none.
constexpr unsigned kHotplug = 1, kChange = 2;
constexpr std::uint64_t kHarmless = bit(kHotplug) | bit(kChange);
// Features of the protocol.
constexpr unsigned kManyQueues = 0, kReplyAck = 3, kBackEndRequests = 5, kConfiguration = 9,
                   kInBandNotifications = 14;

constexpr std::uint64_t protocol_features(Notification notification) {
  const std::uint64_t common = bit(kManyQueues) | bit(kBackEndRequests) | bit(kConfiguration) |
                               bit(kReplyAck);
  return notification == Notification::in_band ? common | bit(kInBandNotifications) : common;
}

constexpr std::uint64_t kNoDescriptor = 0x100;  // in the payload of SET_VRING_KICK and its kin
constexpr std::size_t kRegionBytes = 32, kMostRegions = 31, kMostMemories = 4;

Message reply_to(const Message& message) {
  Message reply;
  reply.kind = message.kind;
  reply.flags = Message::kVersion | Message::kReply;
  return reply;
}

template <typename Number>
Message reply_with(const Message& message, Number number) {
  Message reply = reply_to(message);
  reply.append(number);
  return reply;
}

template <typename Number>
Number required(std::optional<Number> number) {
  if (!number) throw BrokenGuest{"a message is too short"};
  return *number;
}

}  // namespace

Device::Device(ScsiHost& host, ScsiHost::Queues queues, unsigned drives, Notification notification,
               Watch watch)
    : host_(host), queues_(queues), drives_(drives), notification_(notification), watch_(watch) {
  for (Virtqueue& queue : queues_) {
    queue.remove();
    queue.set_next_index(0);
  }
}

std::optional<Message> Device::handle(Message message) {
  const auto index = message.number<std::uint32_t>(0);
  switch (message.kind) {
    case MessageKind::get_features:
      return reply_with(message, kFeatures);
    case MessageKind::get_protocol_features:
      return reply_with(message, protocol_features(notification_));
    case MessageKind::get_queue_num:
      return reply_with(message, std::uint64_t{virtio::kQueues});
    case MessageKind::get_vring_base:
      stop(queue_of(index));
      return stopped();
    case MessageKind::get_config:
      return part_of_configuration(message);
    case MessageKind::set_features:
      set_features(message);
      break;
    case MessageKind::set_mem_table:
      map_memory(message);
      break;
    case MessageKind::set_vring_num:
      rings_.at(queue_of(index)).entries = required(message.number<std::uint32_t>(4));
      break;
    case MessageKind::set_vring_addr:
      set_addresses(message);
      break;
    case MessageKind::set_vring_base:
      queues_[queue_of(index)].set_next_index(
          static_cast<std::uint16_t>(required(message.number<std::uint32_t>(4))));
      break;
    case MessageKind::set_vring_kick:
    case MessageKind::set_vring_call:
    case MessageKind::set_vring_err:
      take_descriptor(message);
      break;
    case MessageKind::set_vring_enable:
      rings_.at(queue_of(index)).enabled = required(message.number<std::uint32_t>(4)) != 0;
      break;
    case MessageKind::set_back_end_request_fd:
      if (message.descriptors.size() != 1) throw BrokenGuest{"a socket of its own is missing"};
      request_socket_ = std::move(message.descriptors.front());
      break;
    case MessageKind::set_config:
      check_written_configuration(message);
      break;
    case MessageKind::vring_kick:
      kicked_ = queue_of(index);
      break;
    case MessageKind::set_owner:
    case MessageKind::set_protocol_features:
      break;
    default:
      if ((message.flags & Message::kNeedReply) != 0) return reply_with(message, std::uint64_t{1});
      return std::nullopt;
  }
  if ((message.flags & Message::kNeedReply) != 0) return reply_with(message, std::uint64_t{0});
  return std::nullopt;
}

void Device::set_features(const Message& message) {
  features_ = required(message.number<std::uint64_t>(0));
  if (const std::uint64_t others = features_ & ~kFeatures & ~kHarmless; others != 0)
    throw BrokenGuest{fmt::format("it asks for features that were not offered ({:#x})", others)};
}

void Device::map_memory(const Message& message) {
  const auto count = required(message.number<std::uint32_t>(0));
  if (count > kMostRegions || count != message.descriptors.size())
    throw BrokenGuest{
        fmt::format("its memory has {} regions and {} files", count, message.descriptors.size())};
  std::vector<MemoryRegion> regions;
  std::vector<int> files;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto field = [&](std::size_t number) {
      return required(message.number<std::uint64_t>(8 + i * kRegionBytes + 8 * number));
    };
    regions.push_back({field(0), field(1), field(2), field(3)});
    files.push_back(message.descriptors[i].get());
  }
  std::erase_if(earlier_, [](const auto& each) { return each.expired(); });
  if (earlier_.size() >= kMostMemories)
    throw BrokenGuest{"requests are outstanding in too many memories that it had before"};
  if (memory_) earlier_.push_back(memory_);
  memory_ = GuestMemory::map(regions, files);
  if (!memory_) throw BrokenGuest{"its memory cannot be mapped"};
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (rings_.at(queue).has_addresses) place(queue);
}

unsigned Device::queue_of(std::optional<std::uint64_t> index) const {
  const std::uint64_t queue = required(index);
  if (queue >= virtio::kQueues) throw BrokenGuest{fmt::format("there is no queue {}", queue)};
  return static_cast<unsigned>(queue);
}

void Device::set_addresses(const Message& message) {
  const unsigned queue = queue_of(message.number<std::uint32_t>(0));
  const auto field = [&](std::size_t at) { return required(message.number<std::uint64_t>(at)); };
  Ring& ring = rings_.at(queue);
  ring.addresses = {.descriptors = field(8), .used = field(16), .available = field(24)};
  place(queue);
  ring.has_addresses = true;
}

void Device::place(unsigned queue) {
  const Ring& ring = rings_.at(queue);
  if (!queues_[queue].place(memory_, ring.entries, ring.addresses))
    throw BrokenGuest{
        fmt::format("ring {} of {} entries is not in its memory", queue, ring.entries)};
}

void Device::take_descriptor(Message& message) {
  const auto what = required(message.number<std::uint64_t>(0));
  Ring& ring = rings_.at(queue_of(what & 0xff));
  model::Descriptor descriptor;
  if ((what & kNoDescriptor) == 0) {
    if (message.descriptors.size() != 1) throw BrokenGuest{"a descriptor of a ring is missing"};
    descriptor = std::move(message.descriptors.front());
    if (!is_kernels(descriptor.get()))
      throw BrokenGuest{"a descriptor of a ring is no eventfd, pipe or Unix socket"};
  }
  if (message.kind == MessageKind::set_vring_call) {
    ring.call = std::move(descriptor);
  } else if (message.kind == MessageKind::set_vring_err) {
    ring.error = std::move(descriptor);
  } else {
    const std::uint64_t number = watch_.first + (what & 0xff);
    ring.kick = descriptor.get() < 0 ? Kick()
                                     : Kick(std::move(descriptor), watch_.doorbells, number);
    if (watch_.doorbells != nullptr && (what & kNoDescriptor) == 0 && !ring.kick.is_watched())
      throw BrokenGuest{"a kick's descriptor cannot be watched"};
    ring.started = true;
  }
}

// Without features of the protocol, rings are enabled from the beginning.
bool Device::is_served(unsigned queue) const {
  const Ring& ring = rings_.at(queue);
  const bool enabled = ring.enabled || (features_ & bit(kProtocolFeatures)) == 0;
  return ring.started && enabled && queues_[queue].is_placed();
}

void Device::stop(unsigned queue) {
  Ring& ring = rings_.at(queue);
  ring.started = ring.has_addresses = false;
  ring.kick = Kick();
  stopping_ = queue;
}

std::optional<Message> Device::stopped() {
  if (!stopping_) return std::nullopt;
  host_.forget_stuck(*stopping_);
  if (host_.is_outstanding(*stopping_)) return std::nullopt;
  const unsigned queue = *std::exchange(stopping_, std::nullopt);
  queues_[queue].remove();
  Message reply;
  reply.kind = MessageKind::get_vring_base;
  reply.flags = Message::kVersion | Message::kReply;
  reply.append(std::uint32_t{queue});
  reply.append(std::uint32_t{queues_[queue].next_index()});
  return reply;
}

// An empty reply says that there is no such part.
Message Device::part_of_configuration(const Message& message) const {
  const auto at = required(message.number<std::uint32_t>(0));
  const auto size = required(message.number<std::uint32_t>(4));
  const auto flags = required(message.number<std::uint32_t>(8));
  const auto whole = virtio::configuration(drives_);
  Message reply = reply_to(message);
  if (at > whole.size() || size > whole.size() - at) return reply;
  reply.append(at);
  reply.append(size);
  reply.append(flags);
  std::copy_n(whole.begin() + at, size, reply.payload.begin() + reply.bytes);
  reply.bytes += size;
  return reply;
}

// A driver may set the sizes of sense data and CDBs; others than those offered are not served.
void Device::check_written_configuration(const Message& message) const {
  const auto at = required(message.number<std::uint32_t>(0));
  const auto size = required(message.number<std::uint32_t>(4));
  constexpr std::size_t kHead = 12;
  const auto whole = virtio::configuration(drives_);
  const bool same =
      at <= whole.size() && size <= whole.size() - at && message.bytes == kHead + size &&
      std::equal(whole.begin() + at, whole.begin() + at + size, message.payload.begin() + kHead);
  if (!same) throw BrokenGuest{"it sets another size of CDBs or sense data than was offered"};
}

}  // namespace platter::emulator
