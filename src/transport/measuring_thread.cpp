#include "transport/measuring_thread.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace platter::transport {
namespace {

// No command computes so long; a person does not notice that a processor is away for it.
constexpr rlim_t kMostComputing_us = 200'000;
constexpr int kLowestInFront = 1;

std::atomic<bool> wanted{false};
std::atomic<bool> went_back{false};
std::atomic<pid_t> measuring{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);
struct sigaction action_before {};
rlimit limit_before{};

std::atomic<bool> pinned{false};
cpu_set_t processors_before;

pid_t this_thread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

// What it starts (a thread of computing, a child) is no measuring thread.
int put_in_front(pid_t thread) {
  const sched_param priority{kLowestInFront};
  return ::sched_setscheduler(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) == 0 ? 0 : errno;
}

void put_back(pid_t thread) noexcept {
  const sched_param none{0};
  ::sched_setscheduler(thread, SCHED_OTHER, &none);
}

// The kernel raises the limit each time it was reached.
void limit_computing() {
  rlimit limit = limit_before;
  limit.rlim_cur = kMostComputing_us;
  ::setrlimit(RLIMIT_RTTIME, &limit);
}

void computed_too_long(int) {
  const int error = errno;
  put_back(measuring.load(std::memory_order_relaxed));
  went_back.store(true, std::memory_order_relaxed);
  errno = error;
}

}  // namespace

MeasuringThread::MeasuringThread() {
  if (wanted) {
    why_not_ = "another thread of this process measures";
    return;
  }
  ::getrlimit(RLIMIT_RTTIME, &limit_before);
  if (limit_before.rlim_max <= 2 * kMostComputing_us) {  // at that one the kernel kills
    why_not_ = "the limit RLIMIT_RTTIME of this process is too short";
    return;
  }
  struct sigaction action {};
  action.sa_handler = computed_too_long;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGXCPU, &action, &action_before);
  measuring = this_thread();
  limit_computing();  // before anything is in front
  if (const int error = put_in_front(0); error != 0) {
    why_not_ = std::strerror(error);
    ::setrlimit(RLIMIT_RTTIME, &limit_before);
    ::sigaction(SIGXCPU, &action_before, nullptr);
    return;
  }
  went_back = false;
  wanted = true;
}

MeasuringThread::~MeasuringThread() {
  if (why_not_) return;
  wanted = false;
  put_back(measuring);
  ::setrlimit(RLIMIT_RTTIME, &limit_before);
  ::sigaction(SIGXCPU, &action_before, nullptr);
}

OnOneProcessor::OnOneProcessor(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  if (::sched_getaffinity(0, sizeof processors_before, &processors_before) != 0 ||
      ::sched_setaffinity(0, sizeof one, &one) != 0) {
    why_not_ = std::strerror(errno);
    return;
  }
  pinned = true;
}

OnOneProcessor::~OnOneProcessor() {
  if (why_not_) return;
  pinned = false;
  ::sched_setaffinity(0, sizeof processors_before, &processors_before);
}

void step_in_front() {
  if (!went_back.load(std::memory_order_relaxed) || !wanted || this_thread() != measuring) return;
  went_back.store(false, std::memory_order_relaxed);
  limit_computing();
  put_in_front(0);
}

void join_measuring() {
  if (pinned) ::sched_setaffinity(0, sizeof processors_before, &processors_before);
  if (wanted) put_in_front(0);
}

}  // namespace platter::transport
