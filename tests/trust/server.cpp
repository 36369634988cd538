#include "server.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

#include "contents.h"

namespace trust {
namespace {

constexpr std::size_t kHeader = 22, kMost = 16u << 20;
constexpr std::uint8_t kNone = 0xff;

struct Closed {};

void read_all(int fd, std::uint8_t* to, std::size_t count) {
  while (count > 0) {
    const ssize_t got = ::read(fd, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Closed{};
    to += got;
    count -= static_cast<std::size_t>(got);
  }
}

void write_all(int fd, const Bytes& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) throw Closed{};
    done += static_cast<std::size_t>(wrote);
  }
}

template <class T>
T get(const std::uint8_t* bytes) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>(value << 8 | bytes[i]);
  return value;
}

template <class T>
void put(Bytes& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

Bytes reply(std::uint64_t complete_ns, std::uint32_t tag, std::uint8_t status, const Bytes& sense,
            std::uint32_t residual, const Bytes& data) {
  Bytes out;
  out.reserve(28 + sense.size() + data.size());
  put(out, static_cast<std::uint32_t>(24 + sense.size() + data.size()));
  put(out, complete_ns);
  put(out, tag);
  put(out, status);
  put(out, static_cast<std::uint8_t>(sense.size()));
  put(out, std::uint16_t{0});
  put(out, residual);
  put(out, static_cast<std::uint32_t>(data.size()));
  out.insert(out.end(), sense.begin(), sense.end());
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

Bytes reply(const Done& done) {
  const auto& completion = done.completion;
  const auto status = done.malformed ? std::uint8_t{0x77}
                                     : static_cast<std::uint8_t>(completion.status);
  return reply(static_cast<std::uint64_t>(completion.completed_ns), completion.tag, status,
               completion.sense, completion.residual, completion.data);
}

struct Request {
  std::int64_t issue_ns = 0;
  std::uint32_t tag = 0;
  std::uint8_t kind = 0, more = 0;
  platter::scsi::Command command{};
};

Request next_request(int input, Bytes& body) {
  std::array<std::uint8_t, 4> prefix{};
  read_all(input, prefix.data(), prefix.size());
  const auto length = get<std::uint32_t>(prefix.data());
  if (length < kHeader || length > kMost)
    throw std::runtime_error("a request has no length that is allowed");
  body.resize(length);
  read_all(input, body.data(), length);
  Request request;
  request.issue_ns = static_cast<std::int64_t>(get<std::uint64_t>(&body[0]));
  request.tag = get<std::uint32_t>(&body[8]);
  request.kind = body[12];
  request.more = body[13];
  auto& command = request.command;
  command.attribute = static_cast<platter::scsi::Attribute>(body[15]);
  command.direction = static_cast<platter::scsi::Direction>(body[16]);
  command.cdb_length = body[17];
  command.transfer_length = get<std::uint32_t>(&body[18]);
  if (request.kind > 3 || body[16] > 2 || command.cdb_length > 32 ||
      kHeader + command.cdb_length > length)
    throw std::runtime_error("a request has a field that is not allowed");
  std::copy_n(body.begin() + kHeader, command.cdb_length, command.cdb.begin());
  if (command.direction == platter::scsi::Direction::to_device)
    command.data.assign(body.begin() + kHeader + command.cdb_length, body.end());
  if (command.direction == platter::scsi::Direction::to_device &&
      command.data.size() != command.transfer_length)
    throw std::runtime_error("a request's data are not as long as it says");
  return request;
}

void answer(Served& drive, const Request& request, int output) {
  const auto none = [&](std::int64_t time_ns) {
    write_all(output, reply(static_cast<std::uint64_t>(time_ns), 0, kNone, {}, 0, {}));
  };
  switch (request.kind) {
    case 0:
      drive.advance_to(request.issue_ns);
      drive.submit(request.command, request.tag);
      if (!request.more) write_all(output, reply(*drive.reap()));
      return;
    case 1:
      if (const auto done = drive.reap()) return write_all(output, reply(*done));
      return none(drive.now_ns());
    case 2:
      drive.advance_to(request.issue_ns);
      drive.reset();
      return write_all(
          output, reply(static_cast<std::uint64_t>(drive.now_ns()), request.tag, 0, {}, 0, {}));
    default:
      if (const auto done = drive.reap_until(request.issue_ns))
        return write_all(output, reply(*done));
      return none(request.issue_ns);
  }
}

}  // namespace

void serve(Served& drive, int input, int output) {
  try {
    const std::string hello = "SCSIDRV2";
    write_all(output, Bytes(hello.begin(), hello.end()));
    for (Bytes body;;) answer(drive, next_request(input, body), output);
  } catch (const Closed&) {
  }
}

void wait_for_end(int input) {
  std::array<std::uint8_t, 4096> unheard{};
  for (;;) {
    const ssize_t got = ::read(input, unheard.data(), unheard.size());
    if (got == 0 || (got < 0 && errno != EINTR)) return;
  }
}

}  // namespace trust
