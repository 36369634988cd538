// The writes of a real kernel in their order: a log of the device mapper's target log-writes,
// packed by zstd or not (bench/emulators/record_writes.py). Writes that a flush did not follow are
// where it came, with those of before it.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace platter::testing {

struct LoggedWrite {
  enum Flag : std::uint64_t { kFlush = 1, kFua = 2, kDiscard = 4, kMark = 8, kMetadata = 16 };
  std::uint64_t flags = 0;
  std::uint64_t offset = 0, bytes = 0;
  std::vector<std::uint8_t> data{};  // of a write
  std::string mark{};

  bool is(Flag flag) const { return (flags & flag) != 0; }
};

class WriteLog {
 public:
  // Throws std::runtime_error where it is no such log.
  explicit WriteLog(const std::string& path);
  std::uint64_t entries() const { return entries_; }
  // nullopt: that was the last.
  std::optional<LoggedWrite> next();

 private:
  std::unique_ptr<std::istream> file_;
  std::uint64_t entries_ = 0, read_ = 0, sector_ = 512, at_ = 0;
};

}  // namespace platter::testing
