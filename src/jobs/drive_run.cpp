#include "jobs/drive_run.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "model/error.h"

namespace platter::jobs {
namespace {

// Behind a fork nothing may allocate.
class ArgumentPointers {
 public:
  explicit ArgumentPointers(const std::vector<std::string>& words) : words_(words) {
    words_.insert(words_.begin(), "platter");
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  char** pointers() { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_{};
};

[[noreturn]] void become_platter(ArgumentPointers& arguments, int messages, pid_t parent,
                                 const TakenSignals& signals) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(static_cast<int>(ExitStatus::interrupted));
  signals.leave_as_before();
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(messages, STDERR_FILENO);
  ::execv("/proc/self/exe", arguments.pointers());
  ::_exit(127);
}

[[noreturn]] void fail_to_start(int error) {
  throw Error(ExitStatus::internal,
              fmt::format("platter cannot start itself for a drive: {}", std::strerror(error)));
}

}  // namespace

DriveRun::DriveRun(const std::vector<std::string>& arguments, const TakenSignals& signals) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(errno);
  messages_ = model::Descriptor(ends[0]);
  const model::Descriptor theirs(ends[1]);
  ::fcntl(messages_.get(), F_SETFL, O_NONBLOCK);
  ArgumentPointers words(arguments);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail_to_start(errno);
  if (pid_ == 0) become_platter(words, theirs.get(), parent, signals);
}

DriveRun::~DriveRun() {
  if (status_ || pid_ < 0) return;
  ::kill(pid_, SIGTERM);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::vector<std::string> DriveRun::lines() {
  std::vector<std::string> whole;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = ::read(messages_.get(), bytes.data(), bytes.size())) > 0;)
    begun_.append(bytes.data(), static_cast<std::size_t>(got));
  std::size_t at = 0;
  for (std::size_t end = 0; (end = begun_.find('\n', at)) != std::string::npos; at = end + 1)
    whole.push_back(begun_.substr(at, end - at));
  begun_.erase(0, at);
  if (status_ && !begun_.empty()) whole.push_back(std::exchange(begun_, {}));
  return whole;
}

void DriveRun::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

std::optional<int> DriveRun::ended() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

}  // namespace platter::jobs
