#include "emulator/pace/report_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "emulator/pace/unread_notices.h"
#include "model/quietly.h"
#include "model/say.h"

namespace platter::emulator {
namespace {

constexpr std::chrono::milliseconds kPatience{500};

}  // namespace

ReportWriter::ReportWriter()
    : file_(opened_without_waiting(STDOUT_FILENO)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (file_.get() < 0) file_ = model::Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
}

ReportWriter::~ReportWriter() { finish(); }

void ReportWriter::write(std::string report) {
  const std::lock_guard lock(mutex_);
  if (ends_) return;
  next_ = std::move(report);
  if (!thread_.joinable()) model::quietly([this] { thread_ = std::thread([this] { run(); }); });
  changed_.notify_all();
}

void ReportWriter::finish() noexcept {
  {
    std::unique_lock lock(mutex_);
    if (std::exchange(ends_, true)) return;
    changed_.notify_all();
    if (!changed_.wait_for(lock, kPatience, [this] { return !next_ && !busy_; }))
      model::say("platter: nobody reads the report, and it is dropped\n");
    else if (error_ != 0)
      model::say("platter: the report cannot be written: {}\n", std::strerror(error_));
  }
  eventfd_write(stop_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

void ReportWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return next_ || ends_; });
    if (!next_) return;
    const std::string report = *std::exchange(next_, std::nullopt);
    busy_ = true;
    lock.unlock();
    const bool written = write_all(report);
    const int failed = written ? 0 : errno;
    lock.lock();
    busy_ = false;
    if (error_ == 0) error_ = failed;
    changed_.notify_all();
  }
}

// So much at a time as a pipe takes where poll(2) says that it has room. false: as errno says.
bool ReportWriter::write_all(std::string_view report) {
  while (!report.empty()) {
    std::array<pollfd, 2> waits{{{stop_.get(), POLLIN, 0}, {file_.get(), POLLOUT, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (waits[0].revents != 0) return errno = ECANCELED, false;
    const ssize_t wrote = ::write(file_.get(), report.data(),
                                  std::min<std::size_t>(report.size(), PIPE_BUF));
    if (wrote < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (wrote > 0) report.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

}  // namespace platter::emulator
