#include "virtual_drive/ata_side.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "scsi/bytes.h"

namespace platter::virtual_drive {
namespace {

constexpr std::uint8_t kPassThrough16 = 0x85;
constexpr std::uint8_t kIdentifyDevice = 0xec, kSetFeatures = 0xef, kCheckPowerMode = 0xe5;
constexpr std::uint8_t kNonData = 3, kPioIn = 4;  // PROTOCOL
constexpr std::uint8_t kDefaultPowerLevel = 0x80, kMostPerformance = 0xfe;

constexpr std::size_t kWords = 256;

void set_word(std::vector<std::uint8_t>& data, std::size_t number, std::uint64_t value) {
  data[2 * number] = static_cast<std::uint8_t>(value);
  data[2 * number + 1] = static_cast<std::uint8_t>(value >> 8);
}

void set_words(std::vector<std::uint8_t>& data, std::size_t first, std::size_t count,
               std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i) set_word(data, first + i, value >> (16 * i));
}

// An ATA string: the first character of each pair is in the upper byte of its word.
void set_text(std::vector<std::uint8_t>& data, std::size_t first, std::size_t words,
              std::string text) {
  text.resize(2 * words, ' ');
  for (std::size_t i = 0; i < words; ++i)
    set_word(
        data, first + i,
        static_cast<std::uint8_t>(text[2 * i]) << 8 | static_cast<std::uint8_t>(text[2 * i + 1]));
}

struct TaskFile {
  std::uint8_t protocol = 0, features = 0, count = 0, command = 0;
  bool check_condition = false, from_device = false;
};

TaskFile task_file(const scsi::Command& command) {
  const auto& cdb = command.cdb;
  const bool is_long = command.opcode() == kPassThrough16;
  TaskFile task;
  task.protocol = (cdb[1] >> 1) & 0x0f;
  task.check_condition = cdb[2] & 0x20;
  task.from_device = cdb[2] & 0x08;
  task.features = cdb[is_long ? 4 : 3];
  task.count = cdb[is_long ? 6 : 4];
  task.command = cdb[is_long ? 14 : 9];
  return task;
}

// The registers in fixed format sense data (SAT-4): ERROR, STATUS, DEVICE and COUNT in INFORMATION.
Reply with_registers(SenseCode code, std::uint8_t error, std::uint8_t status, std::uint8_t count) {
  Reply reply = check_condition(code);
  reply.sense[3] = error;
  reply.sense[4] = status;
  reply.sense[6] = count;
  return reply;
}

constexpr SenseCode kInformationAvailable{0x1, 0x00, 0x1d};
constexpr SenseCode kAborted{0xb, 0x00, 0x00};
constexpr std::uint8_t kReady = 0x50, kError = 0x51, kAbort = 0x04;

Reply aborted() { return with_registers(kAborted, kAbort, kError, 0); }

}  // namespace

AtaSide::AtaSide(const Personality& drive, ModePages& modes) : drive_(drive), modes_(modes) {
  restore_defaults();
}

void AtaSide::restore_defaults() { power_level_ = kDefaultPowerLevel; }

bool AtaSide::becomes_idle() const { return power_level_ != 0 && power_level_ < kMostPerformance; }

std::vector<std::uint8_t> AtaSide::identify_device() const {
  const auto& identity = drive_.model.identity;
  const engine::CacheSettings cache = modes_.cache_settings();
  std::vector<std::uint8_t> data(2 * kWords, 0);
  set_word(data, 0, 0x0040);
  set_text(data, 10, 10, identity.serial);
  set_text(data, 23, 4, identity.revision);
  set_text(data, 27, 20, identity.name.empty() ? identity.product : identity.name);
  set_word(data, 49, 0x0300);  // LBA, DMA
  set_words(data, 60, 2, std::min<std::uint64_t>(drive_.blocks, 0x0fffffff));
  set_word(data, 69, drive_.firmware.zoned & 3);
  set_word(data, 80, 0x0ff0);  // ATA8-ACS to ACS-4, and before
  set_word(data, 82, 0x0060);  // look-ahead, write cache
  set_word(data, 83, 0x4408);  // 48 bits, advanced power management
  set_word(data, 84, 0x4000);
  set_word(data, 85, (cache.read_ahead ? 0x40u : 0u) | (cache.write_cache ? 0x20u : 0u));
  set_word(data, 86, 0x0400u | (power_level_ != 0 ? 0x08u : 0u));
  set_word(data, 87, 0x4000);
  set_word(data, 91, power_level_);
  set_words(data, 100, 4, drive_.blocks);
  const std::uint32_t in_physical = identity.physical_block_bytes / drive_.block_bytes;
  unsigned exponent = 0;
  while (in_physical >> (exponent + 1)) ++exponent;
  set_word(data, 106,
           0x4000u | (exponent > 0 ? 0x2000u : 0u) | (drive_.block_bytes != 512 ? 0x1000u : 0u) |
               exponent);
  set_words(data, 117, 2, drive_.block_bytes / 2);
  set_word(data, 169, drive_.firmware.trims ? 1 : 0);
  set_word(data, 217, drive_.rpm);
  data[510] = 0xa5;
  const auto sum = std::accumulate(data.begin(), data.end(), 0u);
  data[511] = static_cast<std::uint8_t>(0x100 - (sum & 0xff));
  return data;
}

std::vector<std::uint8_t> AtaSide::information_page() const {
  std::vector<std::uint8_t> page(56, 0);
  const auto put = [&](std::size_t at, std::string text, std::size_t length) {
    text.resize(length, ' ');
    std::ranges::copy(text, page.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(4, "PLATTER", 8);  // the translation, not the drive
  put(12, "SAT", 16);
  put(28, "VIRT", 4);
  page[32] = 0x34;  // device signature: a register FIS
  page[35] = page[36] = page[44] = 0x01;
  page[52] = kIdentifyDevice;
  const auto identify = identify_device();
  page.insert(page.end(), identify.begin(), identify.end());
  return page;
}

Reply AtaSide::pass_through(const scsi::Command& command) {
  const TaskFile task = task_file(command);
  if (task.command == kIdentifyDevice) {
    if (task.protocol != kPioIn || !task.from_device || task.count != 1)
      return invalid_cdb_field(1);
    return good(identify_device(), 2 * kWords);
  }
  if (task.protocol != kNonData) return invalid_cdb_field(1);
  Reply reply = task.command == kSetFeatures      ? set_features(task.features, task.count)
                : task.command == kCheckPowerMode ? Reply{}
                                                  : aborted();
  if (reply.status != scsi::Status::good || !task.check_condition) return reply;
  constexpr std::uint8_t kActiveOrIdle = 0xff;
  return with_registers(kInformationAvailable, 0, kReady,
                        task.command == kCheckPowerMode ? kActiveOrIdle : task.count);
}

Reply AtaSide::set_features(std::uint8_t feature, std::uint8_t count) {
  const engine::CacheSettings cache = modes_.cache_settings();
  switch (feature) {
    case 0x02:
    case 0x82:
      modes_.set_from_outside(feature == 0x02, cache.read_ahead);
      return {};
    case 0x55:
    case 0xaa:
      modes_.set_from_outside(cache.write_cache, feature == 0xaa);
      return {};
    case 0x05:
      if (count == 0 || count == 0xff) return aborted();
      power_level_ = count;
      return {};
    case 0x85:
      power_level_ = 0;
      return {};
    default:
      return aborted();
  }
}

}  // namespace platter::virtual_drive
