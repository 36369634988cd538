// A guest as a test has it: its memory, its rings, and the driver's side of virtio SCSI.
#pragma once

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "emulator/vhost_user/message.h"
#include "emulator/vhost_user/virtio_scsi.h"

namespace platter::emulator::testing {

using Bytes = std::vector<std::uint8_t>;

class Guest {
 public:
  static constexpr std::uint64_t kBytes = 4U << 20, kGuestAddress = 0x10000,
                                 kUserAddress = 0x7f0000000000;
  static constexpr std::uint32_t kEntries = 128;
  static constexpr std::uint64_t kRing = 0x4000, kData = 0x100000;

  // Its requests are told from those of guests that begin with another number below 4.
  explicit Guest(std::uint16_t first_id = 0) : file_(memfd_create("guest", 0)), next_id_(first_id) {
    if (ftruncate(file_, kBytes) != 0) throw std::bad_alloc();
    memory_ = static_cast<std::uint8_t*>(
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
  }
  ~Guest() {
    munmap(memory_, kBytes);
    close(file_);
  }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  std::uint8_t* memory() { return memory_; }
  int file() const { return file_; }

  static Message message(MessageKind kind) {
    Message made;
    made.kind = kind;
    return made;
  }
  template <typename... Numbers>
  static Message message(MessageKind kind, Numbers... numbers) {
    Message made = message(kind);
    (made.append(numbers), ...);
    return made;
  }
  Message memory_table(std::uint64_t bytes = kBytes) const {
    Message made = message(MessageKind::set_mem_table, std::uint32_t{1}, std::uint32_t{0},
                           kGuestAddress, bytes, kUserAddress, std::uint64_t{0});
    made.descriptors.emplace_back(dup(file_));
    return made;
  }
  static Message ring_addresses(std::uint32_t queue) {
    const std::uint64_t ring = kUserAddress + queue * kRing;
    return message(MessageKind::set_vring_addr, queue, std::uint32_t{0}, ring, ring + 0x2000,
                   ring + 0x1000, std::uint64_t{0});
  }
  static Message with_descriptor(MessageKind kind, std::uint64_t queue, int descriptor) {
    Message made = message(kind, queue);
    made.descriptors.emplace_back(dup(descriptor));
    return made;
  }

  // What a front end says to have its queues served, each message to `send`.
  template <typename Send>
  void begin(const Send& send) {
    constexpr std::uint64_t kFeatures = std::uint64_t{1} << 28 | std::uint64_t{1} << 30 |
                                        std::uint64_t{1} << 32;
    send(message(MessageKind::set_owner));
    send(message(MessageKind::get_features));
    send(message(MessageKind::set_features, kFeatures));
    send(memory_table());
    for (std::uint32_t queue = 0; queue < 3; ++queue) {
      const std::uint64_t number = queue;
      send(message(MessageKind::set_vring_num, queue, kEntries));
      send(message(MessageKind::set_vring_base, queue, std::uint32_t{0}));
      send(ring_addresses(queue));
      send(with_descriptor(MessageKind::set_vring_call, number, call_));
      send(with_descriptor(MessageKind::set_vring_kick, number, kick_));
      send(message(MessageKind::set_vring_enable, queue, std::uint32_t{1}));
    }
  }

  struct Descriptor {
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint16_t flags, next;
  };
  void set_descriptor(std::uint32_t queue, std::uint32_t index, const Descriptor& descriptor) {
    std::memcpy(memory_ + queue * kRing + index * 16, &descriptor, 16);
  }
  std::uint16_t* available(std::uint32_t queue) {
    return reinterpret_cast<std::uint16_t*>(memory_ + queue * kRing + 0x1000);
  }
  std::uint16_t* used(std::uint32_t queue) {
    return reinterpret_cast<std::uint16_t*>(memory_ + queue * kRing + 0x2000);
  }
  void offer(std::uint32_t queue, std::uint16_t head) {
    available(queue)[2 + available(queue)[1] % kEntries] = head;
    __atomic_store_n(&available(queue)[1], static_cast<std::uint16_t>(available(queue)[1] + 1),
                     __ATOMIC_RELEASE);
  }

  // A request of these pieces to be read and to be written, from descriptor `head` on.
  // Returns the pieces' places in the memory.
  std::vector<std::uint64_t> put(std::uint32_t queue, std::uint16_t head,
                                 const std::vector<Bytes>& readable,
                                 const std::vector<std::uint32_t>& writable,
                                 bool indirect = false) {
    std::vector<Descriptor> chain;
    std::vector<std::uint64_t> places;
    for (const Bytes& piece : readable) {
      places.push_back(place(piece.size()));
      std::memcpy(memory_ + places.back(), piece.data(), piece.size());
      chain.push_back(
          {kGuestAddress + places.back(), static_cast<std::uint32_t>(piece.size()), 0, 0});
    }
    for (const std::uint32_t bytes : writable) {
      places.push_back(place(bytes));
      chain.push_back({kGuestAddress + places.back(), bytes, 2, 0});
    }
    const std::uint16_t first = indirect ? 0 : head;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      chain[i].flags |= 1;
      chain[i].next = static_cast<std::uint16_t>(first + i + 1);
    }
    if (indirect) {
      const std::uint64_t table = place(16 * chain.size());
      std::memcpy(memory_ + table, chain.data(), 16 * chain.size());
      set_descriptor(queue, head,
                     {kGuestAddress + table, static_cast<std::uint32_t>(16 * chain.size()), 4, 0});
    } else {
      for (std::size_t i = 0; i < chain.size(); ++i)
        set_descriptor(queue, static_cast<std::uint32_t>(head + i), chain[i]);
    }
    offer(queue, head);
    return places;
  }

