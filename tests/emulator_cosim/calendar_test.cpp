// The calendar and its branch in the guest, between a kernel and drives that are played.
#include "emulator/cosim/calendar.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "emulator/vhost_user/message.h"
#include "fake_kernel.h"

using namespace platter;
using emulator::Calendar;
using emulator::testing::FakeKernel;
using emulator::testing::Kick;

namespace {

struct SocketPair {
  SocketPair() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0); }
  ~SocketPair() {
    for (const int end : ends)
      if (end >= 0) close(end);
  }
  void hang_up(std::size_t end) {
    close(ends[end]);
    ends[end] = -1;
  }
  std::array<int, 2> ends{};
};

// A request is done so long after it came as it says.
class FakeDrives final : public emulator::SimulatedDrives {
 public:
  FakeDrives(int socket, int interrupts) : socket_(socket), interrupts_(interrupts) {}

  int socket() const override { return socket_; }
  bool take(Nanoseconds now_ns) override {
    Kick kick{};
    if (recv(socket_, &kick, sizeof kick, MSG_WAITALL) != sizeof kick) return false;
    came_ns.push_back(now_ns);
    due_.emplace(now_ns + kick.takes_ns, true);
    if (looks_early_ns > 0) due_.emplace(now_ns + kick.takes_ns - looks_early_ns, false);
    return true;
  }
  void answer() override { send(socket_, "a", 1, 0); }
  std::optional<Nanoseconds> due() const override {
    return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
  }
  bool deliver(Nanoseconds until_ns) override {
    bool interrupts = false;
    while (!due_.empty() && due_.begin()->first <= until_ns) {
      interrupts = interrupts || due_.begin()->second;
      due_.erase(due_.begin());
    }
    if (interrupts) send(interrupts_, "i", 1, 0);
    return interrupts;
  }

  std::vector<Nanoseconds> came_ns{};
  Nanoseconds looks_early_ns = 0;  // before there is a completion, a look says that one may be due

 private:
  int socket_, interrupts_;
  std::multimap<Nanoseconds, bool> due_{};
};

// A kernel on this thread, its calendar on another.
struct Simulation {
  explicit Simulation(double cpu_factor = 0)
      : kernel(calendar.ends[1], kicks.ends[1], interrupts.ends[1], page, 86'400'000'000'000),
        drives(kicks.ends[0], interrupts.ends[0]),
        emulator(drives, page, calendar.ends[0], cpu_factor),
        thread([this] { serve(); }) {}
  ~Simulation() { end(); }
  void end() {
    if (!thread.joinable()) return;
    shutdown(calendar.ends[1], SHUT_RDWR);
    shutdown(kicks.ends[1], SHUT_RDWR);
    thread.join();
  }
  void serve() {
    try {
      for (;;) {
        std::array<pollfd, 2> watched{{{kicks.ends[0], POLLIN, 0}, {calendar.ends[0], POLLIN, 0}}};
        poll(watched.data(), 2, -1);
        if (!(watched[0].revents != 0 ? emulator.serve_drives() : emulator.serve_kernel())) return;
      }
    } catch (const emulator::BrokenGuest& guest) {
      broken = guest.what;
      shutdown(calendar.ends[0], SHUT_RDWR);
    }
  }

  SocketPair calendar{}, kicks{}, interrupts{};
  platter_cosim_page page{};
  FakeKernel kernel;
  FakeDrives drives;
  Calendar emulator;
  std::string broken{};
  std::thread thread;
};

}  // namespace

TEST_CASE("While no drive is busy, a kernel runs without a message") {
  Simulation simulation;
  for (int i = 0; i < 1000; ++i) simulation.kernel.read_clock();
  simulation.kernel.add_timer(1'000'000);
  simulation.kernel.run_until(10'000'000);
  CHECK(simulation.kernel.now_ns() == 10'000'000);
  CHECK(simulation.kernel.time_of_day() == 86'400'000'000'000);
  simulation.end();
  CHECK(simulation.emulator.counts().messages == 0);
}

