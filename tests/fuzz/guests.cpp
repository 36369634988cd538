// Guests of emulated drives: what a front end says, and what lies in the memory that it shares; and
// the logs of emulations, which anybody may have written.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "emulator/check/check_log.h"
#include "emulator/contents/contents_file.h"
#include "emulator/vhost_user/device.h"
#include "emulator/vhost_user/served_guest.h"
#include "engine/tables.h"
#include "fuzz/targets.h"
#include "replay/small_drive.h"

namespace platter::fuzz {
namespace {

using namespace emulator;

model::DriveModel drive_model() {
  model::DriveModel model = replay::testing::drive_model(true);
  model.firmware = model::Firmware{};
  model.firmware->scsi_level = "SPC-4";
  return model;
}

struct Drives {
  Drives() : contents(drive_model().identity.blocks * 512) {
    for (unsigned i = 0; i < 2; ++i)
      all.push_back(std::make_unique<ScsiDrive>(ScsiDriveSettings{"small", drive_model(), ""}, i,
                                                contents, nullptr));
  }
  ContentsFile contents;
  std::vector<std::unique_ptr<ScsiDrive>> all;
};

class Memory {
 public:
  static constexpr std::uint64_t kBytes = 256 * 1024, kGuestAddress = 0x1000,
                                 kUserAddress = 0x40000000;
  Memory() : file_(memfd_create("guest", 0)) {
    require(ftruncate(file_, kBytes) == 0, "memory");
    bytes_ = static_cast<std::uint8_t*>(
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
  }
  void clear() { std::memset(bytes_, 0, kBytes); }
  void write(std::uint64_t at, std::string_view bytes) {
    at %= kBytes;
    std::memcpy(bytes_ + at, bytes.data(), std::min<std::uint64_t>(bytes.size(), kBytes - at));
  }
  int file() const { return file_; }

 private:
  int file_;
  std::uint8_t* bytes_;
};

// The input as a list of things to do.
class Doings {
 public:
  explicit Doings(const std::string& bytes) : rest_(bytes) {}
  bool any() const { return !rest_.empty(); }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::string_view taken = text(bytes);
    std::memcpy(&value, taken.data(), taken.size());
    return value;
  }
  std::string_view text(std::size_t bytes) {
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

template <typename... Numbers>
Message message(MessageKind kind, Numbers... numbers) {
  Message made;
  made.kind = kind;
  (made.append(numbers), ...);
  return made;
}

void begin(Device& device, const Memory& memory) {
  device.handle(message(MessageKind::set_features,
                        std::uint64_t{1} << 28 | std::uint64_t{1} << 30 | std::uint64_t{1} << 32));
  Message table = message(MessageKind::set_mem_table, 1u, 0u, Memory::kGuestAddress, Memory::kBytes,
                          Memory::kUserAddress, std::uint64_t{0});
  table.descriptors.emplace_back(dup(memory.file()));
  device.handle(std::move(table));
  for (std::uint32_t queue = 0; queue < 3; ++queue) {
    const std::uint64_t ring = Memory::kUserAddress + queue * 0x1000;
    device.handle(message(MessageKind::set_vring_num, queue, 32u));
    device.handle(message(MessageKind::set_vring_addr, queue, 0u, ring, ring + 0x800, ring + 0x400,
                          std::uint64_t{0}));
    device.handle(message(MessageKind::set_vring_kick, std::uint64_t{queue | 0x100}));
    device.handle(message(MessageKind::set_vring_enable, queue, 1u));
  }
}

void speak(Device& device, const Memory& memory, Doings& doings) {
  Message said;
  said.kind = static_cast<MessageKind>(doings.number(1));
  said.flags = Message::kVersion | static_cast<std::uint32_t>(doings.number(1) & 8);
  for (auto files = doings.number(1) % 4; files > 0; --files)
    said.descriptors.emplace_back(dup(memory.file()));
  for (const char byte : doings.text(doings.number(1))) said.append(byte);
  const auto reply = device.handle(std::move(said));
  require(!reply || reply->bytes <= Message::kMostPayload, "a reply is a message");
}

void guest(const std::string& bytes) {
  static Drives drives;
  static Memory memory;
  static Nanoseconds now_ns = 0;
  memory.clear();
  std::array<Virtqueue, virtio::kQueues> queues{};
  SharedDrives shared(drives.all, nullptr);
  ScsiHost host(shared, queues);
  Device device(host, queues, 2, Notification::in_band);
  Doings doings(bytes);
  try {
    while (doings.any()) switch (doings.number(1) % 4) {
        case 0:
          begin(device, memory);
          break;
        case 1:
          speak(device, memory, doings);
          break;
        case 2: {
          const std::uint64_t at = doings.number(3);
          memory.write(at, doings.text(doings.number(1)));
          break;
        }
        default:
          now_ns += kSecond;
          for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
            if (device.is_served(queue)) host.serve(queue, now_ns);
          for (int i = 0; i < 40 && host.deliver(now_ns + kSecond); ++i) {
          }
      }
  } catch (const BrokenGuest& broken) {
    require(!broken.what.empty(), "a sentence");
  }
  host.forget(now_ns += kSecond);
  require(host.outstanding() == 0, "nothing is outstanding of a guest that is gone");
}

// A front end at the other end of a socket, with descriptors of its own that it may send.
class FrontEnd {
 public:
  FrontEnd() : memory_(memfd_create("guest", 0)), event_(eventfd(0, EFD_NONBLOCK)) {
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()) == 0 &&
                pipe2(pipe_.data(), O_NONBLOCK) == 0 && resize(Memory::kBytes),
            "a front end");
  }
  ~FrontEnd() {
    for (const int descriptor : {memory_, event_, ends_[1], pipe_[0], pipe_[1]}) close(descriptor);
  }
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  model::Descriptor server_end() { return model::Descriptor(ends_[0]); }
  bool resize(std::uint64_t bytes) const {
    return ftruncate(memory_, static_cast<off_t>(bytes)) == 0;
  }
  void write_memory(std::uint64_t at, std::string_view bytes) const {
    at %= Memory::kBytes;
    static_cast<void>(pwrite(memory_, bytes.data(),
                             std::min<std::uint64_t>(bytes.size(), Memory::kBytes - at),
                             static_cast<off_t>(at)));
  }
  // `which`: of its descriptors, two bits each.
  void send(std::string_view bytes, unsigned count, unsigned which) const {
    const std::array<int, 4> own{memory_, event_, pipe_[0], pipe_[1]};
    std::array<int, 4> sent{};
    for (unsigned i = 0; i < count; ++i) sent.at(i) = own.at(which >> 2 * i & 3);
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof sent)> control{};
    iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    if (count > 0) {
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(count * sizeof(int));
      cmsghdr* const first = CMSG_FIRSTHDR(&header);
      first->cmsg_level = SOL_SOCKET;
      first->cmsg_type = SCM_RIGHTS;
      first->cmsg_len = CMSG_LEN(count * sizeof(int));
      std::memcpy(CMSG_DATA(first), sent.data(), count * sizeof(int));
    }
    sendmsg(ends_[1], &header, MSG_NOSIGNAL);
  }
  void say(MessageKind kind, std::string_view payload, unsigned count = 0, unsigned which = 0,
           std::uint32_t flags = Message::kVersion) const {
    const std::array<std::uint32_t, 3> header{static_cast<std::uint32_t>(kind), flags,
                                              static_cast<std::uint32_t>(payload.size())};
    std::string bytes(reinterpret_cast<const char*>(header.data()), sizeof header);
    send(bytes.append(payload), count, which);
  }
  void begin() const {
    const auto payload = [](auto... numbers) {
      const Message made = message(MessageKind::set_owner, numbers...);
      return std::string(reinterpret_cast<const char*>(made.payload.data()), made.bytes);
    };
    say(MessageKind::set_features,
        payload(std::uint64_t{1} << 28 | std::uint64_t{1} << 30 | std::uint64_t{1} << 32));
    say(MessageKind::set_mem_table,
        payload(1u, 0u, Memory::kGuestAddress, Memory::kBytes, Memory::kUserAddress,
                std::uint64_t{0}),
        1, 0);
    for (std::uint32_t queue = 0; queue < 3; ++queue) {
      const std::uint64_t ring = Memory::kUserAddress + queue * 0x1000;
      say(MessageKind::set_vring_num, payload(queue, 32u));
      say(MessageKind::set_vring_addr,
          payload(queue, 0u, ring, ring + 0x800, ring + 0x400, std::uint64_t{0}));
      say(MessageKind::set_vring_call, payload(std::uint64_t{queue}), 1, queue == 0 ? 1 : 3);
      say(MessageKind::set_vring_kick, payload(std::uint64_t{queue}), 1, queue == 0 ? 1 : 2);
      say(MessageKind::set_vring_enable, payload(queue, 1u));
    }
  }
  void hang_up() const { shutdown(ends_[1], SHUT_WR); }

