#include "transport/sg_io.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/fs.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "model/error.h"
#include "transport/asynchronous_sg.h"
#include "transport/holders.h"
#include "transport/host_drives.h"
#include "transport/measuring_thread.h"
#include "transport/threads_of_ioctl.h"
#include "transport/waiting.h"

namespace platter::transport {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

// 0 where there is no such file, or no number in it.
std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : 0;
}

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

[[noreturn]] void fail_as_perhaps_used(const std::string& path, const std::string& why) {
  fail(ExitStatus::refused, path,
       fmt::format("may be in use: {}; it is neither written to nor set, unless you know that "
                   "nothing uses it and say --not-in-use {}",
                   why, path));
}

int try_to_open(const std::string& path, int flags) {
  return ::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC);
}

model::Descriptor open_or_fail(const std::string& path, int flags) {
  model::Descriptor descriptor(try_to_open(path, flags));
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

// As many as a virtual drive takes.
constexpr std::uint32_t kMostOutstanding = 64;

// The same device once more. Its number can't be another one's as long as it is open here.
model::Descriptor open_again(const std::string& path, int fd) {
  model::Descriptor again(try_to_open(path, O_RDWR));
  struct stat first {
  }, second{};
  if (again.get() < 0 || ::fstat(fd, &first) != 0 || ::fstat(again.get(), &second) != 0)
    throw std::system_error(errno, std::generic_category());
  if (first.st_rdev != second.st_rdev) throw std::system_error(ENODEV, std::generic_category());
  return again;
}

int reset_by(int fd) {
  int what = SG_SCSI_RESET_DEVICE | kNoEscalate;
  return ::ioctl(fd, SG_SCSI_RESET, &what) == 0 ? 0 : errno;
}

}  // namespace

std::uint32_t most_transfer_bytes(const std::string& block, const std::string& root) {
  if (block.empty()) return 0;
  const std::string queue = root + "/sys/block/" + block + "/queue/";
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (const auto kib = number_in(queue + "max_hw_sectors_kb"); kib > 0)
    most = std::min(most, kib * 1024);
  if (const auto pages = number_in(queue + "max_segments"); pages > 0)
    most = std::min(most, pages * kPageBytes);
  return most == std::numeric_limits<std::uint32_t>::max() ? 0 : static_cast<std::uint32_t>(most);
}

std::optional<std::uint32_t> commands_dispatched(const std::string& unit, const std::string& root) {
  std::ifstream file(root + "/sys/class/scsi_device/" + unit + "/device/iorequest_cnt");
  std::uint32_t count = 0;
  if (!(file >> std::hex >> count)) return std::nullopt;
  return count;
}

