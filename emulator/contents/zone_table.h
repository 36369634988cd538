// The zones of a drive beside its contents, in the same file, behind them: eight bytes a zone, as
// they were before a power cut. Zeros: nothing was kept of that zone yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace platter::emulator {

class ZoneTable {
 public:
  static constexpr std::uint64_t kEntryBytes = 8;

  // From that place of the file on; it stays open.
  ZoneTable(int file, std::uint64_t at) : file_(file), at_(at) {}

  struct Entry {
    std::uint64_t written = 0;  // blocks
    std::uint8_t condition = 0;
  };
  // Throws Error(output) where the file cannot be read.
  std::optional<Entry> load(std::size_t zone) const;
  int store(std::size_t zone, const Entry& entry) const;  // 0, or an errno

 private:
  int file_;
  std::uint64_t at_;
};

}  // namespace platter::emulator
