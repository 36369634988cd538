#include "transport/sg_io.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/fs.h>
#include <scsi/sg.h>
#include <scsi/sg_lib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

#include "model/error.h"
#include "scsi/command_table.h"
#include "transport/holders.h"
#include "transport/host_drives.h"
#include "transport/host_limits.h"
#include "transport/pass_through.h"

namespace platter::transport {
namespace {

using scsi::Command;
using scsi::Completion;
using scsi::Direction;
using scsi::Expected;
using scsi::TransportError;

// Linux, <scsi/sg.h>: the error handler must not go on to reset target, bus and host. glibc lacks
// it.
constexpr int kNoEscalate = 0x100;

[[noreturn]] void fail(ExitStatus status, const std::string& path, const std::string& why) {
  throw Error(status, path + " " + why);
}

// Opening failed: says so in the words of the reason.
[[noreturn]] void fail_to_open(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      fail(ExitStatus::no_device, path, "does not exist; platter devices lists the drives");
    case ENXIO:
    case ENODEV:
    case ENOMEDIUM:
      fail(ExitStatus::no_device, path, "leads to no drive; platter devices lists the drives");
    case EACCES:
    case EPERM:
      fail(ExitStatus::permission, path,
           "may not be opened by you; run platter as root, or give yourself the right to it");
    case EBUSY:
      fail(ExitStatus::refused, path,
           "is in use: it cannot be opened exclusively; unmount it and stop what holds it");
    default:
      fail(ExitStatus::no_device, path,
           fmt::format("cannot be opened: {}; platter devices lists the drives",
                       std::strerror(error)));
  }
}

[[noreturn]] void fail_as_used(const std::string& path, const std::string& by) {
  fail(ExitStatus::refused, path,
       fmt::format("is in use: {}; only a drive that nobody uses is measured", by));
}

int try_to_open(const std::string& path, int flags) {
  return ::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC);
}

Descriptor open_or_fail(const std::string& path, int flags) {
  Descriptor descriptor(try_to_open(path, flags));
  if (descriptor.get() < 0) fail_to_open(path, errno);
  return descriptor;
}

// The drive behind a device name, or an Error that says what it is instead.
Located drive_behind(const std::string& path, bool& is_block_device) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) fail_to_open(path, errno);
  is_block_device = S_ISBLK(info.st_mode);
  if (!is_block_device && !S_ISCHR(info.st_mode))
    fail(ExitStatus::no_device, path, "is no device; name a drive, such as /dev/sg0");
  struct stat sysfs {};
  if (::stat("/sys/dev", &sysfs) != 0)
    fail(ExitStatus::refused, path,
         "cannot be checked for file systems in use, because /sys is not mounted; mount it");
  const auto located = locate(is_block_device, info.st_rdev);
  if (!located)
    fail(ExitStatus::no_device, path,
         "is not a SCSI drive; platter needs one that Linux drives through its SCSI layer");
  if (!located->partition_of.empty())
    fail(ExitStatus::no_device, path,
         fmt::format("is a partition; name the whole drive, /dev/{}", located->partition_of));
  if (!located->drive.is_disk())
    fail(ExitStatus::no_device, path,
         fmt::format("is no disk drive (SCSI peripheral type {:02X}h); platter devices lists them",
                     located->drive.device_type));
  return *located;
}

// Interrupting SG_IO on /dev/sgN would leave the command behind and send it again.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

SgIoDevice::SgIoDevice(const std::string& path) : path_(path) {
  bool is_block_device = false;
  const auto located = drive_behind(path, is_block_device);
  const auto& drive = located.drive;
  if (located.is_bsg) version_ = SgVersion::four;
  unit_ = drive.unit;
  lock_ = DriveLock(drive, path);
  if (!drive.block.empty()) {
    if (const auto why = why_held(drive.block)) fail_as_used(path, *why);
    const auto sibling = is_block_device ? path : "/dev/" + drive.block;
    exclusive_ = Descriptor(try_to_open(sibling, (is_block_device ? O_RDWR : O_RDONLY) | O_EXCL));
    if (exclusive_.get() < 0 && errno == EBUSY) fail_as_used(path, who_has_open(drive.block));
    if (exclusive_.get() < 0) fail_to_open(sibling, errno);
  }
  if (!is_block_device) device_ = open_or_fail(path, O_RDWR);
  const int fd = commands_to();
  max_transfer_bytes_ = most_transfer_bytes(drive.block);
  if (max_transfer_bytes_ == 0 && !is_block_device) {  // no sd driver: the sg driver says it in
                                                       // bytes
    int bytes = 0;
    if (::ioctl(fd, BLKSECTGET, &bytes) == 0 && bytes > 0)
      max_transfer_bytes_ = static_cast<std::uint32_t>(bytes);
  }
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  reserve(1 << 20);
}

