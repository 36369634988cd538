#include "model/leftovers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "model/error.h"
#include "model/quietly.h"

namespace platter::model {
namespace {

// A subcommand has a handful at a time.
std::array<std::atomic<const char*>, 64> paths{};
static_assert(std::atomic<const char*>::is_always_lock_free);

std::atomic<pid_t> helper{0};
std::atomic<int> helpers_end{0};

std::size_t occupy(const char* path) {
  for (std::size_t slot = 0; slot < paths.size(); ++slot) {
    const char* nothing = nullptr;
    if (paths[slot].compare_exchange_strong(nothing, path)) return slot;
  }
  return paths.size();
}

}  // namespace

std::string temporary_name(const std::string& name) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error)
    throw Error(ExitStatus::output,
                "TMPDIR names no folder, and temporary files are needed; set it to one that can be "
                "written");
  return (folder / (name + "-XXXXXX")).string();
}

TemporaryFolder::TemporaryFolder(std::string pattern) : path_(std::move(pattern)) {
  const SignalsHeld held;
  if (::mkdtemp(path_.data()))
    leftover_.emplace(path_);
  else
    path_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) quietly([&] { std::filesystem::remove_all(path_, ignored); });
}

const std::string& TemporaryFolder::file(const std::string& name) {
  return files_.emplace_back(path_ + "/" + name).path();
}

Leftover::Leftover(std::string path) : path_(std::move(path)), slot_(occupy(path_.c_str())) {}

Leftover::~Leftover() {
  if (slot_ < paths.size()) paths[slot_].store(nullptr);
}

Helper::Helper(pid_t pid, int signal) {
  helpers_end.store(signal);
  helper.store(pid);
}
Helper::~Helper() { helper.store(0); }

void remove_leftovers() noexcept {
  const int error = errno;
  if (const pid_t pid = helper.exchange(0); pid != 0 && ::kill(pid, helpers_end.load()) == 0)
    ::waitpid(pid < 0 ? -pid : pid, nullptr, 0);
  constexpr int kDeepest = 3;  // a folder goes after what lies in it
  for (int pass = 0; pass < kDeepest; ++pass)
    for (const auto& each : paths)
      if (const char* const path = each.load(); path && ::unlink(path) != 0) ::rmdir(path);
  errno = error;
}

SignalsHeld::SignalsHeld() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace platter::model