  static Bytes lun(std::uint8_t target, std::uint8_t unit = 0) {
    return {1, target, 0x40, unit, 0, 0, 0, 0};
  }

  // A command, its answer where answer_of() finds it.
  struct Asked {
    std::uint8_t target = 0;
    Bytes cdb{};
    Bytes out{};
    std::uint32_t in = 0;
    std::uint64_t tag = 0;
    std::uint8_t attribute = 0, unit = 0;
    bool indirect = true;
    std::uint32_t queue = 2;
  };
  // Where the data of that one's answer go.
  const std::uint8_t* data_of(std::uint16_t id) const { return memory_ + answers_.at(id).data; }
  // At most kEntries / 4 are outstanding.
  std::uint16_t ask(const Asked& asked) {
    Bytes head = lun(asked.target, asked.unit);
    head.resize(19 + 32);
    std::memcpy(&head[8], &asked.tag, 8);
    head[16] = asked.attribute;
    std::copy(asked.cdb.begin(), asked.cdb.end(), head.begin() + 19);
    std::vector<Bytes> readable{head};
    if (!asked.out.empty()) readable.push_back(asked.out);
    std::vector<std::uint32_t> writable{108};
    if (asked.in > 0) writable.push_back(asked.in);
    while (answers_.at(next_id_).is_outstanding)
      next_id_ = static_cast<std::uint16_t>((next_id_ + 4) % kEntries);
    const std::uint16_t id = next_id_;
    next_id_ = static_cast<std::uint16_t>((next_id_ + 4) % kEntries);
    const auto places = put(asked.queue, id, readable, writable, asked.indirect);
    answers_.at(id) = {places[readable.size()], asked.in > 0 ? places.back() : 0, asked.in, true};
    return id;
  }

  struct Answer {
    std::uint16_t id = 0;
    std::uint32_t written = 0;
    std::uint32_t sense_bytes = 0, residual = 0;
    std::uint8_t status = 0, response = 0;
    Bytes sense{}, data{};
  };
  // The next one of that queue, if there is one.
  std::optional<Answer> answer(std::uint32_t queue = 2) {
    if (__atomic_load_n(&used(queue)[1], __ATOMIC_ACQUIRE) == seen_.at(queue)) return std::nullopt;
    std::array<std::uint32_t, 2> entry{};
    std::memcpy(entry.data(), used(queue) + 2 + 4 * (seen_.at(queue) % kEntries), 8);
    ++seen_.at(queue);
    Answer answer;
    answer.id = static_cast<std::uint16_t>(entry[0]);
    answer.written = entry[1];
    Place& place = answers_.at(answer.id);
    place.is_outstanding = false;
    const std::uint8_t* const head = memory_ + place.head;
    std::memcpy(&answer.sense_bytes, head, 4);
    std::memcpy(&answer.residual, head + 4, 4);
    answer.status = head[10];
    answer.response = head[11];
    answer.sense.assign(head + 12, head + 12 + std::min<std::uint32_t>(answer.sense_bytes, 96));
    answer.data.assign(memory_ + place.data, memory_ + place.data + place.bytes);
    return answer;
  }

  // A request to manage tasks; its response is the last byte of the control queue's answer.
  std::uint64_t manage(virtio::Task task, std::uint8_t target, std::uint64_t tag,
                       std::uint8_t unit = 0) {
    Bytes request(24);
    const auto kind = static_cast<std::uint32_t>(task);
    std::memcpy(&request[4], &kind, 4);
    const Bytes address = lun(target, unit);
    std::copy(address.begin(), address.end(), request.begin() + 8);
    std::memcpy(&request[16], &tag, 8);
    return put(0, 0, {request}, {1}).back();
  }

  int kick_descriptor() const { return kick_; }
  int call_descriptor() const { return call_; }
  void kick() { eventfd_write(kick_, 1); }

 private:
  struct Place {
    std::uint64_t head = 0, data = 0;
    std::uint32_t bytes = 0;
    bool is_outstanding = false;
  };
  // Round and round: what was asked long ago is answered.
  std::uint64_t place(std::uint64_t bytes) {
    if (next_ + bytes > kBytes) next_ = kData;
    const std::uint64_t found = next_;
    next_ += (bytes + 63) / 64 * 64;
    return found;
  }

  int file_;
  int kick_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), call_ = eventfd(0, EFD_CLOEXEC);
  std::uint8_t* memory_ = nullptr;
  std::uint64_t next_ = kData;
  std::uint16_t next_id_;
  std::array<Place, kEntries> answers_{};
  std::array<std::uint16_t, 3> seen_{};
};

// A message with its descriptors. false: it was not taken whole.
inline bool say(int socket, const Message& message) {
  Bytes bytes(12 + message.bytes);
  const auto kind = static_cast<std::uint32_t>(message.kind);
  std::memcpy(&bytes[0], &kind, 4);
  std::memcpy(&bytes[4], &message.flags, 4);
  std::memcpy(&bytes[8], &message.bytes, 4);
  std::copy_n(message.payload.begin(), message.bytes, bytes.begin() + 12);
  iovec piece{bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  if (!message.descriptors.empty()) {
    const std::size_t size = message.descriptors.size() * sizeof(int);
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(size);
    cmsghdr* const first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(size);
    for (std::size_t i = 0; i < message.descriptors.size(); ++i) {
      const int descriptor = message.descriptors[i].get();
      std::memcpy(CMSG_DATA(first) + i * sizeof(int), &descriptor, sizeof(int));
    }
  }
  return ::sendmsg(socket, &header, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

}  // namespace platter::emulator::testing
