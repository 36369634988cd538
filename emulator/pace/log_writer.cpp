#include "emulator/pace/log_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "model/error.h"
#include "model/json_text.h"

namespace platter::emulator {
namespace {

// All of some bytes to a file descriptor.
// 0, or the errno of the write that failed.
inline int write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(file, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

constexpr std::size_t kKept = std::size_t{4} << 20;
constexpr std::chrono::milliseconds kPause{50};

}  // namespace

std::string log_head(std::string_view requests, int speed, const std::vector<std::string>& drives) {
  std::string head = model::json_text(model::json_head("platter-emulation-log"));
  head.pop_back();
  return head + fmt::format(R"(,"requests":"{}","speed":{},"drives":[{}]}})", requests, speed,
                            fmt::join(drives, ","));
}

LogWriter::LogWriter(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_ < 0)
    throw Error(ExitStatus::output, fmt::format("{} cannot be written: {}; give --log another path",
                                                path, std::strerror(errno)));
  filling_.reserve(kKept);
  writing_.reserve(kKept);
  writer_ = std::thread([this] { run(); });
}

LogWriter::~LogWriter() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  writer_.join();
  close(file_);
}

void LogWriter::line(std::string_view text) {
  std::unique_lock lock(mutex_);
  while (filling_.size() + text.size() + 1 > kKept && !filling_.empty()) write_now(lock);
  filling_.append(text);
  filling_.push_back('\n');
}

// One thread writes at a time, so that lines stay in order.
void LogWriter::write_now(std::unique_lock<std::mutex>& lock) {
  if (busy_) {
    wake_.wait(lock, [this] { return !busy_; });
    return;
  }
  busy_ = true;
  std::swap(filling_, writing_);
  lock.unlock();
  const int error = write_whole(file_, writing_);
  lock.lock();
  if (error_ == 0) error_ = error;
  writing_.clear();
  busy_ = false;
  wake_.notify_all();
}

std::string LogWriter::finish() {
  std::unique_lock lock(mutex_);
  while (busy_ || !filling_.empty()) write_now(lock);
  if (error_ == 0) return "";
  return fmt::format("{} cannot be written: {}; what it holds is not the whole log", path_,
                     std::strerror(error_));
}

void LogWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait_for(lock, kPause, [this] { return ends_; });
    if (!filling_.empty()) write_now(lock);
    if (ends_ && filling_.empty() && !busy_) return;
  }
}

}  // namespace platter::emulator
