#include "emulator/cosim/watchdog.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "catch.h"
#include "emulator/cosim/program_name.h"

using namespace platter;
using emulator::Watchdog;
using std::chrono::milliseconds;

TEST_CASE("A program that comes back to the kernel is left alone, and the kernel is, too") {
  platter_cosim_page page{};
  Watchdog watchdog(page, milliseconds(1000));
  Watchdog::Clock::time_point now{milliseconds(1)};
  page.program = 42;
  for (int i = 0; i < 100; ++i) {
    ++page.turns;
    CHECK_FALSE(watchdog.look(now += milliseconds(900)));
  }
  page.program = 0;
  for (int i = 0; i < 100; ++i) CHECK_FALSE(watchdog.look(now += milliseconds(900)));
}

TEST_CASE("One that does not is named after the patience, and then as time passes") {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, SIG_DFL);
    for (;;) pause();
  }
  platter_cosim_page page{};
  page.program = child;
  Watchdog watchdog(page, milliseconds(1000));
  Watchdog::Clock::time_point now{milliseconds(1)};
  CHECK_FALSE(watchdog.look(now));
  CHECK_FALSE(watchdog.look(now + milliseconds(999)));
  REQUIRE(watchdog.look(now += milliseconds(1000)) == child);
  CHECK(watchdog.next_look_ms() <= 200);
  watchdog.tick(child);
  CHECK(page.tick_ns > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM));
  ++page.turns;  // it was stopped
  CHECK_FALSE(watchdog.look(now += milliseconds(5)));
  const auto step = milliseconds(page.tick_ns / 1000000);
  CHECK(watchdog.look(now += step) == child);
  CHECK(watchdog.next_look_ms() <= step.count());
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
