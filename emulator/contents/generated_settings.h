// What is asked of contents of which data are dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace platter::emulator {

struct GeneratedSettings {
  std::uint64_t bytes = 0;  // of the drive, in whole blocks
  std::uint32_t block_bytes = 512;
  std::optional<std::string> file{};  // for what is kept; nothing: memory
  // Pages of which nothing says that they are metadata, kept until it is certain: so many bytes at
  // most, then those that came first go.
  std::uint64_t waiting_bytes = std::uint64_t{256} << 20;
  std::uint64_t stored_bytes = ~std::uint64_t{0};  // kept at most; past them writes find no space
  std::vector<std::string> kept_names{};           // of files whose data are kept
};

}  // namespace platter::emulator