SgIoDevice::~SgIoDevice() { std::free(allocation_); }

int SgIoDevice::commands_to() const {
  return device_.get() >= 0 ? device_.get() : exclusive_.get();
}

void SgIoDevice::reserve(std::size_t bytes) {
  if (bytes <= buffer_bytes_) return;
  std::free(allocation_);
  constexpr std::uint32_t kToPages = 0;
  buffer_ = sg_memalign(static_cast<std::uint32_t>(bytes), kToPages, &allocation_, false);
  if (!buffer_) throw std::bad_alloc();
  buffer_bytes_ = bytes;
}

Expected<void> SgIoDevice::submit(const Command& command, std::uint32_t tag) {
  if (done_)
    return tl::unexpected(
        TransportError{TransportError::Kind::refused,
                       path_ + " takes one command at a time through SG_IO: reap the one before"});
  Completion done;
  done.tag = tag;
  reserve(command.transfer_length);
  if (command.direction == Direction::to_device)
    std::copy(command.data.begin(), command.data.end(), buffer_);
  Answer answer;
  int error = 0;
  {
    const SignalsBlocked guard;
    done.issued_ns = clock_.now_ns();
    error = pass_through(commands_to(), version_, command, buffer_, sense_, answer);
    done.completed_ns = clock_.now_ns();
  }
  if (error != 0) return tl::unexpected(why_not_sent(path_, command, error));
  const auto status = status_of(path_, command, answer);
  if (!status) return tl::unexpected(status.error());
  done.status = *status;
  take(command, answer, done);
  done_ = std::move(done);
  return {};
}

// Sense, residual and data of the command that was sent last.
void SgIoDevice::take(const Command& command, const Answer& answer, Completion& done) const {
  if (done.status == scsi::Status::check_condition)
    done.sense.assign(sense_.begin(),
                      sense_.begin() + std::min<std::ptrdiff_t>(answer.sense_bytes, sense_.size()));
  done.residual = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(answer.residual, 0, command.transfer_length));
  if (command.direction == Direction::from_device && command.keep_data)
    done.data.assign(buffer_, buffer_ + (command.transfer_length - done.residual));
}

Expected<std::optional<Completion>> SgIoDevice::reap() {
  return std::exchange(done_, std::nullopt);
}

Expected<std::optional<Completion>> SgIoDevice::reap_until(Nanoseconds deadline_ns) {
  if (done_ && done_->completed_ns <= deadline_ns) return reap();
  clock_.sleep_until_ns(deadline_ns);
  return std::nullopt;
}

std::unique_ptr<scsi::Stamping> SgIoDevice::stamp() {
  if (!stamps_) stamps_ = KernelStamps::of(unit_);
  return *stamps_ ? (*stamps_)->stamp() : nullptr;
}

Expected<void> SgIoDevice::reset() {
  done_.reset();
  // bsg has no such request: then the block device, which stays open beside it, takes it.
  for (const int fd : {device_.get(), exclusive_.get()}) {
    int what = SG_SCSI_RESET_DEVICE | kNoEscalate;
    if (fd >= 0 && ::ioctl(fd, SG_SCSI_RESET, &what) == 0) return {};
  }
  return tl::unexpected(
      TransportError{errno == EACCES || errno == EPERM ? TransportError::Kind::permission
                                                       : TransportError::Kind::io,
                     fmt::format("{} could not be reset: {}; run platter as root, or power the "
                                 "drive off and on",
                                 path_, std::strerror(errno))});
}

}  // namespace platter::transport