TEST_CASE("A drive interrupts at its time, with two messages") {
  Simulation simulation;
  FakeKernel& kernel = simulation.kernel;
  kernel.run_until(1000);
  kernel.kick(5'000'000);
  kernel.read_clock();
  kernel.wait_for_interrupt();
  CHECK(kernel.now_ns() == 5'001'000);
  kernel.kick(2'000'000);
  kernel.add_timer(6'000'000);
  kernel.add_timer(9'000'000);
  kernel.wait_for_interrupt();
  CHECK(kernel.now_ns() == 7'001'000);
  simulation.end();
  CHECK(simulation.drives.came_ns == std::vector<Nanoseconds>{1000, 5'001'000});
  CHECK(simulation.emulator.counts().messages == 4);
  CHECK(simulation.emulator.now_ns() == 7'001'000);
}

TEST_CASE("What a drive does at the very time of a timer comes first") {
  Simulation simulation;
  simulation.kernel.kick(1000);
  simulation.kernel.add_timer(1000);
  simulation.kernel.wait_for_interrupt();
  CHECK(simulation.kernel.now_ns() == 1000);
  CHECK(simulation.kernel.timers_left() == 1);
  simulation.kernel.run_until(2000);
  CHECK(simulation.kernel.interrupted() == 1);
}

TEST_CASE("A look that finds nothing interrupts nobody") {
  Simulation simulation;
  simulation.drives.looks_early_ns = 300;
  simulation.kernel.kick(1000);
  simulation.kernel.add_timer(800);
  simulation.kernel.run_until(900);
  CHECK(simulation.kernel.interrupted() == 0);
  simulation.kernel.wait_for_interrupt();
  CHECK(simulation.kernel.now_ns() == 1000);
}

TEST_CASE("A request that is answered at once interrupts at the time of its kick") {
  Simulation simulation;
  simulation.kernel.run_until(500);
  simulation.kernel.kick(0);
  simulation.kernel.wait_for_interrupt();
  CHECK(simulation.kernel.now_ns() == 500);
}

