// Memory of a guest that takes it away again.
#include "emulator/vhost_user/guest_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "catch.h"

using namespace platter::emulator;

namespace {

constexpr std::uint64_t kBytes = 64 * 4096;

struct File {
  File() : descriptor(memfd_create("guest", 0)) { resize(kBytes); }
  ~File() { close(descriptor); }
  void resize(std::uint64_t bytes) const {
    REQUIRE(ftruncate(descriptor, static_cast<off_t>(bytes)) == 0);
  }
  std::shared_ptr<const GuestMemory> map(std::uint64_t bytes = kBytes,
                                         std::uint64_t offset = 0) const {
    const std::vector<MemoryRegion> regions{{0x1000, bytes, 0x7000000, offset}};
    return GuestMemory::map(regions, std::vector<int>{descriptor});
  }
  int descriptor;
};

}  // namespace

// holds: emulators.md: Memory that is cut off
TEST_CASE("guest memory: what is cut off reads as zeros and is told", "[guest_memory]") {
  const File file, other;
  const auto memory = file.map(), untouched = other.map();
  REQUIRE(memory);
  const auto all = memory->at(0x1000, kBytes);
  REQUIRE(all.size() == kBytes);
  std::ranges::fill(all, std::uint8_t{7});
  std::ranges::fill(untouched->at(0x1000, kBytes), std::uint8_t{7});
  file.resize(8 * 4096);
  CHECK_FALSE(memory->is_torn());
  CHECK(all[8 * 4096 - 1] == 7);
  CHECK_FALSE(memory->is_torn());
  CHECK(all[8 * 4096] == 0);
  CHECK(memory->is_torn());
  all[kBytes - 1] = 9;  // and may be written
  CHECK(all[kBytes - 1] == 9);
  CHECK_FALSE(untouched->is_torn());
  CHECK(untouched->at(0x1000, 1)[0] == 7);
}

TEST_CASE("guest memory: again and again, and at several places", "[guest_memory]") {
  for (int i = 0; i < 50; ++i) {
    const File first, second;
    const auto one = first.map(), two = second.map();
    first.resize(0);
    second.resize(4096);
    CHECK(one->at(0x1000, 1)[0] == 0);
    CHECK_FALSE(two->is_torn());
    CHECK(two->at(0x3000, 1)[0] == 0);
    CHECK(two->is_torn());
  }
}

TEST_CASE("guest memory: what is not there at first is refused", "[guest_memory]") {
  const File file;
  CHECK_FALSE(file.map(kBytes + 1));
  CHECK_FALSE(file.map(kBytes, 4096));
  file.resize(GuestMemory::kMostBytes + 4096);
  CHECK_FALSE(file.map(GuestMemory::kMostBytes + 4096));
  CHECK(file.map(GuestMemory::kMostBytes));
}
