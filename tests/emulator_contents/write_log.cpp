#include "emulator_contents/write_log.h"

#include <zstd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace platter::testing {
namespace {

constexpr std::uint64_t kLogMagic = 0x6a736677736872;

struct Head {
  std::uint64_t magic, version, entries;
  std::uint32_t sector;
};
struct Entry {
  std::uint64_t sector, sectors, flags, mark_bytes;
};

std::unique_ptr<std::istream> opened(const std::string& path) {
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!path.ends_with(".zst")) return file;
  std::ostringstream packed;
  packed << file->rdbuf();
  const std::string bytes = packed.str();
  const auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size > std::uint64_t{1} << 32) throw std::runtime_error(path + " is not packed by zstd");
  std::string log(size, '\0');
  if (ZSTD_decompress(log.data(), log.size(), bytes.data(), bytes.size()) != size)
    throw std::runtime_error(path + " is damaged");
  return std::make_unique<std::istringstream>(std::move(log));
}

}  // namespace

WriteLog::WriteLog(const std::string& path) : file_(opened(path)) {
  Head head{};
  if (!file_->read(reinterpret_cast<char*>(&head), sizeof head) || head.magic != kLogMagic ||
      head.version != 1 || head.sector < 512)
    throw std::runtime_error(path + " is no log of the device mapper's log-writes");
  entries_ = head.entries;
  sector_ = at_ = head.sector;
}

std::optional<LoggedWrite> WriteLog::next() {
  if (read_ == entries_) return std::nullopt;
  ++read_;
  Entry entry{};
  file_->seekg(static_cast<std::streamoff>(at_));
  file_->read(reinterpret_cast<char*>(&entry), sizeof entry);
  LoggedWrite write{entry.flags, entry.sector * sector_, entry.sectors * sector_, {}, {}};
  at_ += sector_;
  if (write.is(LoggedWrite::kMark)) {
    write.mark.resize(entry.mark_bytes);
    file_->read(write.mark.data(), static_cast<std::streamsize>(entry.mark_bytes));
    write.mark = write.mark.c_str();
    write.bytes = 0;
  } else if (!write.is(LoggedWrite::kDiscard) && entry.sectors > 0) {
    write.data.resize(write.bytes);
    file_->seekg(static_cast<std::streamoff>(at_));
    file_->read(reinterpret_cast<char*>(write.data.data()),
                static_cast<std::streamsize>(write.bytes));
    at_ += write.bytes;
  }
  if (!*file_) throw std::runtime_error("the log of writes ends in an entry");
  return write;
}

}  // namespace platter::testing
