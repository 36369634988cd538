#include "identity/drive_mark.h"

#include <fmt/format.h>

#include <cstdint>

#include "identity/serial_numbers.h"

namespace platter::identity {
namespace {

// READ CAPACITY's word, of which the run may have found a block missing.
std::uint64_t stated_blocks(const model::Identity& identity) {
  return identity.stated_blocks.value_or(identity.blocks);
}

}  // namespace

bool can_be_told(const model::Identity& identity) {
  return !identity.serial.empty() && !why_worthless(identity.serial);
}

std::string drive_mark(const model::Identity& identity) {
  if (!can_be_told(identity)) return {};
  const std::string parts = fmt::format("{}\n{}\n{}\n{}\n{}", identity.vendor, identity.product,
                                        identity.serial, stated_blocks(identity),
                                        identity.block_bytes);
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : parts) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

bool same_drive(const model::Identity& a, const model::Identity& b) {
  return a.vendor == b.vendor && a.product == b.product && a.serial == b.serial &&
         stated_blocks(a) == stated_blocks(b) && a.block_bytes == b.block_bytes;
}

std::string in_words(const model::Identity& identity) {
  return fmt::format(
      "{}{}{} of {} blocks with {}", identity.vendor, identity.vendor.empty() ? "" : " ",
      identity.product, stated_blocks(identity),
      identity.serial.empty() ? "no serial number" : "serial number " + identity.serial);
}

}  // namespace platter::identity
