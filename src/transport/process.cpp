#include "transport/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "model/error.h"

extern char** environ;

namespace platter::transport {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

[[noreturn]] void fail(std::string_view line, std::string_view what) {
  throw Error(ExitStatus::usage, fmt::format("the command '{}' {}", line, what));
}

// The text of the quote that opens at `at`; leaves `at` behind the closing quote.
std::string quoted(std::string_view line, std::size_t& at) {
  const char quote = line[at++];
  std::string text;
  for (; at < line.size() && line[at] != quote; ++at) {
    const bool escapes = quote == '"' && line[at] == '\\' && at + 1 < line.size() &&
                         std::string_view("\\\"$`\n").find(line[at + 1]) != std::string_view::npos;
    if (escapes && line[++at] == '\n') continue;
    text += line[at];
  }
  if (at == line.size()) fail(line, "ends within a quote: close it");
  ++at;
  return text;
}

using namespace std::chrono_literals;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr auto kGrace = 2s;  // for a drive to end by itself once its standard input is closed
constexpr std::size_t kInbox = 1 << 16;
constexpr std::size_t kFlood = 64U << 20;  // more than this while we write is no answer to anything

// A program that went away must be an error of that write, not the end of platter.
void ignore_broken_pipes() {
  struct sigaction old {};
  sigaction(SIGPIPE, nullptr, &old);
  if (old.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
}

int milliseconds_left(SteadyTime deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 1 << 30));
}

// In a process group of its own: Ctrl-C reaches platter, which restores the drive's settings first.
int spawn(const std::vector<std::string>& words, int input, int output, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults, none;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(),
                                 environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

void close_all(std::span<const int> fds) {
  for (const int fd : fds)
    if (fd >= 0) ::close(fd);
}

}  // namespace

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(kBlank); at < line.size();
       at = line.find_first_not_of(kBlank, at)) {
    std::string word;
    while (at < line.size() && kBlank.find(line[at]) == std::string_view::npos) {
      if (line[at] == '\'' || line[at] == '"') {
        word += quoted(line, at);
      } else if (line[at] == '\\') {
        if (++at == line.size()) fail(line, "ends with a backslash: say what it quotes");
        if (line[at] != '\n') word += line[at];
        ++at;
      } else {
        word += line[at++];
      }
    }
    words.push_back(std::move(word));
  }
  return words;
}

Process::Process(const std::vector<std::string>& words) : inbox_(kInbox) {
  if (words.empty())
    throw Error(ExitStatus::usage, "exec: names no program; write exec:COMMAND ARGUMENTS");
  ignore_broken_pipes();
  std::array<int, 4> fds{-1, -1, -1, -1};  // its input (read, write), its output (read, write)
  int error = 0;
  if (::pipe2(&fds[0], O_CLOEXEC) != 0 || ::pipe2(&fds[2], O_CLOEXEC) != 0)
    error = errno;
  else
    error = spawn(words, fds[0], fds[3], pid_);
  if (error != 0) {
    close_all(fds);
    throw Error(ExitStatus::no_device,
                fmt::format("the drive program {} cannot be started: {}; check its name and that "
                            "it may be executed",
                            words[0], std::strerror(error)));
  }
  ::close(fds[0]);
  ::close(fds[3]);
  to_ = fds[1];
  from_ = fds[2];
  ::fcntl(to_, F_SETFL, O_NONBLOCK);
}

Process::~Process() {
  ::close(to_);
  ::close(from_);
  if (reaped_) return;
  const auto ended_within = [&](std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    auto pause = 100us;
    while (::waitpid(pid_, &wait_status_, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() >= deadline) return false;
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::microseconds(20ms));
    }
    return true;
  };
  if (ended_within(kGrace)) return;
  ::kill(-pid_, SIGTERM);
  if (ended_within(kGrace)) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, &wait_status_, 0);
}

bool Process::take_in() {
  if (taken_ == filled_) taken_ = filled_ = 0;
  if (filled_ == inbox_.size()) inbox_.resize(2 * inbox_.size());
  ssize_t count = 0;
  do {
    count = ::read(from_, inbox_.data() + filled_, inbox_.size() - filled_);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  filled_ += static_cast<std::size_t>(count);
  return true;
}

Process::Result Process::write(std::span<const std::uint8_t> bytes,
                               std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  bool talks = true;
  while (!bytes.empty()) {
    const auto count = ::write(to_, bytes.data(), bytes.size());
    if (count > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Result::end_of_file;
    // Its pipe is full. It may itself be waiting for us to read.
    pollfd fds[] = {{to_, POLLOUT, 0}, {talks && filled_ < kFlood ? from_ : -1, POLLIN, 0}};
    const int ready = ::poll(fds, 2, milliseconds_left(deadline));
    if (ready < 0 && errno != EINTR) return Result::end_of_file;
    if (ready == 0) return Result::timeout;
    if (ready > 0 && fds[1].revents) talks = take_in();
  }
  return Result::done;
}

Process::Result Process::read(std::span<std::uint8_t> bytes, std::chrono::milliseconds patience,
                              std::size_t& received) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  received = 0;
  for (;;) {
    const auto count = std::min(bytes.size() - received, filled_ - taken_);
    std::copy_n(inbox_.begin() + static_cast<std::ptrdiff_t>(taken_), count,
                bytes.begin() + static_cast<std::ptrdiff_t>(received));
    taken_ += count;
    received += count;
    if (received == bytes.size()) return Result::done;
    pollfd fd = {from_, POLLIN, 0};
    const int ready = ::poll(&fd, 1, milliseconds_left(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Result::timeout;
    if (ready < 0 || !take_in()) return Result::end_of_file;
  }
}

std::string Process::how_it_ended() {
  // Its pipe closes a moment before it can be waited for.
  for (int i = 0; i < 100 && !reaped_; ++i) {
    reaped_ = ::waitpid(pid_, &wait_status_, WNOHANG) == pid_;
    if (!reaped_) std::this_thread::sleep_for(2ms);
  }
  if (!reaped_) return "it still runs";
  if (WIFSIGNALED(wait_status_)) return fmt::format("it died of signal {}", WTERMSIG(wait_status_));
  return fmt::format("it ended with status {}", WEXITSTATUS(wait_status_));
}

}  // namespace platter::transport
