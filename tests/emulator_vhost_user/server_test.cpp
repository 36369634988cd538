// The server over a socket, as a front end has it: in time, one guest after the other, and what is
// wrong with one ends only that one.
#include "emulator/vhost_user/server.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <thread>

#include "catch.h"
#include "drives.h"
#include "emulator/vhost_user/channel.h"
#include "guest.h"
#include "model/leftovers.h"

using namespace platter;
using namespace platter::emulator;
using platter::emulator::testing::Bytes;
using platter::emulator::testing::Guest;
using platter::emulator::testing::say;
using platter::emulator::testing::SmallDrives;

namespace {

constexpr int kSpeed = 20;

class ServedByProtocol {
 public:
  ServedByProtocol() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder_.path() + "/socket";
    std::copy(path.begin(), path.end(), address.sun_path);
    REQUIRE(::bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listening_, 8) == 0);
    address_ = address;
    server_ = std::make_unique<Server>(
        small.drives, clock_, delay_,
        Server::Surroundings{listening_, wake_, nullptr, nullptr,
                             [this] { return asked_.exchange(Server::Asked::nothing); },
                             [this](const std::string& sentence) {
                               const std::lock_guard lock(mutex_);
                               notices_.push_back(sentence);
                             },
                             [this] { ++reports; }});
    thread_ = std::thread([this] { server_->run(); });
  }
  ~ServedByProtocol() {
    ask(Server::Asked::end);
    thread_.join();
    ::close(listening_);
    ::close(wake_);
  }
  void ask(Server::Asked what) {
    while (asked_.load() != Server::Asked::nothing) std::this_thread::yield();
    asked_ = what;
    eventfd_write(wake_, 1);
    while (asked_.load() != Server::Asked::nothing) std::this_thread::yield();
    eventfd_t times = 0;
    eventfd_read(wake_, &times);
  }
  int connect() const {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(::connect(socket, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) == 0);
    return socket;
  }
  std::vector<std::string> notices() {
    const std::lock_guard lock(mutex_);
    return notices_;
  }

  SmallDrives small{2};
  std::atomic<int> reports{0};

 private:
  model::TemporaryFolder folder_{model::temporary_name("platter-test")};
  int listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  sockaddr_un address_{};
  DriveClock clock_{host_now_ns(), kSpeed};
  TransportDelay delay_{};
  std::atomic<Server::Asked> asked_{Server::Asked::nothing};
  std::mutex mutex_{};
  std::vector<std::string> notices_{};
  std::unique_ptr<Server> server_{};
  std::thread thread_{};
};

struct Client {
  explicit Client(const ServedByProtocol& served, std::uint16_t first_id = 0)
      : guest(first_id), socket(served.connect()) {
    guest.begin([&](const Message& message) {
      REQUIRE(say(socket, message));
      if (message.kind == MessageKind::get_features) {
        while (true)
          if (const auto reply = receive(socket)) break;
      }
    });
  }
  ~Client() { ::close(socket); }
  Guest::Answer answered(const Guest::Asked& asked) {
    const std::uint16_t id = guest.ask(asked);
    guest.kick();
    for (;;) {
      eventfd_t times = 0;
      eventfd_read(guest.call_descriptor(), &times);
      if (auto answer = guest.answer()) {
        CHECK(answer->id == id);  // nothing of another guest
        return *std::move(answer);
      }
    }
  }
  bool is_hung_up() const {
    std::uint8_t byte = 0;
    return ::recv(socket, &byte, 1, 0) == 0;
  }

  Guest guest;
  int socket;
};

const Bytes kReady{0, 0, 0, 0, 0, 0};
const Bytes kRead{0x28, 0, 0, 0, 0, 100, 0, 0, 2, 0};

}  // namespace

TEST_CASE("server: answers come, and not before their time", "[server]") {
  ServedByProtocol served;
  Client client(served);
  for (std::uint8_t target = 0; target < 2; ++target) {
    CHECK(client.answered({.target = target, .cdb = kReady}).status == 0);
    const Nanoseconds before = host_now_ns();
    CHECK(client.answered({.target = target, .cdb = kRead, .in = 1024}).status == 0);
    CHECK(host_now_ns() - before > 50 * kMicrosecond / kSpeed);
  }
  CHECK(served.notices().empty());
}

TEST_CASE("server: a guest goes and another one comes, the blocks stay", "[server]") {
  ServedByProtocol served;
  {
    Client client(served);
    CHECK(client.answered({.cdb = {0x2a, 0, 0, 0, 0, 100, 0, 0, 2, 0}, .out = Bytes(1024, 7)})
              .status == 0);
    // Gone in the middle of much.
    for (std::uint8_t i = 0; i < 30; ++i)
      client.guest.ask({.cdb = {0x28, 0, 0, 0, i, 0, 0, 0, 2, 0}, .in = 1024});
    client.guest.kick();
    while (!client.guest.answer()) std::this_thread::yield();
  }
  for (int i = 0; i < 5; ++i) {
    Client client(served, 1);
    CHECK(client.answered({.cdb = kRead, .in = 1024}).data == Bytes(1024, 7));
  }
}

