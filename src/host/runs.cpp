#include "host/runs.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace platter::host {

using model::Descriptor;

RunsFolder::RunsFolder(const std::string& root) : path_(root + "/run/platter") {}

Descriptor RunsFolder::locked(const std::string& name, int how) const {
  Descriptor file(::open((path_ / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (file.get() < 0) return file;
  while (::flock(file.get(), how) != 0)
    if (errno != EINTR) return Descriptor();
  return file;
}

Descriptor RunsFolder::begin_change() const {
  std::error_code failed;
  std::filesystem::create_directories(path_, failed);
  return locked("change.lock", LOCK_EX);
}

Descriptor RunsFolder::join() const { return locked("runs.lock", LOCK_SH); }

bool RunsFolder::nobody_measures() const {
  return locked("runs.lock", LOCK_EX | LOCK_NB).get() >= 0;
}

// The first one stays free: interrupts and whoever wants to look at the machine need one.
std::optional<RunsFolder::Processor> RunsFolder::take_processor() const {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return std::nullopt;
  bool first = true;
  for (int number = 0; number < CPU_SETSIZE; ++number) {
    if (!CPU_ISSET(number, &allowed)) continue;
    if (!std::exchange(first, false))
      if (Descriptor held = locked(fmt::format("processor-{}.lock", number), LOCK_EX | LOCK_NB);
          held.get() >= 0)
        return Processor{number, std::move(held)};
  }
  return std::nullopt;
}

}  // namespace platter::host
