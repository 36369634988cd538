// Standard error whose reader does not read.
#include "emulator/pace/unread_notices.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "catch.h"

using namespace platter::emulator;

// holds: emulators.md: Notices and reports that nobody
TEST_CASE("notices: what has no room is dropped, and others wait as before", "[notices]") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const int before = dup(STDERR_FILENO);
  REQUIRE(dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
  drop_unread_notices();
  const std::array<char, 4096> bytes{};
  ssize_t wrote = 0;
  while (wrote >= 0) wrote = write(STDERR_FILENO, bytes.data(), bytes.size());
  const int error = errno;
  REQUIRE(dup2(before, STDERR_FILENO) == STDERR_FILENO);
  CHECK(error == EAGAIN);
  CHECK((fcntl(ends[1], F_GETFL) & O_NONBLOCK) == 0);
  pollfd look{ends[0], POLLIN, 0};
  CHECK(poll(&look, 1, 0) == 1);
  for (const int each : {ends[0], ends[1], before}) close(each);
}