// holds: emulators.md: Whatever one guest or client
TEST_CASE("server: a broken guest is sent away with a sentence, and the next is served",
          "[server]") {
  ServedByProtocol served;
  {
    Client client(served);
    client.guest.set_descriptor(2, 0, {~std::uint64_t{0}, 51, 0, 0});
    client.guest.offer(2, 0);
    client.guest.kick();
    CHECK(client.is_hung_up());
  }
  {
    Client client(served);
    REQUIRE(say(client.socket, Guest::message(MessageKind::set_vring_num, 99u, 1u)));
    CHECK(client.is_hung_up());
  }
  {
    Client client(served);
    Message other_version = Guest::message(MessageKind::set_owner);
    other_version.flags = 2;
    REQUIRE(say(client.socket, other_version));
    CHECK(client.is_hung_up());
  }
  {
    Client client(served);
    const std::array<std::uint32_t, 3> header{1, 1, 0xffffffff};
    REQUIRE(::send(client.socket, header.data(), 12, 0) == 12);
    CHECK(client.is_hung_up());
  }
  {
    Client client(served);  // a message without its end
    const std::array<std::uint32_t, 3> header{1, 1, 8};
    REQUIRE(::send(client.socket, header.data(), 12, 0) == 12);
    REQUIRE(::shutdown(client.socket, SHUT_WR) == 0);
    CHECK(client.is_hung_up());
  }
  const auto notices = served.notices();
  REQUIRE(notices.size() == 5);
  CHECK(notices[0] == "the guest is not served any more: a buffer is not in the memory");
  Client client(served);
  CHECK(client.answered({.cdb = kReady}).status == 0);
}

// holds: emulators.md: Whatever one guest or client
// holds: emulators.md: Who comes and says nothing
TEST_CASE("server: guests are served beside each other, and one that says nothing holds up none",
          "[server]") {
  ServedByProtocol served;
  const int silent = served.connect(), half = served.connect();
  const std::array<std::uint32_t, 3> header{1, 1, 8};
  REQUIRE(::send(half, header.data(), 7, 0) == 7);
  Client first(served), second(served, 1);
  CHECK(first.answered({.cdb = kReady}).status == 0);
  CHECK(
      first.answered({.cdb = {0x2a, 0, 0, 0, 0, 100, 0, 0, 2, 0}, .out = Bytes(1024, 7)}).status ==
      0);
  CHECK(second.answered({.cdb = kRead, .in = 1024}).data == Bytes(1024, 7));
  CHECK(first.answered({.cdb = kRead, .in = 1024}).data == Bytes(1024, 7));
  ::close(silent);
  ::close(half);
}

// holds: emulators.md: Who comes and says nothing
TEST_CASE("server: who has not begun makes room for one more", "[server]") {
  ServedByProtocol served;
  std::vector<int> silent;
  for (std::size_t i = 0; i < 2 * Server::kMostGuests; ++i) silent.push_back(served.connect());
  Client client(served);
  CHECK(client.answered({.cdb = kReady}).status == 0);
  std::uint8_t byte = 0;
  CHECK(::recv(silent.front(), &byte, 1, 0) == 0);
  CHECK(client.answered({.cdb = kReady}).status == 0);
  for (const int each : silent) ::close(each);
}

TEST_CASE("server: a queue is stopped when what it asked is answered", "[server]") {
  ServedByProtocol served;
  Client client(served);
  for (std::uint8_t i = 0; i < 10; ++i)
    client.guest.ask({.cdb = {0x28, 0, 0, 0, i, 0, 0, 0, 2, 0}, .in = 1024});
  client.guest.kick();
  while (!client.guest.answer()) std::this_thread::yield();
  REQUIRE(say(client.socket, Guest::message(MessageKind::get_vring_base, std::uint32_t{2}, 0u)));
  const auto reply = receive(client.socket);
  REQUIRE(reply);
  CHECK(reply->number<std::uint32_t>(4) == std::uint32_t{10});
  for (int i = 0; i < 9; ++i) CHECK(client.guest.answer());
}

// holds: emulators.md: What is outstanding when
TEST_CASE("server: power that is cut hangs up, and the drives forget their caches", "[server]") {
  ServedByProtocol served;
  {
    Client client(served);
    client.answered({.cdb = kRead, .in = 1024});
    served.ask(Server::Asked::power_cut);
    CHECK(client.is_hung_up());
  }
  Client client(served);
  const auto told = client.answered({.cdb = kReady});
  CHECK(told.status == 2);
  CHECK(told.sense.at(12) == 0x29);
  served.ask(Server::Asked::report);
  CHECK(served.reports == 1);
}
