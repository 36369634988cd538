#include "transport/sg_io.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/fs.h>
#include <scsi/sg.h>
#include <scsi/sg_lib.h>
#include <scsi/sg_pt.h>
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
#include "transport/host_drives.h"
#include "transport/host_limits.h"

namespace platter::transport {
namespace {

using scsi::Command;
using scsi::Completion;
using scsi::Direction;
using scsi::Expected;
using scsi::TransportError;

constexpr int kQuiet = 0;
// Linux, <scsi/sg.h>: the error handler must not go on to reset target, bus and host. glibc lacks
// it.
constexpr int kNoEscalate = 0x100;
// Linux's host bytes (include/scsi/scsi_status.h).
constexpr int kDidNoConnect = 0x01, kDidTimeOut = 0x03, kDidBadTarget = 0x04;

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
      fail(ExitStatus::no_device, path, "has no drive behind it; platter devices lists the drives");
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

Descriptor open_or_fail(const std::string& path, int flags) {
  Descriptor descriptor(::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC));
  if (descriptor.get() < 0) fail_to_open(path, errno);
  return descriptor;
}

// The drive behind a device name, or an Error that says what it is instead.
HostDrive drive_behind(const std::string& path, bool& is_block_device) {
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
  return located->drive;
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

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

SgIoDevice::SgIoDevice(const std::string& path) : path_(path) {
  bool is_block_device = false;
  const auto drive = drive_behind(path, is_block_device);
  if (!drive.block.empty()) {
    if (const auto why = why_held(drive.block))
      fail(ExitStatus::refused, path,
           fmt::format("is in use: {}; only a drive that nobody uses is measured", *why));
    const auto sibling = is_block_device ? path : "/dev/" + drive.block;
    exclusive_ = open_or_fail(sibling, (is_block_device ? O_RDWR : O_RDONLY) | O_EXCL);
  }
  if (!is_block_device) device_ = open_or_fail(path, O_RDWR);
  const int fd = is_block_device ? exclusive_.get() : device_.get();
  pass_through_ = construct_scsi_pt_obj_with_fd(fd, kQuiet);
  if (!pass_through_) throw std::bad_alloc();
  if (const int error = get_scsi_pt_os_err(pass_through_)) {
    destruct_scsi_pt_obj(pass_through_);
    fail_to_open(path, error);
  }
  max_transfer_bytes_ = most_transfer_bytes(drive.block);
  if (max_transfer_bytes_ == 0 && !is_block_device) {  // no sd driver: the sg driver says it in bytes
    int bytes = 0;
    if (::ioctl(fd, BLKSECTGET, &bytes) == 0 && bytes > 0)
      max_transfer_bytes_ = static_cast<std::uint32_t>(bytes);
  }
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  reserve(1 << 20);
}

SgIoDevice::~SgIoDevice() {
  destruct_scsi_pt_obj(pass_through_);
  std::free(allocation_);
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
  cdb_ = command.cdb;
  partial_clear_scsi_pt_obj(pass_through_);
  set_scsi_pt_cdb(pass_through_, cdb_.data(), command.cdb_length);
  set_scsi_pt_sense(pass_through_, sense_.data(), static_cast<int>(sense_.size()));
  const auto length = static_cast<int>(command.transfer_length);
  if (command.direction == Direction::from_device && length > 0) {
    set_scsi_pt_data_in(pass_through_, buffer_, length);
  } else if (command.direction == Direction::to_device && length > 0) {
    std::copy(command.data.begin(), command.data.end(), buffer_);
    set_scsi_pt_data_out(pass_through_, buffer_, length);
  }
  // sg and bsg would queue at the head, the block device at the tail.
  set_scsi_pt_flags(pass_through_, SCSI_PT_FLAGS_QUEUE_AT_TAIL);
  const auto timeout_s = static_cast<int>(
      std::clamp<Nanoseconds>((command.timeout_ns + kSecond - 1) / kSecond, 1, 86'400));
  int sent = 0;
  {
    const SignalsBlocked guard;
    done.issued_ns = clock_.now_ns();
    sent = do_scsi_pt(pass_through_, -1, timeout_s, kQuiet);
    done.completed_ns = clock_.now_ns();
  }
  if (auto result = outcome(command, sent, done); !result) return result;
  done_ = std::move(done);
  return {};
}

// Status, sense, residual and data of the command that was sent last; or why there are none.
Expected<void> SgIoDevice::outcome(const Command& command, int sent, Completion& done) {
  const auto error = [&](TransportError::Kind kind, const std::string& why) {
    return tl::unexpected(TransportError{
        kind, fmt::format("{} did not carry out {}: {}", path_, scsi::command_name(command), why)});
  };
  const int category = get_scsi_pt_result_category(pass_through_);
  if (sent != 0 || category == SCSI_PT_RESULT_OS_ERR) {
    const int code = sent < 0 ? -sent : get_scsi_pt_os_err(pass_through_);
    switch (code) {
      case EPERM:
      case EACCES:
        return error(TransportError::Kind::permission,
                     "Linux does not let you send it; run platter as root");
      case ENODEV:
      case ENXIO:
        return error(TransportError::Kind::gone, "the drive is gone; check its cables and power");
      case EINVAL:
      case ENOMEM:
        return error(
            TransportError::Kind::io,
            fmt::format("Linux refuses {} bytes in one transfer ({}); ask for fewer blocks",
                        command.transfer_length, std::strerror(code)));
      default:
        return error(TransportError::Kind::io,
                     fmt::format("{}; look into the kernel's log", std::strerror(code)));
    }
  }
  if (category == SCSI_PT_RESULT_TRANSPORT_ERR) {
    const int host_byte = get_scsi_pt_transport_err(pass_through_) & 0xFF;
    if (host_byte == kDidNoConnect || host_byte == kDidBadTarget)
      return error(TransportError::Kind::gone,
                   "the drive does not respond to selection; check its cables and power");
    if (host_byte == kDidTimeOut)
      return error(
          TransportError::Kind::timeout,
          fmt::format("no answer within {} s; check the drive", command.timeout_ns / kSecond));
    std::array<char, 160> text{};
    get_scsi_pt_transport_err_str(pass_through_, text.size(), text.data());
    std::replace(text.begin(), text.end(), '\n', ' ');
    return error(
        TransportError::Kind::io,
        fmt::format("the host adapter reports {}; look into the kernel's log", text.data()));
  }
  done.status = category == SCSI_PT_RESULT_SENSE
                    ? scsi::Status::check_condition
                    : static_cast<scsi::Status>(get_scsi_pt_status_response(pass_through_));
  if (done.status == scsi::Status::check_condition) {
    const auto size =
        std::clamp(get_scsi_pt_sense_len(pass_through_), 0, static_cast<int>(sense_.size()));
    done.sense.assign(sense_.begin(), sense_.begin() + size);
  }
  const auto residual = std::clamp<std::int64_t>(get_scsi_pt_resid(pass_through_), 0,
                                                 std::int64_t{command.transfer_length});
  done.residual = static_cast<std::uint32_t>(residual);
  if (command.direction == Direction::from_device && command.keep_data)
    done.data.assign(buffer_, buffer_ + (command.transfer_length - done.residual));
  return {};
}

Expected<std::optional<Completion>> SgIoDevice::reap() {
  return std::exchange(done_, std::nullopt);
}

Expected<std::optional<Completion>> SgIoDevice::reap_until(Nanoseconds deadline_ns) {
  if (done_ && done_->completed_ns <= deadline_ns) return reap();
  clock_.sleep_until_ns(deadline_ns);
  return std::nullopt;
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
