// Linux's answers to SG_IO, given by a node of our own.
#include "transport/pass_through.h"

#include <linux/bsg.h>
#include <scsi/sg.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "catch.h"
#include "fake_node.h"
#include "scsi/commands.h"

namespace platter::transport {
namespace {

struct Kernel {
  int error = 0;
  Answer answer;
  std::vector<std::uint8_t> brings;  // to a read
  std::vector<std::uint8_t> got;     // of a write
  std::vector<std::uint8_t> cdb;
  std::uint32_t timeout_ms = 0;

  int by(sg_io_hdr_t& header) {
    if (error != 0) return error;
    cdb.assign(header.cmdp, header.cmdp + header.cmd_len);
    timeout_ms = header.timeout;
    auto* const data = static_cast<std::uint8_t*>(header.dxferp);
    if (header.dxfer_direction == SG_DXFER_FROM_DEV)
      std::memcpy(data, brings.data(), header.dxfer_len);
    if (header.dxfer_direction == SG_DXFER_TO_DEV) got.assign(data, data + header.dxfer_len);
    header.host_status = static_cast<unsigned short>(answer.host);
    header.driver_status = static_cast<unsigned short>(answer.driver);
    header.status = answer.status;
    header.resid = static_cast<int>(answer.residual);
    header.sb_len_wr = static_cast<unsigned char>(answer.sense_bytes);
    std::memset(header.sbp, 0x70, answer.sense_bytes);
    return 0;
  }

  int by(sg_io_v4& header) {
    if (error != 0) return error;
    const auto* const request = at<const std::uint8_t>(header.request);
    cdb.assign(request, request + header.request_len);
    timeout_ms = header.timeout;
    if (header.din_xfer_len > 0)
      std::memcpy(at<void>(header.din_xferp), brings.data(), header.din_xfer_len);
    const auto* const data = at<const std::uint8_t>(header.dout_xferp);
    got.assign(data, data + header.dout_xfer_len);
    header.transport_status = answer.host;
    header.driver_status = answer.driver;
    header.device_status = answer.status;
    (header.dout_xfer_len > 0 ? header.dout_resid
                              : header.din_resid) = static_cast<int>(answer.residual);
    header.response_len = answer.sense_bytes;
    std::memset(at<void>(header.response), 0x70, answer.sense_bytes);
    return 0;
  }

 private:
  template <class T>
  static T* at(std::uint64_t address) {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
  }
};

struct Outcome {
  int error = 0;
  std::optional<scsi::Status> status;
  scsi::TransportError::Kind kind{};
  std::string sentence;
};

class PassThroughPath {
 public:
  explicit PassThroughPath(SgVersion version) : version_(version) {}

  Outcome send(const scsi::Command& command, const Answer& answer, int error = 0) {
    linux_.answer = answer;
    linux_.error = error;
    linux_.brings.assign(command.transfer_length, 0xA5);
    data_.assign(command.transfer_length, 0);
    std::copy(command.data.begin(), command.data.end(), data_.begin());
    std::array<std::uint8_t, 252> sense{};
    Answer heard;
    Outcome outcome;
    outcome.error = pass_through(kFakeNode, version_, command, data_.data(), sense, heard);
    if (outcome.error != 0) {
      const auto why = why_not_sent("/dev/sg0", command, outcome.error);
      outcome.kind = why.kind;
      outcome.sentence = why.sentence;
    } else if (const auto status = status_of("/dev/sg0", command, heard)) {
      outcome.status = *status;
      CHECK(heard.sense_bytes == answer.sense_bytes);
      CHECK(heard.residual == answer.residual);
    } else {
      outcome.kind = status.error().kind;
      outcome.sentence = status.error().sentence;
    }
    return outcome;
  }

  const Kernel& heard() const { return linux_; }
  const std::vector<std::uint8_t>& data() const { return data_; }

