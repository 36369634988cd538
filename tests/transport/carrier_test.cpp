// Both ways into the kernel, with a kernel of our own behind them: a drive that takes as many
// commands as come and answers them in another order.
#include <linux/bsg.h>
#include <scsi/sg.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <system_error>
#include <thread>
#include <vector>

#include "catch.h"
#include "fake_node.h"
#include "scsi/bytes.h"
#include "scsi/commands.h"
#include "transport/asynchronous_sg.h"
#include "transport/flight.h"
#include "transport/in_flight.h"
#include "transport/threads_of_ioctl.h"

namespace platter::transport {
namespace {

constexpr std::size_t kMost = 16;
constexpr std::uint32_t kBlock = 512;

std::uint8_t pattern(std::uint64_t lbn) { return static_cast<std::uint8_t>(lbn * 37 + 11); }

// What is asked for decides how long it takes, and what goes wrong.
struct Drive {
  std::function<Nanoseconds(std::uint64_t lbn)> takes_ns = [](std::uint64_t) { return 0; };
  std::function<int(std::uint64_t lbn)> error = [](std::uint64_t) { return 0; };  // errno
  std::function<std::uint32_t(std::uint64_t lbn)> host = [](std::uint64_t) { return 0; };
  std::atomic<int> under_way{0}, most_under_way{0}, garbled_writes{0};
  std::atomic<bool> gone{false};

  int serve(const std::uint8_t* cdb, std::uint8_t* read, const std::uint8_t* written,
            std::uint32_t bytes, std::uint32_t& host_status) {
    const std::uint64_t lbn = scsi::get_be(cdb + 2, 4);
    const int now = ++under_way;
    for (int most = most_under_way; most < now && !most_under_way.compare_exchange_weak(most, now);)
      ;
    std::this_thread::sleep_for(std::chrono::nanoseconds(takes_ns(lbn)));
    for (std::uint32_t i = 0; i < bytes && !gone; ++i) {  // the sg driver copies in read() alone
      if (read) read[i] = pattern(lbn + i / kBlock);
      if (written && written[i] != pattern(lbn + i / kBlock)) ++garbled_writes;
    }
    host_status = host(lbn);
    --under_way;
    return error(lbn);
  }

  int serve(sg_io_hdr_t& header) {
    auto* const data = static_cast<std::uint8_t*>(header.dxferp);
    std::uint32_t host_status = 0;
    const int failed = serve(
        header.cmdp, header.dxfer_direction == SG_DXFER_FROM_DEV ? data : nullptr,
        header.dxfer_direction == SG_DXFER_TO_DEV ? data : nullptr, header.dxfer_len, host_status);
    header.host_status = static_cast<unsigned short>(host_status);
    return failed;
  }

  int serve(sg_io_v4& header) {
    const auto at = [](std::uint64_t address) {
      return reinterpret_cast<std::uint8_t*>(static_cast<std::uintptr_t>(address));
    };
    return serve(at(header.request), at(header.din_xferp), at(header.dout_xferp),
                 header.din_xfer_len + header.dout_xfer_len, header.transport_status);
  }
};

class Path {
 public:
  virtual ~Path() = default;
  virtual std::unique_ptr<Carrier> carrier(Arrivals& arrivals) = 0;
};

class IoctlPath final : public Path {
 public:
  IoctlPath(Drive& drive, SgVersion version)
      : version_(version), node_([&drive](void* header) {
          return *static_cast<int*>(header) == 'S' ? drive.serve(*static_cast<sg_io_hdr_t*>(header))
                                                   : drive.serve(*static_cast<sg_io_v4*>(header));
        }) {}
  std::unique_ptr<Carrier> carrier(Arrivals& arrivals) override {
    return std::make_unique<ThreadsOfIoctl>(kFakeNode, version_, kMost, arrivals);
  }

 private:
  SgVersion version_;
  FakeNode node_;
};

// The sg driver's end of each descriptor is a socket, and a thread that answers on it. Errors in
// its read() are not to be had; one that vanishes hangs up.
class SgPath final : public Path {
 public:
  explicit SgPath(Drive& drive) : drive_(drive) {}
  ~SgPath() override {
    vanish();
    for (std::thread& thread : threads_) thread.join();
  }
  std::unique_ptr<Carrier> carrier(Arrivals& arrivals) override {
    return std::make_unique<AsynchronousSg>([this] { return open(); }, kMost, arrivals);
  }
  model::Descriptor open() {
    std::array<int, 2> pair{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair.data()) == 0);
    ends_.emplace_back(pair[1]);
    threads_.emplace_back([this, fd = pair[1]] { serve(fd); });
    return model::Descriptor(pair[0]);
  }
  void vanish() {
    drive_.gone = true;
    for (const model::Descriptor& end : ends_) ::shutdown(end.get(), SHUT_RDWR);
  }

