#include "emulator/ublk/device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "emulator/ublk/ring.h"
#include "model/error.h"
#include "model/quietly.h"

namespace platter::emulator::ublk {
namespace {

constexpr const char* kControl = "/dev/ublk-control";
constexpr std::uint32_t kAny = 0xffffffff;
constexpr std::uint64_t kOurs = 0x504c5454;  // in the upper half of ublksrv_flags; below it a pid

[[noreturn]] void no_ublk(const std::string& why, const char* remedy) {
  throw Error(ExitStatus::missing_program,
              fmt::format("{}, and platter emulate --ublk needs it: {}", why, remedy));
}

model::Descriptor opened_control() {
  model::Descriptor control(::open(kControl, O_RDWR | O_CLOEXEC));
  if (control.get() >= 0) return control;
  if (errno == ENOENT || errno == ENXIO || errno == ENODEV)
    no_ublk(fmt::format("this kernel has no {}", kControl),
            "Linux 6.0 or later with CONFIG_BLK_DEV_UBLK, modprobe ublk_drv");
  no_ublk(fmt::format("{} cannot be opened ({})", kControl, std::strerror(errno)), "run as root");
}

// 0 or -errno.
int control(std::uint32_t number, std::uint32_t device, void* data = nullptr, std::size_t bytes = 0,
            std::uint64_t word = 0) {
  const model::Descriptor file = opened_control();
  Ring ring(2);
  ublksrv_ctrl_cmd what{};
  what.dev_id = device;
  what.queue_id = 0xffff;
  what.addr = reinterpret_cast<std::uint64_t>(data);
  what.len = static_cast<std::uint16_t>(bytes);
  what.data[0] = word;
  fill_control(ring.next(), file.get(), number, what);
  for (;;) {
    ring.enter(std::nullopt);
    if (const auto answer = ring.take()) return answer->result;
  }
}

void require_done(int result, const char* what) {
  if (result < 0)
    throw Error(ExitStatus::internal,
                fmt::format("this kernel's ublk does not {}: {}", what, std::strerror(-result)));
}

// Its number.
std::uint32_t added(std::uint32_t most_request_bytes) {
  ublksrv_ctrl_dev_info info{};
  info.nr_hw_queues = 1;
  info.queue_depth = kDepth;
  info.max_io_buf_bytes = most_request_bytes;
  info.dev_id = kAny;
  info.ublksrv_flags = kOurs << 32 | static_cast<std::uint32_t>(::getpid());
  const int result = control(UBLK_CMD_ADD_DEV, kAny, &info, sizeof info);
  if (result == -EPERM || result == -EACCES)
    no_ublk("this process may not add a device to this kernel's ublk", "run as root");
  require_done(result, "add a device");
  return info.dev_id;
}

std::string character_path(std::uint32_t number) { return fmt::format("/dev/ublkc{}", number); }

// What an emulation was killed over, which the kernel keeps without its block device.
void remove_if_left(std::uint32_t number) {
  ublksrv_ctrl_dev_info info{};
  if (control(UBLK_CMD_GET_DEV_INFO, number, &info, sizeof info) != 0) return;
  const auto server = static_cast<pid_t>(info.ublksrv_flags & 0xffffffff);
  const bool is_ours = info.ublksrv_flags >> 32 == kOurs;
  if (is_ours && info.state == UBLK_S_DEV_DEAD && ::kill(server, 0) != 0 && errno == ESRCH)
    control(UBLK_CMD_DEL_DEV, number);
}

}  // namespace

void require_ublk() {
  opened_control();
  const Ring ring(2);
  constexpr std::string_view kName = "ublkc";
  std::error_code error;
  std::filesystem::directory_iterator entry("/dev", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::uint32_t number = 0;
    if (name.starts_with(kName) &&
        std::from_chars(name.data() + kName.size(), name.data() + name.size(), number).ec ==
            std::errc())
      remove_if_left(number);
  }
}

Device::Device(const ublk_params& params) : number_(added(params.basic.max_sectors * 512)) {
  try {
    ublk_params given = params;
    require_done(control(UBLK_CMD_SET_PARAMS, number_, &given, sizeof given),
                 "take a drive's parameters");
    file_ = model::Descriptor(::open(character_path(number_).c_str(), O_RDWR | O_CLOEXEC));
    if (file_.get() < 0)
      throw Error(ExitStatus::missing_program,
                  fmt::format("{} cannot be opened ({}), and platter emulate --ublk needs it: /dev "
                              "has to be the kernel's own (devtmpfs)",
                              character_path(number_), std::strerror(errno)));
  } catch (...) {
    model::quietly([this] { control(UBLK_CMD_DEL_DEV, number_); });
    throw;
  }
}

Device::~Device() {
  file_ = model::Descriptor();
  model::quietly([this] { control(UBLK_CMD_DEL_DEV, number_); });
}

std::string Device::path() const { return fmt::format("/dev/ublkb{}", number_); }

void Device::start() {
  require_done(
      control(UBLK_CMD_START_DEV, number_, nullptr, 0, static_cast<std::uint64_t>(::getpid())),
      "start a device");
}

void Device::stop() noexcept {
  model::quietly([this] { control(UBLK_CMD_STOP_DEV, number_); });
}

}  // namespace platter::emulator::ublk