 private:
  SgVersion version_;
  Kernel linux_;
  FakeNode node_{[this](void* header) {
    return *static_cast<int*>(header) == 'S' ? linux_.by(*static_cast<sg_io_hdr_t*>(header))
                                             : linux_.by(*static_cast<sg_io_v4*>(header));
  }};
  std::vector<std::uint8_t> data_;
};

const auto versions = {SgVersion::three, SgVersion::four};

scsi::Command write_of(std::uint32_t blocks) {
  return scsi::write_10(77, blocks, std::vector<std::uint8_t>(blocks * 512, 0x5A), {});
}

TEST_CASE("commands and data go through SG_IO as they are") {
  for (const auto version : versions) {
    PassThroughPath path(version);
    const auto write = write_of(2);
    CHECK(path.send(write, {}).status == scsi::Status::good);
    CHECK(path.heard().got == write.data);
    CHECK(path.heard().cdb == std::vector<std::uint8_t>(write.cdb.begin(), write.cdb.begin() + 10));
    CHECK(path.heard().timeout_ms == 60'000);
    CHECK(path.send(scsi::read_10(77, 2, 512, {}), {}).status == scsi::Status::good);
    CHECK(path.data() == std::vector<std::uint8_t>(1024, 0xA5));
    CHECK(path.send(scsi::test_unit_ready(), {}).status == scsi::Status::good);
  }
}

TEST_CASE("the drive's status is told as it gave it") {
  for (const auto version : versions) {
    PassThroughPath path(version);
    const auto write = write_of(1);
    CHECK(path.send(write, {.driver = 8, .status = 2, .sense_bytes = 18}).status ==
          scsi::Status::check_condition);
    CHECK(path.send(write, {.status = 2}).status == scsi::Status::check_condition);
    CHECK(path.send(write, {.status = 0x22}).status == scsi::Status::check_condition);
    CHECK(path.send(write, {.driver = 8}).status == scsi::Status::check_condition);
    CHECK(path.send(write, {.status = 0x08}).status == scsi::Status::busy);
    CHECK(path.send(write, {.status = 0x18}).status == scsi::Status::reservation_conflict);
    CHECK(path.send(write, {.status = 0x28}).status == scsi::Status::task_set_full);
    CHECK(path.send(write, {.status = 0x40}).status == scsi::Status::aborted);
  }
}

TEST_CASE("no write whose fate is unknown passes for done") {
  using Kind = scsi::TransportError::Kind;
  for (const auto version : versions) {
    PassThroughPath path(version);
    const auto write = write_of(4);
    for (std::uint32_t host = 1; host < 256; ++host) {
      // Whatever status and sense a drive may have given before the host adapter gave up.
      for (const auto status : {std::uint8_t{0}, std::uint8_t{2}}) {
        const auto failed = path.send(
            write, {.host = host, .driver = status * 4U, .status = status, .sense_bytes = 18});
        REQUIRE_FALSE(failed.status);
        const bool gone = host == 1 || host == 4;
        CHECK(failed.kind == (gone ? Kind::gone : host == 3 ? Kind::timeout : Kind::io));
      }
    }
    for (std::uint32_t driver = 1; driver < 16; ++driver) {
      if (driver == 8) continue;
      const auto failed = path.send(write, {.driver = driver});
      REQUIRE_FALSE(failed.status);
      CHECK(failed.kind == (driver == 6 ? Kind::timeout : Kind::io));
    }
    for (const int error : {EIO, EBUSY, ENOMEM, EINVAL, EDOM, ETIMEDOUT, ENODEV, EPERM}) {
      const auto failed = path.send(write, {}, error);
      CHECK(failed.error == error);
      CHECK(failed.kind == (error == ENODEV  ? Kind::gone
                            : error == EPERM ? Kind::permission
                                             : Kind::io));
    }
    CHECK(path.send(write, {.host = 8}).sentence ==
          "/dev/sg0 did not carry out WRITE(10): the host adapter reports DID_RESET; look into the "
          "kernel's log");
    CHECK(path.send(write, {.host = 0x77}).sentence ==
          "/dev/sg0 did not carry out WRITE(10): the host adapter reports host status 77h; look "
          "into the kernel's log");
    CHECK(path.send(write, {.host = 3}).sentence ==
          "/dev/sg0 did not carry out WRITE(10): no answer within 60 s; check the drive");
  }
}

TEST_CASE("a write that moved less than it should is not done, whatever its status says") {
  for (const auto version : versions) {
    PassThroughPath path(version);
    for (const std::int64_t residual : {512, 2048, -512}) {
      const auto failed = path.send(write_of(4), {.residual = residual});
      REQUIRE_FALSE(failed.status);
      CHECK(failed.kind == scsi::TransportError::Kind::io);
    }
    CHECK(path.send(scsi::read_10(77, 4, 512, {}), {.residual = 512}).status == scsi::Status::good);
    CHECK(path.send(write_of(4), {.driver = 8, .status = 2, .residual = 2048, .sense_bytes = 18})
              .status == scsi::Status::check_condition);
  }
}

}  // namespace

}  // namespace platter::transport
