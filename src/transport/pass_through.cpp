#include "transport/pass_through.h"

#include <fmt/core.h>
#include <linux/bsg.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "scsi/command_table.h"

namespace platter::transport {
namespace {

using scsi::Command;
using scsi::Direction;
using scsi::TransportError;

// Linux's host bytes (include/scsi/scsi_status.h), by number.
constexpr std::array<std::string_view, 21> kHostBytes = {"OK",
                                                         "NO_CONNECT",
                                                         "BUS_BUSY",
                                                         "TIME_OUT",
                                                         "BAD_TARGET",
                                                         "ABORT",
                                                         "PARITY",
                                                         "ERROR",
                                                         "RESET",
                                                         "BAD_INTR",
                                                         "PASSTHROUGH",
                                                         "SOFT_ERROR",
                                                         "IMM_RETRY",
                                                         "REQUEUE",
                                                         "TRANSPORT_DISRUPTED",
                                                         "TRANSPORT_FAILFAST",
                                                         "TARGET_FAILURE",
                                                         "NEXUS_FAILURE",
                                                         "ALLOC_FAILURE",
                                                         "MEDIUM_ERROR",
                                                         "TRANSPORT_MARGINAL"};
constexpr std::uint32_t kNoConnect = 0x01, kTimeOut = 0x03, kBadTarget = 0x04;
// Driver bytes; the upper half once held suggestions.
constexpr std::uint32_t kDriverMask = 0x0F, kDriverTimeout = 0x06, kDriverSense = 0x08;
// SAM: the bits 0 and 7 of a status byte were reserved, or a vendor's.
constexpr std::uint8_t kStatusMask = 0x7E, kCommandTerminated = 0x22;  // the latter: with sense, in
                                                                       // SCSI-2

// sg and bsg would queue at the head, the block device at the tail.
constexpr std::uint32_t kAtTail = 0x10;

std::uint32_t timeout_ms(const Command& command) {
  const auto seconds = std::clamp<Nanoseconds>((command.timeout_ns + kSecond - 1) / kSecond, 1,
                                               86'400);
  return static_cast<std::uint32_t>(seconds * 1000);
}

Direction direction_of(const Command& command) {
  return command.transfer_length > 0 ? command.direction : Direction::none;
}

sg_io_hdr_t version_3_of(const Command& command, std::uint8_t* buffer,
                         std::span<std::uint8_t> sense) {
  const Direction direction = direction_of(command);
  sg_io_hdr_t header{};
  header.interface_id = 'S';
  header.dxfer_direction = direction == Direction::none          ? SG_DXFER_NONE
                           : direction == Direction::from_device ? SG_DXFER_FROM_DEV
                                                                 : SG_DXFER_TO_DEV;
  header.cmdp = const_cast<unsigned char*>(command.cdb.data());  // Linux reads it
  header.cmd_len = command.cdb_length;
  header.sbp = sense.data();
  header.mx_sb_len = static_cast<unsigned char>(std::min<std::size_t>(sense.size(), 255));
  if (direction != Direction::none) {
    header.dxferp = buffer;
    header.dxfer_len = command.transfer_length;
  }
  header.timeout = timeout_ms(command);
  header.flags = kAtTail;
  return header;
}

Answer answer_of(const sg_io_hdr_t& header) {
  return {.host = header.host_status,
          .driver = header.driver_status,
          .status = header.status,
          .residual = header.resid,
          .sense_bytes = header.sb_len_wr};
}

int by_version_3(int fd, const Command& command, std::uint8_t* buffer,
                 std::span<std::uint8_t> sense, Answer& answer) {
  sg_io_hdr_t header = version_3_of(command, buffer, sense);
  if (::ioctl(fd, SG_IO, &header) != 0) return errno;
  answer = answer_of(header);
  return 0;
}

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

int by_version_4(int fd, const Command& command, std::uint8_t* buffer,
                 std::span<std::uint8_t> sense, Answer& answer) {
  const Direction direction = direction_of(command);
  sg_io_v4 header{};
  header.guard = 'Q';
  header.protocol = BSG_PROTOCOL_SCSI;
  header.subprotocol = BSG_SUB_PROTOCOL_SCSI_CMD;
  header.request = address_of(command.cdb.data());
  header.request_len = command.cdb_length;
  header.response = address_of(sense.data());
  header.max_response_len = static_cast<std::uint32_t>(sense.size());
  if (direction == Direction::from_device) {
    header.din_xferp = address_of(buffer);
    header.din_xfer_len = command.transfer_length;
  } else if (direction == Direction::to_device) {
    header.dout_xferp = address_of(buffer);
    header.dout_xfer_len = command.transfer_length;
  }
  header.timeout = timeout_ms(command);
  header.flags = kAtTail;
  if (::ioctl(fd, SG_IO, &header) != 0) return errno;
  answer = {.host = header.transport_status,
            .driver = header.driver_status,
            .status = static_cast<std::uint8_t>(header.device_status),
            .residual = direction == Direction::to_device ? header.dout_resid : header.din_resid,
            .sense_bytes = header.response_len};
  return 0;
}

TransportError not_done(const std::string& path, const Command& command, TransportError::Kind kind,
                        const std::string& why) {
  return {kind, fmt::format("{} did not carry out {}: {}", path, scsi::command_name(command), why)};
}

std::string host_name(std::uint32_t host) {
  return host < kHostBytes.size() ? fmt::format("DID_{}", kHostBytes[host])
                                  : fmt::format("host status {:02X}h", host);
}

}  // namespace

int pass_through(int fd, SgVersion version, const Command& command, std::uint8_t* buffer,
                 std::span<std::uint8_t> sense, Answer& answer) {
  return version == SgVersion::four ? by_version_4(fd, command, buffer, sense, answer)
                                    : by_version_3(fd, command, buffer, sense, answer);
}

int begin_pass_through(int fd, const Command& command, std::uint8_t* buffer,
                       std::span<std::uint8_t> sense) {
  const sg_io_hdr_t header = version_3_of(command, buffer, sense);
  return ::write(fd, &header, sizeof header) < 0 ? errno : 0;
}

int end_pass_through(int fd, Answer& answer) {
  sg_io_hdr_t header{};
  header.interface_id = 'S';
  const ssize_t got = ::read(fd, &header, sizeof header);
  if (got != sizeof header) return got < 0 ? errno : ENODEV;
  answer = answer_of(header);
  return 0;
}

TransportError why_not_sent(const std::string& path, const Command& command, int error) {
  using Kind = TransportError::Kind;
  switch (error) {
    case EPERM:
    case EACCES:
      return not_done(path, command, Kind::permission,
                      "Linux does not let you send it; run platter as root");
    case ENODEV:
    case ENXIO:
      return not_done(path, command, Kind::gone, "the drive is gone; check its cables and power");
    case EAGAIN:
    case EBUSY:
    case EMFILE:
    case EDOM:  // so says the sg driver
      return not_done(path, command, Kind::io,
                      fmt::format("Linux takes no further command ({}); let fewer be "
                                  "outstanding, with a smaller --depth",
                                  std::strerror(error)));
    case EINVAL:
    case ENOMEM:
      return not_done(
          path, command, Kind::io,
          fmt::format("Linux refuses {} bytes in one transfer ({}); ask for fewer blocks",
                      command.transfer_length, std::strerror(error)));
    default:
      return not_done(path, command, Kind::io,
                      fmt::format("{}; look into the kernel's log", std::strerror(error)));
  }
}

scsi::Expected<scsi::Status> status_of(const std::string& path, const Command& command,
                                       const Answer& answer) {
  using Kind = TransportError::Kind;
  const auto failed = [&](Kind kind, const std::string& why) {
    return tl::unexpected(not_done(path, command, kind, why));
  };
  if (answer.host == kNoConnect || answer.host == kBadTarget)
    return failed(Kind::gone,
                  "the drive does not respond to selection; check its cables and power");
  const std::uint32_t driver = answer.driver & kDriverMask;
  if (answer.host == kTimeOut || driver == kDriverTimeout)
    return failed(Kind::timeout, fmt::format("no answer within {} s; check the drive",
                                             timeout_ms(command) / 1000));
  if (answer.host != 0)
    return failed(Kind::io, fmt::format("the host adapter reports {}; look into the kernel's log",
                                        host_name(answer.host)));
  if (driver != 0 && driver != kDriverSense)
    return failed(Kind::io, fmt::format("Linux's SCSI layer reports driver status {:02X}h; look "
                                        "into the kernel's log",
                                        driver));
  const std::uint8_t said = answer.status & kStatusMask;
  const auto status = driver == kDriverSense || said == kCommandTerminated
                          ? scsi::Status::check_condition
                          : static_cast<scsi::Status>(said);
  // Of a read that came short the data tell by themselves, and of a failed command the status
  // tells.
  if (status == scsi::Status::good && command.direction == Direction::to_device &&
      answer.residual != 0)
    return failed(Kind::io,
                  fmt::format("the drive says that it is done, the host adapter that {} of its {} "
                              "bytes were not moved; look into the kernel's log",
                              answer.residual, command.transfer_length));
  return status;
}

}  // namespace platter::transport
