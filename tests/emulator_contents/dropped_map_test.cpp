#include "emulator/contents/dropped_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "catch.h"
#include "model/leftovers.h"

using namespace platter;
using emulator::DroppedMap;

namespace {

constexpr std::uint64_t kPages = 200'000;

// Against a plain array.
void is_an_array(DroppedMap& map, std::vector<bool>& truth, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int step = 0; step < 2000; ++step) {
    const std::uint64_t first = below(kPages),
                        end = std::min(kPages, first + below(step % 10 == 0 ? kPages : 300));
    const bool dropped = below(2) == 0;
    REQUIRE(map.set(first, end, dropped) == 0);
    std::fill(truth.begin() + static_cast<std::ptrdiff_t>(first),
              truth.begin() + static_cast<std::ptrdiff_t>(end), dropped);
    const std::uint64_t from = below(kPages), to = from + below(kPages - from) + 1;
    std::uint64_t alike = 0;
    while (from + alike < to && truth[from + alike] == truth[from]) ++alike;
    REQUIRE(map.alike(from, to) == alike);
    REQUIRE(map.contains(from) == truth[from]);
  }
  CHECK(map.count() == static_cast<std::uint64_t>(std::count(truth.begin(), truth.end(), true)));
}

}  // namespace

TEST_CASE("a map of dropped pages is an array of bits", "[map]") {
  std::vector<bool> truth(kPages);
  DroppedMap map(kPages);
  CHECK(map.alike(5, 5) == 0);
  is_an_array(map, truth, 1);
}

TEST_CASE("a map in a file is there again", "[map]") {
  model::TemporaryFolder folder(model::temporary_name("platter-map"));
  const int file = open(folder.file("map").c_str(), O_RDWR | O_CREAT, 0600);
  constexpr std::uint64_t kAt = 12 * 4096;
  REQUIRE(ftruncate(file, static_cast<off_t>(kAt + DroppedMap::bytes_for(kPages))) == 0);
  std::vector<bool> truth(kPages);
  for (unsigned round = 0; round < 3; ++round) {
    DroppedMap map(kPages, file, kAt);
    is_an_array(map, truth, round);
  }
  // Little of it costs little, on the host and to read.
  const std::uint64_t many = std::uint64_t{1} << 31;  // 8 TiB
  REQUIRE(ftruncate(file, 0) == 0);
  REQUIRE(ftruncate(file, static_cast<off_t>(DroppedMap::bytes_for(many))) == 0);
  {
    DroppedMap map(many, file, 0);
    REQUIRE(map.set(many - 100, many, true) == 0);
    REQUIRE(map.set(7, 8, true) == 0);
  }
  struct stat status {};
  fstat(file, &status);
  CHECK(status.st_blocks * 512 <= 64 * 1024);
  const DroppedMap map(many, file, 0);
  CHECK(map.count() == 101);
  CHECK(map.contains(7));
  CHECK(map.alike(8, many) == many - 108);
  close(file);
}
