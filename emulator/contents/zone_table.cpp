#include "emulator/contents/zone_table.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "model/error.h"

namespace platter::emulator {
namespace {

// Little-endian: the condition and 1, so that no entry is all zeros, then the blocks.
constexpr unsigned kConditionBits = 8;

}  // namespace

std::optional<ZoneTable::Entry> ZoneTable::load(std::size_t zone) const {
  std::array<std::uint8_t, kEntryBytes> bytes{};
  const auto got = pread(file_, bytes.data(), bytes.size(),
                         static_cast<off_t>(at_ + zone * kEntryBytes));
  if (got != static_cast<ssize_t>(bytes.size()))
    throw Error(ExitStatus::output, fmt::format("what was kept of zones cannot be read: {}",
                                                got < 0 ? std::strerror(errno) : "it is cut off"));
  std::uint64_t word = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) word = word << 8 | bytes[i];
  if (word == 0) return std::nullopt;
  return Entry{word >> kConditionBits, static_cast<std::uint8_t>((word & 0xff) - 1)};
}

int ZoneTable::store(std::size_t zone, const Entry& entry) const {
  const std::uint64_t word = entry.written << kConditionBits | (entry.condition + 1U);
  std::array<std::uint8_t, kEntryBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(word >> (8 * i));
  const auto at = static_cast<off_t>(at_ + zone * kEntryBytes);
  const auto put = pwrite(file_, bytes.data(), bytes.size(), at);
  if (put == static_cast<ssize_t>(bytes.size())) return 0;
  return put < 0 ? errno : EIO;
}

}  // namespace platter::emulator