SgIoDevice::SgIoDevice(const std::string& path, UnknownUse of_unknown) : path_(path) {
  bool is_block_device = false;
  const auto located = drive_behind(path, is_block_device);
  const auto& drive = located.drive;
  if (located.is_bsg) version_ = SgVersion::four;
  is_sg_ = !is_block_device && !located.is_bsg;
  max_outstanding_ = std::clamp(drive.queue_depth, 1U, kMostOutstanding);
  unit_ = drive.unit;
  lock_ = DriveLock(drive, path);
  why_use_is_unknown_ = transport::why_use_is_unknown(drive);
  if (why_use_is_unknown_ && of_unknown == UnknownUse::refused)
    fail_as_perhaps_used(path, *why_use_is_unknown_);
  if (!drive.block.empty()) {
    if (const auto why = why_held(drive.block)) fail_as_used(path, *why);
    const auto sibling = is_block_device ? path : "/dev/" + drive.block;
    exclusive_ =
        model::Descriptor(try_to_open(sibling, (is_block_device ? O_RDWR : O_RDONLY) | O_EXCL));
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
  alone_.buffer.reserve(1 << 20);
  dispatched_before_ = commands_dispatched(unit_).value_or(0);
}

SgIoDevice::~SgIoDevice() = default;

int SgIoDevice::commands_to() const {
  return device_.get() >= 0 ? device_.get() : exclusive_.get();
}

Expected<void> SgIoDevice::submit_alone(const Command& command, std::uint32_t tag) {
  if (done_ || (in_flight_ && !in_flight_->empty()))
    return tl::unexpected(TransportError{
        TransportError::Kind::refused,
        path_ + " was to run a command alone while another is outstanding: reap the one before"});
  alone_.load(command, tag);
  step_in_front();
  {
    const SignalsBlocked guard;  // /dev/sgN would leave the command behind, and send it again
    alone_.issued_ns = clock_.now_ns();
    alone_.error = pass_through(commands_to(), version_, alone_.command, alone_.buffer.data(),
                                alone_.sense, alone_.answer);
    alone_.completed_ns = clock_.now_ns();
  }
  ++sent_;
  auto done = alone_.completion(path_);
  if (!done) return tl::unexpected(done.error());
  done_ = std::move(*done);
  return {};
}

Expected<void> SgIoDevice::submit(const Command& command, std::uint32_t tag) {
  if (max_outstanding_ == 1) return submit_alone(command, tag);
  if (done_)
    return tl::unexpected(
        TransportError{TransportError::Kind::refused,
                       path_ + " has run a command alone that is not reaped yet: reap it before"});
  step_in_front();
  try {
    auto submitted = in_flight().submit(command, tag);
    sent_ += submitted ? 1 : 0;
    return submitted;
  } catch (const std::system_error& error) {
    return tl::unexpected(why_not_sent(path_, command, error.code().value()));
  }
}

void SgIoDevice::prepare_for(std::uint32_t outstanding) {
  if (std::min(outstanding, max_outstanding_) == 1) return;
  try {
    in_flight().prepare(outstanding);
  } catch (const std::system_error&) {
    // submit() tells it.
  }
}

std::uint64_t SgIoDevice::sent_again() {
  if (const auto dispatched = commands_dispatched(unit_)) {
    const auto more = static_cast<std::int32_t>(*dispatched - dispatched_before_ - sent_);
    sent_again_ = std::max(sent_again_, more);  // less: what failed did not get so far
  }
  return static_cast<std::uint64_t>(sent_again_);
}

InFlight& SgIoDevice::in_flight() {
  if (!in_flight_)
    in_flight_ = std::make_unique<InFlight>(
        path_, max_outstanding_, [this](Arrivals& arrivals) { return carrier(arrivals); });
  return *in_flight_;
}

std::unique_ptr<Carrier> SgIoDevice::carrier(Arrivals& arrivals) const {
  const int fd = commands_to();
  if (!is_sg_) return std::make_unique<ThreadsOfIoctl>(fd, version_, max_outstanding_, arrivals);
  return std::make_unique<AsynchronousSg>([this, fd] { return open_again(path_, fd); },
                                          max_outstanding_, arrivals);
}

Expected<std::optional<Completion>> SgIoDevice::reap() {
  if (done_ || !in_flight_) return std::exchange(done_, std::nullopt);
  return in_flight_->reap();
}

Expected<std::optional<Completion>> SgIoDevice::reap_until(Nanoseconds deadline_ns) {
  if (done_ && done_->completed_ns <= deadline_ns) return reap();
  if (in_flight_ && !in_flight_->empty()) return in_flight_->reap_until(deadline_ns);
  clock_.sleep_until_ns(deadline_ns);
  return std::nullopt;
}

std::unique_ptr<scsi::Stamping> SgIoDevice::stamp() {
  if (!stamps_) stamps_ = KernelStamps::of(unit_);
  return *stamps_ ? (*stamps_)->stamp() : nullptr;
}

Expected<void> SgIoDevice::reset() {
  done_.reset();
  if (in_flight_) in_flight_->drop();
  int error = 0;
  // bsg has no such request: then the block device, which stays open beside it, takes it.
  for (const int fd : {device_.get(), exclusive_.get()})
    if (fd >= 0 && (error = reset_by(fd)) == 0) break;
  if (in_flight_) in_flight_->settle();
  if (error == 0) return {};
  return tl::unexpected(TransportError{
      error == EACCES || error == EPERM ? TransportError::Kind::permission
                                        : TransportError::Kind::io,
      fmt::format("{} could not be reset: {}; run platter as root, or power the drive off and on",
                  path_, std::strerror(error))});
}

}  // namespace platter::transport