TEST_CASE("What was computed is charged to the next request, on top of what is charged already") {
  Simulation simulation(2.5);
  FakeKernel& kernel = simulation.kernel;
  kernel.run_until(1000);
  simulation.page.cpu_ns = 400;
  kernel.kick(100);
  kernel.kick(100);
  simulation.page.cpu_ns = 800;
  kernel.kick(100);
  kernel.wait_for_interrupt();
  CHECK(kernel.now_ns() == 2100);
  kernel.wait_for_interrupt();
  CHECK(kernel.now_ns() == 3100);
  kernel.run_until(10'000);
  simulation.page.cpu_ns = 1200;
  kernel.kick(0);
  simulation.end();
  CHECK(simulation.drives.came_ns == std::vector<Nanoseconds>{2000, 2000, 3000, 11'000});
}

TEST_CASE("A guest that waits for ever is told so") {
  Simulation simulation;
  const um_timetravel_msg ask{UM_TIMETRAVEL_REQUEST, 1, INT64_MAX};
  const um_timetravel_msg wait{UM_TIMETRAVEL_WAIT, 2, UINT64_MAX};
  um_timetravel_msg answer{};
  local_calendar_take(&ask);
  local_calendar_give(&answer);
  local_calendar_take(&wait);
  local_calendar_give(&answer);
  CHECK(local_calendar_give(&answer) == 0);
  simulation.end();
  CHECK(simulation.broken.find("never comes") != std::string::npos);
}

TEST_CASE("What is no message of a kernel that waits breaks a guest") {
  Simulation simulation;
  const um_timetravel_msg message{UM_TIMETRAVEL_REQUEST, 1, 5};
  REQUIRE(send(simulation.calendar.ends[1], &message, sizeof message, 0) == sizeof message);
  char byte = 0;
  CHECK(recv(simulation.calendar.ends[1], &byte, 1, 0) == 0);
  simulation.end();
  CHECK(simulation.broken.find("does not say") != std::string::npos);
}

TEST_CASE("Half a message, and then nothing, is a guest that is gone") {
  Simulation simulation;
  REQUIRE(send(simulation.calendar.ends[1], "abc", 3, 0) == 3);
  simulation.end();
  CHECK(simulation.broken.empty());
}

// The attacker: timers, readings and requests at random, against the plainest simulation of them.
TEST_CASE("Any guest meets its timers and interrupts at their times, in order") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](int most) { return static_cast<Nanoseconds>(random() % most); };
    Simulation simulation;
    simulation.drives.looks_early_ns = seed % 2 == 0 ? 40 : 0;
    FakeKernel& kernel = simulation.kernel;
    std::multiset<Nanoseconds> completions;  // that have not come
    int came = 0;
    const auto has_come = [&] {
      int interrupts = 0;
      while (!completions.empty() && *completions.begin() <= kernel.now_ns()) {
        const Nanoseconds at_ns = *completions.begin();
        interrupts += 1;
        completions.erase(at_ns);  // those at one time come with one interrupt
      }
      came += interrupts;
    };
    for (int i = 0; i < 300; ++i) {
      const auto what = up_to(10);
      if (what < 4) {
        kernel.read_clock();
      } else if (what < 7) {
        const Nanoseconds takes_ns = 50 + up_to(100'000);
        completions.insert(kernel.now_ns() + takes_ns);
        kernel.kick(takes_ns);
      } else if (what < 8) {
        kernel.add_timer(kernel.now_ns() + 1 + up_to(50'000));
      } else if (what < 9 || completions.empty()) {
        kernel.run_until(kernel.now_ns() + 1 + up_to(60'000));
      } else {
        const Nanoseconds first_ns = *completions.begin();
        kernel.wait_for_interrupt();
        REQUIRE(kernel.now_ns() == first_ns);
      }
      has_come();
      REQUIRE(kernel.interrupted() == came);
    }
    while (!completions.empty()) {
      kernel.wait_for_interrupt();
      REQUIRE(kernel.now_ns() == *completions.begin());
      has_come();
    }
    simulation.end();
    CHECK(simulation.broken.empty());
    // Two for an interrupt; and for a timer that a look which finds nothing lies before.
    if (seed % 2 == 1) CHECK(simulation.emulator.counts().messages == 2U * kernel.interrupted());
  }
}

TEST_CASE("An interrupt that comes while another waits to be enabled is no time to go on at") {
  Simulation simulation;
  FakeKernel& kernel = simulation.kernel;
  kernel.kick(1000);
  kernel.kick(3000);
  kernel.kick(4000);
  kernel.disable_interrupts();
  kernel.run_until(10'000);  // clocks are read, with interrupts disabled
  CHECK(kernel.interrupted() == 0);
  kernel.enable_interrupts();
  CHECK(kernel.interrupted() == 1);
  kernel.kick(500);
  kernel.wait_for_interrupt();
  CHECK(kernel.now_ns() == 10'500);
}

TEST_CASE("At its end the guest does not go on, and what a drive does at that time is not done") {
  const std::uint64_t asked_ns = GENERATE(999, 1000, 1001, 5000);
  const Nanoseconds takes_ns = GENERATE(0, 500, 1000, 7000);
  CAPTURE(asked_ns, takes_ns);
  SocketPair calendar, kicks, interrupts;
  platter_cosim_page page{};
  FakeDrives drives(kicks.ends[0], interrupts.ends[0]);
  Calendar emulator(drives, page, calendar.ends[0]);
  emulator.end_at(1000);
  CHECK(page.due_ns == 1000);  // the kernel's own branch asks then
  if (takes_ns > 0) {
    const Kick kick{takes_ns};
    REQUIRE(send(kicks.ends[1], &kick, sizeof kick, 0) == sizeof kick);
    REQUIRE(emulator.serve_drives());
  }
  const um_timetravel_msg wait{UM_TIMETRAVEL_WAIT, 1, asked_ns};
  REQUIRE(send(calendar.ends[1], &wait, sizeof wait, 0) == sizeof wait);
  const bool drive_first = takes_ns == 500;
  CHECK(emulator.serve_kernel() == (drive_first || asked_ns < 1000));
  CHECK(emulator.is_at_end() == !(drive_first || asked_ns < 1000));
  CHECK(emulator.now_ns() ==
        (drive_first ? 500 : std::min<Nanoseconds>(1000, static_cast<Nanoseconds>(asked_ns))));
}

TEST_CASE("A request that comes at the end, or behind it, has no answer") {
  SocketPair calendar, kicks, interrupts;
  platter_cosim_page page{};
  FakeDrives drives(kicks.ends[0], interrupts.ends[0]);
  Calendar emulator(drives, page, calendar.ends[0]);
  emulator.end_at(1000);
  page.guest_ns = GENERATE(1000, 1300);
  const Kick kick{10};
  REQUIRE(send(kicks.ends[1], &kick, sizeof kick, 0) == sizeof kick);
  CHECK_FALSE(emulator.serve_drives());
  CHECK(emulator.is_at_end());
  CHECK(drives.came_ns.empty());
}
