#include "transport/drive_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "catch.h"
#include "model/error.h"

namespace platter::transport {
namespace {

class File {
 public:
  File() { REQUIRE((fd_ = model::Descriptor(::mkstemp(name_))).get() >= 0); }
  ~File() { ::unlink(name_); }
  model::Descriptor opened() const {
    return model::Descriptor(::open(name_, O_RDONLY | O_CLOEXEC));
  }

 private:
  char name_[32] = "/tmp/platter-lock-XXXXXX";
  model::Descriptor fd_;
};

// A process that holds the lock until it is killed.
class Holder {
 public:
  explicit Holder(const File& file) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const DriveLock lock(file.opened(), "/dev/sg7");
      if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() { end(); }
  void end() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

// holds: safety.md: There is one run a drive
TEST_CASE("a drive that another process has locked is refused, and the process named") {
  const File file;
  Holder holder(file);
  try {
    const DriveLock second(file.opened(), "/dev/bsg/0:0:0:0");
    FAIL("locked twice");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::refused);
    CHECK(error.what() ==
          fmt::format("/dev/bsg/0:0:0:0 is in use: by another platter, process {}; wait "
                      "until it has ended, one run a drive is allowed",
                      holder.pid()));
  }
  const File other;
  CHECK_NOTHROW(DriveLock(other.opened(), "/dev/sg8"));
  holder.end();
  CHECK_NOTHROW(DriveLock(file.opened(), "/dev/sg7"));
}

TEST_CASE("a lock is let go with its object") {
  const File file;
  { const DriveLock first(file.opened(), "/dev/sg7"); }
  const DriveLock second(file.opened(), "/dev/sg7");
  CHECK_THROWS_AS(DriveLock(file.opened(), "/dev/sg7"), Error);
}

}  // namespace
}  // namespace platter::transport
