// Descriptors of a guest who does with them what he likes: nothing of it makes the server wait, or
// keeps it awake.
#include "emulator/vhost_user/doorbell.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <atomic>
#include <csignal>
#include <limits>
#include <thread>
#include <vector>

#include "catch.h"
#include "emulator/vhost_user/foreign_file.h"

using namespace platter::emulator;

namespace {

constexpr std::uint64_t kFull = std::numeric_limits<std::uint64_t>::max() - 1;

struct Pipe {
  Pipe() { REQUIRE(pipe(ends) == 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void fill() const {
    REQUIRE(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    const std::vector<char> bytes(4096);
    while (write(ends[1], bytes.data(), bytes.size()) > 0) {
    }
    REQUIRE(fcntl(ends[1], F_SETFL, 0) == 0);
  }
  int ends[2] = {-1, -1};
};

struct Event {
  explicit Event(int flags = 0) : descriptor(eventfd(0, flags)) {}
  ~Event() { close(descriptor); }
  int descriptor;
};

bool is_readable(int descriptor) {
  pollfd look{descriptor, POLLIN, 0};
  return poll(&look, 1, 0) == 1;
}

}  // namespace

// holds: emulators.md: A descriptor that a program
TEST_CASE("doorbell: what may be one", "[doorbell]") {
  const Pipe pipe;
  const Event event;
  int sockets[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  const int device = open("/dev/zero", O_RDWR), file = open("/proc/self/exe", O_RDONLY),
            proc = open("/proc/self/maps", O_RDONLY), epoll = epoll_create1(0),
            memory = memfd_create("guest", 0), internet = socket(AF_INET, SOCK_STREAM, 0);
  for (const int descriptor : {pipe.ends[0], pipe.ends[1], event.descriptor, sockets[0]}) {
    CHECK(is_kernels(descriptor));
    CHECK(is_local(descriptor));
  }
  for (const int descriptor : {device, file, memory, proc, epoll, internet, -1})
    CHECK_FALSE(is_kernels(descriptor));
  // Files may be memory; what waits for a device, a program or another host may not.
  for (const int descriptor : {file, memory}) CHECK(is_local(descriptor));
  for (const int descriptor : {device, epoll, internet, -1}) CHECK_FALSE(is_local(descriptor));
  for (const int descriptor : {device, file, proc, epoll, memory, internet, sockets[0], sockets[1]})
    close(descriptor);
}

// holds: emulators.md: A guest that does not take
TEST_CASE("doorbell: one that is full or closed is not waited for", "[doorbell]") {
  std::signal(SIGPIPE, SIG_IGN);
  Patience patience;
  Pipe pipe;
  CHECK(ring(pipe.ends[1], patience));
  std::uint64_t got = 0;
  CHECK(read(pipe.ends[0], &got, sizeof got) == sizeof got);
  CHECK(got == 1);
  pipe.fill();
  CHECK(ring(pipe.ends[1], patience));
  close(pipe.ends[0]);
  CHECK(ring(pipe.ends[1], patience));
  pipe.ends[0] = -1;
  const Event event;
  CHECK(ring(event.descriptor, patience));
  CHECK(eventfd_read(event.descriptor, &got) == 0);
  CHECK(got == 1);
  REQUIRE(eventfd_write(event.descriptor, kFull) == 0);
  CHECK(ring(event.descriptor, patience));
}

TEST_CASE("doorbell: one that is filled behind the look ends the call", "[doorbell]") {
  Patience patience;
  const Event event;
  REQUIRE(eventfd_write(event.descriptor, kFull) == 0);
  const std::uint64_t once = 1;
  errno = 0;
  CHECK(patience.within([&] { return write(event.descriptor, &once, sizeof once); }) < 0);
  CHECK(errno == EINTR);
}

// holds: emulators.md: A guest that does not take
TEST_CASE("doorbell: a kick is told once, and what stays readable is not", "[doorbell]") {
  Patience patience;
  Doorbells doorbells;
  const Event event(EFD_SEMAPHORE);
  Kick kick(platter::model::Descriptor(dup(event.descriptor)), &doorbells, 7);
  CHECK(kick.is_watched());
  CHECK_FALSE(is_readable(doorbells.descriptor()));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(eventfd_write(event.descriptor, 5) == 0);
    REQUIRE(is_readable(doorbells.descriptor()));
    const auto rung = doorbells.rung();
    REQUIRE(rung.size() == 1);
    CHECK(rung[0].number == 7);
    kick.drain(patience);
    CHECK_FALSE(is_readable(doorbells.descriptor()));
  }
  kick = Kick();
  REQUIRE(eventfd_write(event.descriptor, 1) == 0);
  CHECK_FALSE(is_readable(doorbells.descriptor()));  // though the guest has it still
}

TEST_CASE("doorbell: a pipe that kicks is emptied, and one that is closed is told once",
          "[doorbell]") {
  Patience patience;
  Doorbells doorbells;
  Pipe pipe;
  const Kick kick(platter::model::Descriptor(dup(pipe.ends[0])), &doorbells, 3);
  for (int i = 0; i < 2; ++i) {
    pipe.fill();
    REQUIRE(doorbells.rung().size() == 1);
    kick.drain(patience);
    CHECK_FALSE(is_readable(pipe.ends[0]));
  }
  close(pipe.ends[1]);
  pipe.ends[1] = -1;
  CHECK(doorbells.rung().size() == 1);
  kick.drain(patience);
  CHECK_FALSE(is_readable(doorbells.descriptor()));
}