 private:
  void serve(int fd) {
    for (;;) {
      sg_io_hdr_t header{};
      const ssize_t got = ::recv(fd, &header, sizeof header, 0);
      if (got < 0 && errno == EAGAIN) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        continue;
      }
      if (got != sizeof header) return;
      drive_.serve(header);
      if (::send(fd, &header, sizeof header, MSG_NOSIGNAL) != sizeof header) return;
    }
  }

  Drive& drive_;
  std::vector<model::Descriptor> ends_;
  std::vector<std::thread> threads_;
};

std::unique_ptr<Path> path_to(Drive& drive, int which) {
  if (which == 0) return std::make_unique<SgPath>(drive);
  return std::make_unique<IoctlPath>(drive, which == 1 ? SgVersion::three : SgVersion::four);
}

struct Queue {
  explicit Queue(Path& path)
      : commands("/dev/sg0", kMost,
                 [&path](Arrivals& arrivals) { return path.carrier(arrivals); }) {}
  void read(std::uint32_t tag, std::uint64_t lbn, std::uint32_t blocks = 1) {
    REQUIRE(commands.submit(scsi::read_10(lbn, blocks, kBlock), tag));
  }
  InFlight commands;
};

scsi::Command write_of(std::uint64_t lbn, std::uint32_t blocks) {
  std::vector<std::uint8_t> data;
  for (std::uint32_t i = 0; i < blocks; ++i) data.insert(data.end(), kBlock, pattern(lbn + i));
  return scsi::write_10(lbn, blocks, std::move(data), {});
}

}  // namespace

TEST_CASE("as many commands as may be are in the kernel at once, stamped at both ends") {
  const int which = GENERATE(0, 1, 2);
  Drive drive;
  std::atomic<bool> go{false};
  drive.takes_ns = [&](std::uint64_t) {
    while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
  };
  const auto path = path_to(drive, which);
  Queue queue(*path);
  queue.commands.prepare(kMost / 2);  // the others are made when they are needed
  const Nanoseconds begun_ns = HostClock().now_ns();
  for (std::uint32_t tag = 0; tag < kMost; ++tag) queue.read(tag, tag);
  const Nanoseconds sent_ns = HostClock().now_ns();
  while (drive.under_way < static_cast<int>(kMost)) std::this_thread::yield();
  const Nanoseconds released_ns = HostClock().now_ns();
  go = true;
  std::vector<Nanoseconds> issued(kMost);
  for (std::size_t i = 0; i < kMost; ++i) {
    const auto done = queue.commands.reap();
    REQUIRE((done && *done));
    issued[(*done)->tag] = (*done)->issued_ns;
    CHECK((*done)->completed_ns >= released_ns);
    CHECK((*done)->completed_ns <= HostClock().now_ns());
  }
  CHECK(std::ranges::is_sorted(issued));  // in the order of their sending
  CHECK((issued.front() >= begun_ns && issued.back() <= sent_ns));
}

TEST_CASE("a completion is stamped when it comes, not when it is reaped") {
  const int which = GENERATE(0, 1, 2);
  Drive drive;
  const auto path = path_to(drive, which);
  Queue queue(*path);
  queue.read(1, 7);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const Nanoseconds reaped_ns = HostClock().now_ns();
  const auto done = queue.commands.reap();
  REQUIRE((done && *done));
  CHECK((*done)->completed_ns < reaped_ns);
  CHECK((*done)->completed_ns - (*done)->issued_ns < (reaped_ns - (*done)->issued_ns) / 2);
}

