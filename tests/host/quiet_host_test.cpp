// What --quiet-host does to the thread that measures, as far as this user may: undone at the end,
// and never so that a thread that computes keeps the machine from everything else.
#include "host/quiet_host.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "machine.h"

namespace platter::host {
namespace {

using Clock = std::chrono::steady_clock;

int policy() { return ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK; }

int processors() {
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

bool is_named(const std::vector<std::string>& sentences, const std::string& part) {
  return std::ranges::any_of(sentences,
                             [&](const std::string& s) { return s.find(part) != s.npos; });
}

TEST_CASE("each of what is done is done, or named, and undone") {
  const Machine machine;
  machine.write("dev/cpu_dma_latency", "");
  const int processors_before = processors();
  {
    QuietHost quiet(Thread::waits_for_drive, machine.root());
    CHECK(quiet.done().size() + quiet.not_done().size() == 5);
    CHECK(is_named(quiet.done(), "governor performance (was schedutil of policy0"));
    CHECK(is_named(quiet.done(), "/dev/cpu_dma_latency 0"));
    CHECK(is_named(quiet.done(), "SCHED_FIFO") == (policy() == SCHED_FIFO));
    CHECK(is_named(quiet.done(), "kept on processor") ==
          (processors() == 1 && processors_before > 1));
    CHECK_THAT(quiet.in_words(), Catch::StartsWith("the host was kept quiet (--quiet-host): "));
    CHECK(quiet.end().empty());
    CHECK(machine.shown() == "schedutil powersave");
  }
  CHECK(policy() == SCHED_OTHER);
  CHECK(processors() == processors_before);
  rlimit limit{};
  ::getrlimit(RLIMIT_RTTIME, &limit);
  CHECK(limit.rlim_cur == RLIM_INFINITY);
  struct sigaction action {};
  ::sigaction(SIGXCPU, nullptr, &action);
  CHECK(action.sa_handler == SIG_DFL);
}

TEST_CASE("what is not there is named") {
  const Machine machine;
  fs::remove_all(machine.root() + "/sys");
  const QuietHost quiet(Thread::waits_for_drive, machine.root());
  CHECK(is_named(quiet.not_done(), "no cpufreq"));
  CHECK(is_named(quiet.not_done(), "/dev/cpu_dma_latency is not there"));
}

TEST_CASE("a thread that computes for its drive is moved nowhere") {
  const Machine machine;
  const int processors_before = processors();
  const QuietHost quiet(Thread::computes, machine.root());
  CHECK(policy() == SCHED_OTHER);
  CHECK(processors() == processors_before);
  CHECK(is_named(quiet.not_done(), "the drive computes on this host"));
}

TEST_CASE("two runs get processors of their own") {
  const Machine machine;
  const RunsFolder runs(machine.root());
  const auto change = runs.begin_change();
  std::vector<RunsFolder::Processor> taken;
  while (auto processor = runs.take_processor()) taken.push_back(std::move(*processor));
  CHECK(static_cast<int>(taken.size()) == processors() - 1);
  for (std::size_t i = 1; i < taken.size(); ++i) CHECK(taken[i].number > taken[i - 1].number);
  if (taken.empty()) return;
  const int last = taken.back().number;
  taken.pop_back();
  const auto again = runs.take_processor();
  REQUIRE(again);
  CHECK(again->number == last);
}

void compute_for(std::chrono::milliseconds length) {
  for (const auto end = Clock::now() + length; Clock::now() < end;) {
  }
}

// holds: safety.md: The measuring thread
TEST_CASE("a measuring thread that computes goes back among the others, and in front to measure") {
  transport::MeasuringThread thread;
  if (thread.why_not()) {
    WARN("not tested, for this user may not have SCHED_FIFO: " << *thread.why_not());
    return;
  }
  for (int round = 0; round < 3; ++round) {
    REQUIRE(policy() == SCHED_FIFO);
    // It waits now and then: no time adds up.
    for (int i = 0; i < 6; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // as in a command
      compute_for(std::chrono::milliseconds(50));
    }
    REQUIRE(policy() == SCHED_FIFO);
    compute_for(std::chrono::milliseconds(500));
    REQUIRE(policy() == SCHED_OTHER);
    transport::step_in_front();
  }
  REQUIRE(policy() == SCHED_FIFO);
  std::thread([] { CHECK(policy() == SCHED_OTHER); }).join();  // what it starts is not in front
}

}  // namespace
}  // namespace platter::host
