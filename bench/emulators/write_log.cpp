#include "write_log.h"

#include <cstring>
#include <stdexcept>

namespace platter::bench {
namespace {

constexpr std::uint64_t kMagic = 0x6a736677736872;

struct Head {
  std::uint64_t magic, version, entries;
  std::uint32_t sector;
};
struct Entry {
  std::uint64_t sector, sectors, flags, mark_bytes;
};

}  // namespace

WriteLog::WriteLog(const std::string& path) : file_(path, std::ios::binary) {
  Head head{};
  if (!file_.read(reinterpret_cast<char*>(&head), sizeof head) || head.magic != kMagic ||
      head.version != 1 || head.sector < 512)
    throw std::runtime_error(path + " is no log of the device mapper's log-writes");
  entries_ = head.entries;
  sector_ = at_ = head.sector;
}

std::optional<LoggedWrite> WriteLog::next() {
  if (read_ == entries_) return std::nullopt;
  ++read_;
  Entry entry{};
  file_.seekg(static_cast<std::streamoff>(at_));
  file_.read(reinterpret_cast<char*>(&entry), sizeof entry);
  LoggedWrite write{entry.flags, entry.sector * sector_, entry.sectors * sector_, {}, {}};
  at_ += sector_;
  if (write.is(LoggedWrite::kMark)) {
    write.mark.resize(entry.mark_bytes);
    file_.read(write.mark.data(), static_cast<std::streamsize>(entry.mark_bytes));
    write.mark = write.mark.c_str();
    write.bytes = 0;
  } else if (!write.is(LoggedWrite::kDiscard) && entry.sectors > 0) {
    write.data.resize(write.bytes);
    file_.seekg(static_cast<std::streamoff>(at_));
    file_.read(reinterpret_cast<char*>(write.data.data()),
               static_cast<std::streamsize>(write.bytes));
    at_ += write.bytes;
  }
  if (!file_) throw std::runtime_error("the log of writes ends in an entry");
  return write;
}

}  // namespace platter::bench