 private:
  int memory_, event_;
  std::array<int, 2> ends_{}, pipe_{};
};

void do_one(const FrontEnd& front_end, Doings& doings) {
  switch (doings.number(1) % 7) {
    case 0:
      return front_end.begin();
    case 1: {
      const auto kind = static_cast<MessageKind>(doings.number(1));
      const auto flags = static_cast<std::uint32_t>(Message::kVersion | (doings.number(1) & 8));
      const auto count = static_cast<unsigned>(doings.number(1) % 5);
      const auto which = static_cast<unsigned>(doings.number(1));
      return front_end.say(kind, doings.text(doings.number(1)), count, which, flags);
    }
    case 2:
      return front_end.send(doings.text(doings.number(1)),
                            static_cast<unsigned>(doings.number(1) % 5),
                            static_cast<unsigned>(doings.number(1)));
    case 3: {
      const std::uint64_t at = doings.number(3);
      return front_end.write_memory(at, doings.text(doings.number(1)));
    }
    case 4:
      front_end.resize(doings.number(3));
      return;
    case 5:
      return front_end.hang_up();
    default:
      return;
  }
}

// The same guest as a server has it, over a socket, and memory that may be cut off.
void guest_socket(const std::string& bytes) {
  static Drives drives;
  static Nanoseconds now_ns = 0;
  static Patience patience;
  Doorbells doorbells;
  SharedDrives shared(drives.all, nullptr);
  FrontEnd front_end;
  ServedGuest served(front_end.server_end(), 3, shared, doorbells, patience);
  Doings doings(bytes);
  try {
    for (bool is_there = true; is_there && doings.any();) {
      do_one(front_end, doings);
      now_ns += kSecond;
      for (const Doorbells::Rung& rung : doorbells.rung()) served.rung(rung);
      is_there = served.converse();
      served.serve(now_ns);
      for (int i = 0; i < 40; ++i)
        if (auto completion = shared.next(now_ns + kSecond))
          served.host().deliver(*std::move(completion));
      served.call();
    }
  } catch (const BrokenGuest& broken) {
    require(!broken.what.empty(), "a sentence");
  }
  served.host().forget(now_ns += kSecond);
  require(served.host().outstanding() == 0, "nothing is outstanding of a guest that is gone");
  require(served.host().bytes() == 0, "and it moves nothing");
  require(!shared.next(now_ns + kSecond), "and nothing of it is due");
}

void log(const std::string& bytes) {
  static const model::DriveModel model = drive_model();
  static const std::vector<LoggedDrive> drives{
      {"digest", model.identity.blocks, std::make_shared<const engine::Tables>(model), model}};
  refusing([&] {
    std::istringstream text(bytes);
    check_log(text, "log", drives);
  });
}

// A drive's pieces: page (3 bytes), place in it (2), length (2), what is there.

}  // namespace

std::vector<Target> guest_targets() {
  return {{"guest", guest}, {"guest-socket", guest_socket}, {"emulation-log", log}};
}

}  // namespace platter::fuzz
