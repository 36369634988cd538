#include "model/bounded_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "model/interruption.h"
#include "model/leftovers.h"

namespace platter::model {
namespace {

namespace fs = std::filesystem;
using Milliseconds = std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// All that the child needs, made before the fork: behind it nothing may allocate.
struct Start {
  std::vector<char*> words;
  const char *folder, *output, *errors;
  const Bounds* bounds;
  pid_t parent;
  int failed;  // takes errno where the program could not be started
};

bool limit(__rlimit_resource_t what, std::uint64_t soft, std::uint64_t hard) {
  const rlimit limits{soft, hard};
  return ::setrlimit(what, &limits) == 0;
}

bool within(const Bounds& bounds) {
  constexpr unsigned kToDie_s = 5;  // a program that catches SIGXCPU
  return limit(RLIMIT_CPU, bounds.processor_s, bounds.processor_s + kToDie_s) &&
         limit(RLIMIT_AS, bounds.memory_bytes, bounds.memory_bytes) &&
         limit(RLIMIT_FSIZE, bounds.folder_bytes, bounds.folder_bytes) && limit(RLIMIT_CORE, 0, 0);
}

bool open_as(int descriptor, const char* path, int flags) {
  const int opened = ::open(path, flags | O_CLOEXEC, 0600);
  return opened >= 0 && ::dup2(opened, descriptor) >= 0;
}

[[noreturn]] void become(const Start& start) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(1);
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGXCPU}) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (open_as(STDIN_FILENO, "/dev/null", O_RDONLY) &&
      open_as(STDOUT_FILENO, start.output, kWrite) &&
      open_as(STDERR_FILENO, start.errors, kWrite) && ::chdir(start.folder) == 0 &&
      within(*start.bounds))
    ::execv(start.words[0], start.words.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(start.failed, &error, sizeof error);
  ::_exit(1);
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const std::uint64_t size = entry->is_regular_file(gone) ? entry->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

std::string too_much(const Bounds& bounds) {
  return fmt::format("wrote more than {} MB", bounds.folder_bytes >> 20);
}

// Whether it has ended, which a look does not take notice of: its number stays its own.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

// What made us end it; nothing where it ended by itself.
std::optional<std::string> watch(pid_t pid, const std::string& folder, const Bounds& bounds) {
  constexpr Milliseconds kBetweenLooks(200), kLongestPause(20);
  const auto begun = Clock::now();
  auto next_look = begun + kBetweenLooks;
  for (Milliseconds pause(1); !has_ended(pid); pause = std::min(2 * pause, kLongestPause)) {
    if (stop_asked()) return "was stopped";
    const auto now = Clock::now();
    if (now - begun > std::chrono::seconds(bounds.wall_s))
      return fmt::format("did not end within {} s", bounds.wall_s);
    if (now > next_look) {
      if (bytes_in(folder) > bounds.folder_bytes) return too_much(bounds);
      next_look = now + kBetweenLooks;
    }
    std::this_thread::sleep_for(pause);
  }
  return std::nullopt;
}

std::optional<std::string> how_it_ended(int status, const rusage& used, const Bounds& bounds) {
  if (WIFEXITED(status)) {
    if (WEXITSTATUS(status) == 0) return std::nullopt;
    return fmt::format("ended with status {}", WEXITSTATUS(status));
  }
  const int signal = WTERMSIG(status);
  const auto processor_s = used.ru_utime.tv_sec + used.ru_stime.tv_sec;
  if (signal == SIGXCPU || (signal == SIGKILL && processor_s >= bounds.processor_s))
    return fmt::format("took more than {} s of processor time", bounds.processor_s);
  if (signal == SIGXFSZ) return too_much(bounds);
  return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
}

}  // namespace

std::optional<std::string> run_bounded(const std::vector<std::string>& words,
                                       const std::string& folder, const std::string& output,
                                       const std::string& errors, const Bounds& bounds) {
  std::array<int, 2> failure{-1, -1};
  if (::pipe2(failure.data(), O_CLOEXEC) != 0)
    return fmt::format("cannot be started: {}", std::strerror(errno));
  Start start{{}, folder.c_str(), output.c_str(), errors.c_str(), &bounds, ::getpid(), failure[1]};
  for (const std::string& word : words) start.words.push_back(const_cast<char*>(word.c_str()));
  start.words.push_back(nullptr);
  std::optional<SignalsHeld> held(std::in_place);
  const pid_t pid = ::fork();
  if (pid == 0) become(start);
  ::close(failure[1]);
  if (pid < 0) {
    ::close(failure[0]);
    return fmt::format("cannot be started: {}", std::strerror(errno));
  }
  ::setpgid(pid, pid);
  const Helper helper = Helper::group(pid);
  held.reset();
  int error = 0;
  ssize_t told = 0;
  while ((told = ::read(failure[0], &error, sizeof error)) < 0 && errno == EINTR) {
  }
  ::close(failure[0]);
  std::optional<std::string> trouble;
  if (told == sizeof error)
    trouble = fmt::format("cannot be started: {}", std::strerror(error));
  else
    trouble = watch(pid, folder, bounds);
  ::kill(-pid, SIGKILL);  // also what it has started and left behind
  int status = 0;
  rusage used{};
  while (::wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  stop_if_asked();
  return trouble ? trouble : how_it_ended(status, used, bounds);
}

}  // namespace platter::model