TEST_CASE("property: at depth, each command has its own data, status and error") {
  const int which = GENERATE(0, 1, 2);
  std::mt19937 random(static_cast<unsigned>(which));
  Drive drive;
  drive.takes_ns = [](std::uint64_t lbn) { return static_cast<Nanoseconds>(lbn * 7919 % 800'000); };
  drive.error = [](std::uint64_t lbn) { return lbn % 31 == 5 ? ENOMEM : 0; };
  drive.host = [](std::uint64_t lbn) { return lbn % 29 == 3 ? 7U : 0U; };
  if (which == 0) drive.error = [](std::uint64_t) { return 0; };
  const auto path = path_to(drive, which);
  Queue queue(*path);
  struct Sent {
    std::uint64_t lbn;
    std::uint32_t blocks;
    bool write;
  };
  std::map<std::uint32_t, Sent> sent;
  std::uint32_t next_tag = 1;
  int failures = 0, expected_failures = 0, good = 0;
  const auto reap = [&] {
    const auto done = queue.commands.reap();
    if (!done) return void(++failures);
    REQUIRE(*done);
    const auto found = sent.find((*done)->tag);
    REQUIRE(found != sent.end());
    const Sent& of = found->second;
    CHECK((*done)->data.size() == (of.write ? 0 : of.blocks * kBlock));
    for (std::size_t i = 0; i < (*done)->data.size(); i += 101)
      if ((*done)->data[i] != pattern(of.lbn + i / kBlock)) FAIL("data of another command");
    sent.erase(found);
    ++good;
  };
  constexpr int kCommands = 600;
  for (int i = 0; i < kCommands; ++i) {
    const Sent one{random() % 100'000, 1 + static_cast<std::uint32_t>(random() % 40),
                   random() % 2 == 0};
    const bool fails = drive.error(one.lbn) != 0 || drive.host(one.lbn) != 0;
    expected_failures += fails ? 1 : 0;
    if (!fails) sent[next_tag] = one;
    REQUIRE(queue.commands.submit(
        one.write ? write_of(one.lbn, one.blocks) : scsi::read_10(one.lbn, one.blocks, kBlock),
        next_tag++));
    if (i + 1 >= static_cast<int>(kMost)) reap();
  }
  while (!queue.commands.empty()) reap();
  CHECK(sent.empty());
  CHECK(failures == expected_failures);
  CHECK(failures > 0);
  CHECK(good + failures == kCommands);
  CHECK(drive.garbled_writes == 0);
  CHECK(drive.most_under_way > 4);
}

TEST_CASE("ended with commands in flight, it waits for the kernel and nothing else") {
  const int which = GENERATE(0, 1, 2);
  Drive drive;
  drive.takes_ns = [](std::uint64_t) { return 30 * kMillisecond; };
  const auto path = path_to(drive, which);
  {
    Queue queue(*path);
    for (std::uint32_t tag = 0; tag < kMost; ++tag) queue.read(tag, tag, 64);
  }
  CHECK(drive.under_way == 0);
}

TEST_CASE("a drive that vanishes gives back all that was in flight as errors") {
  Drive drive;
  std::atomic<bool> go{false};
  drive.takes_ns = [&](std::uint64_t) {
    while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
  };
  SgPath path(drive);
  {
    Queue queue(path);
    for (std::uint32_t tag = 0; tag < kMost; ++tag) queue.read(tag, tag);
    while (drive.under_way < static_cast<int>(kMost)) std::this_thread::yield();
    path.vanish();
    for (std::size_t i = 0; i < kMost; ++i) {
      const auto done = queue.commands.reap();
      REQUIRE_FALSE(done);
      CHECK(done.error().kind == scsi::TransportError::Kind::gone);
    }
    const auto last = queue.commands.reap();
    CHECK((last && !*last));
  }
  go = true;
}

TEST_CASE("a node that cannot be opened once more refuses that command alone") {
  Drive drive;
  SgPath path(drive);
  int opened = 0;
  InFlight commands("/dev/sg0", kMost, [&](Arrivals& arrivals) {
    return std::make_unique<AsynchronousSg>(
        [&]() -> model::Descriptor {
          if (++opened == 2) throw std::system_error(EMFILE, std::generic_category());
          return path.open();
        },
        kMost, arrivals);
  });
  commands.prepare(1);
  CHECK(opened == 1);
  REQUIRE(commands.submit(scsi::read_10(1, 1, kBlock), 1));
  const auto refused = commands.submit(scsi::read_10(2, 1, kBlock), 2);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().sentence.find("smaller --depth") != std::string::npos);
  REQUIRE(commands.submit(scsi::read_10(3, 1, kBlock), 3));
  for (int i = 0; i < 2; ++i) {
    const auto done = commands.reap();
    REQUIRE((done && *done));
    CHECK((*done)->data.at(0) == pattern((*done)->tag));
  }
  CHECK(commands.empty());
}

}  // namespace platter::transport
