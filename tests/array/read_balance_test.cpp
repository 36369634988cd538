#include "array/read_balance.h"

#include <vector>

#include "catch.h"

using namespace platter;
using array::Balance;
using array::choose;
using array::Mirror;

namespace {

std::vector<Mirror> busy_mirrors() {
  return {{.pending = 3, .head = 1000}, {.pending = 1, .head = 5000}, {.pending = 2, .head = 9000}};
}

}  // namespace

TEST_CASE("of busy mirrors the nearest head reads, or the one with the fewest outstanding") {
  const std::vector<Mirror> mirrors = busy_mirrors();
  CHECK(choose(mirrors, 1500, Balance::nearest) == 0);
  CHECK(choose(mirrors, 8000, Balance::nearest) == 2);
  CHECK(choose(mirrors, 8000, Balance::least_pending) == 1);
}

TEST_CASE("an idle mirror reads, the first of several") {
  std::vector<Mirror> mirrors = busy_mirrors();
  mirrors[1].pending = 0;
  mirrors[2].pending = 0;
  CHECK(choose(mirrors, 1500, Balance::nearest) == 1);
}

TEST_CASE("a read that continues one goes where that went, though another is idle") {
  std::vector<Mirror> mirrors = busy_mirrors();
  mirrors[1].pending = 0;
  mirrors[2].next_read = 1500;
  CHECK(choose(mirrors, 1500, Balance::nearest) == 2);
  mirrors[0].head = 1500;
  CHECK(choose(mirrors, 1500, Balance::nearest) == 0);
}

TEST_CASE("a mirror that is not in step is never read") {
  std::vector<Mirror> mirrors = busy_mirrors();
  mirrors[0] = {.readable = false, .pending = 0, .head = 1500, .next_read = 1500};
  CHECK(choose(mirrors, 1500, Balance::nearest) == 1);
}
