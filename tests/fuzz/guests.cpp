// Guests of emulated drives: what a front end says, and what lies in the memory that it shares;
// file systems on drives, and the logs of emulations, which anybody may have written.
#include <sys/mman.h>
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
#include "emulator/contents/generated_contents.h"
#include "emulator/vhost_user/device.h"
#include "engine/tables.h"
#include "fuzz/targets.h"
#include "model/temporary_folder.h"
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
  ScsiHost host(drives.all, queues, nullptr);
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
struct Piece {
  std::uint64_t at;
  std::string_view bytes;
};

std::vector<Piece> pieces_in(const std::string& bytes, std::uint64_t pages) {
  std::vector<Piece> pieces;
  for (Doings doings(bytes); doings.any();) {
    const std::uint64_t page = doings.number(3) % pages, in = doings.number(2) % 4096;
    const std::uint64_t length = std::min<std::uint64_t>(doings.number(2), 4096 - in);
    pieces.push_back({page * 4096 + in, doings.text(length)});
  }
  return pieces;
}

// They are there when the drive is opened, and a guest writes them once more.
void contents(const std::string& bytes) {
  constexpr std::uint64_t kPages = 81'920;
  static model::TemporaryFolder folder(model::temporary_name("platter-fuzz"));
  const std::vector<Piece> pieces = pieces_in(bytes, kPages);
  GeneratedSettings settings;
  settings.bytes = kPages * 4096;
  settings.file = folder.file("contents");
  settings.waiting_bytes = 65536;
  settings.kept_names = {"**/a*"};
  std::filesystem::remove(*settings.file);
  const auto make = [&] { return std::make_unique<GeneratedContents>(settings); };
  make();
  std::fstream image(*settings.file, std::ios::binary | std::ios::in | std::ios::out);
  for (const Piece& piece : pieces) {
    image.seekp(static_cast<std::streamoff>(piece.at));
    image.write(piece.bytes.data(), static_cast<std::streamsize>(piece.bytes.size()));
  }
  image.close();
  const auto drive = make();
  for (const Piece& piece : pieces) {
    const auto* const data = reinterpret_cast<const std::uint8_t*>(piece.bytes.data());
    require(drive->write(piece.at, {data, piece.bytes.size()}) == 0, "what is written is taken");
  }
  require(!drive->state().file_systems.empty(), "every place is named");
  for (const Piece& piece : pieces)
    require(drive->discard(piece.at, piece.bytes.size()) == 0, "what is discarded is gone");
}

}  // namespace

std::vector<Target> guest_targets() {
  return {{"guest", guest}, {"contents", contents}, {"emulation-log", log}};
}

}  // namespace platter::fuzz
