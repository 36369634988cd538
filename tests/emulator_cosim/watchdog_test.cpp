#include "emulator/cosim/watchdog.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <thread>

#include "catch.h"
#include "emulator/cosim/program_name.h"

using namespace platter;
using emulator::Watchdog;
using std::chrono::milliseconds;

namespace {

struct BusyHost {
  std::chrono::nanoseconds computed{0};
  Watchdog::Computed clock() {
    return [this](pid_t) { return computed; };
  }
};

}  // namespace

TEST_CASE("A program that comes back to the kernel is left alone, and the kernel is, too") {
  platter_cosim_page page{};
  BusyHost host;
  Watchdog watchdog(page, milliseconds(1000), host.clock());
  page.program = 42;
  for (int i = 0; i < 100; ++i) {
    ++page.turns;
    host.computed += milliseconds(900);
    CHECK_FALSE(watchdog.look());
  }
  page.program = 0;
  for (int i = 0; i < 100; ++i) {
    host.computed += milliseconds(900);
    CHECK_FALSE(watchdog.look());
  }
}

TEST_CASE("One that does not is named after the patience, and then as it computes") {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, SIG_DFL);
    for (;;) pause();
  }
  platter_cosim_page page{};
  page.program = child;
  BusyHost host;
  Watchdog watchdog(page, milliseconds(1000), host.clock());
  CHECK_FALSE(watchdog.look());
  host.computed = milliseconds(999);
  CHECK_FALSE(watchdog.look());
  host.computed = milliseconds(1000);
  REQUIRE(watchdog.look() == child);
  CHECK(watchdog.next_look_ms() <= 200);
  watchdog.tick(child);
  CHECK(page.tick_ns > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM));
  ++page.turns;  // it was stopped
  page.goes_on = 1;
  host.computed += milliseconds(5);
  CHECK_FALSE(watchdog.look());
  const auto step = milliseconds(page.tick_ns / 1000000);
  host.computed += step;
  CHECK(watchdog.look() == child);
  CHECK(watchdog.next_look_ms() <= step.count());

  ++page.turns;  // it called the kernel
  page.goes_on = 0;
  CHECK_FALSE(watchdog.look());
  host.computed += milliseconds(999);
  CHECK_FALSE(watchdog.look());
  host.computed += milliseconds(1);
  CHECK(watchdog.look() == child);
}

TEST_CASE(
    "Another program begins anew, and what waits for its turn on a busy host does not compute") {
  platter_cosim_page page{};
  std::map<pid_t, std::chrono::nanoseconds> computed{{1, milliseconds(0)}, {2, milliseconds(5000)}};
  Watchdog watchdog(page, milliseconds(1000), [&](pid_t program) { return computed.at(program); });
  page.program = 1;
  CHECK_FALSE(watchdog.look());
  computed[1] = milliseconds(900);
  page.program = 2;
  CHECK_FALSE(watchdog.look());
  for (int i = 0; i < 100; ++i) CHECK_FALSE(watchdog.look());
  computed[2] += milliseconds(1000);
  CHECK(watchdog.look() == 2);
}

TEST_CASE("A process is given what it computed, not what it slept") {
  const pid_t sleeper = fork();
  if (sleeper == 0)
    for (;;) pause();
  const pid_t worker = fork();
  if (worker == 0)
    for (volatile bool on = true; on;) {
    }
  platter_cosim_page page{};
  page.program = sleeper;
  Watchdog asleep(page, milliseconds(50));
  platter_cosim_page busy_page{};
  busy_page.program = worker;
  Watchdog at_work(busy_page, milliseconds(50));
  CHECK_FALSE(asleep.look());
  CHECK_FALSE(at_work.look());
  bool found = false;
  for (int i = 0; i < 6000 && !found; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    found = at_work.look().has_value();
    CHECK_FALSE(asleep.look());
  }
  CHECK(found);
  for (const pid_t child : {sleeper, worker}) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  CHECK_FALSE(at_work.look());  // there is none any more
}

TEST_CASE("A process is called what it executes") {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sleep", "another name", "60", nullptr);
    _exit(127);
  }
  std::string name;
  for (int i = 0; i < 1000 && name != "/bin/sleep"; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    name = emulator::program_name(child, "");
  }
  CHECK(name == "/bin/sleep");
  CHECK(emulator::program_name(child, "/bin/sleep").empty());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(emulator::program_name(child, "").empty());
}
