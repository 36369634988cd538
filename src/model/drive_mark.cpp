#include "model/drive_mark.h"

#include <fmt/format.h>

#include <cstdint>

namespace platter::model {

std::string drive_mark(const Identity& identity) {
  if (identity.serial.empty()) return {};
  const std::string parts = fmt::format("{}\n{}\n{}\n{}\n{}", identity.vendor, identity.product,
                                        identity.serial, identity.blocks, identity.block_bytes);
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : parts) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

bool same_drive(const Identity& a, const Identity& b) {
  return a.vendor == b.vendor && a.product == b.product && a.serial == b.serial &&
         a.blocks == b.blocks && a.block_bytes == b.block_bytes;
}

}  // namespace platter::model
