// Rings as drivers write them, and as nobody should.
#include "emulator/vhost_user/virtqueue.h"

#include <random>

#include "catch.h"
#include "emulator/vhost_user/pieces.h"
#include "guest.h"

using namespace platter::emulator;
using platter::emulator::testing::Bytes;
using platter::emulator::testing::Guest;

namespace {

std::shared_ptr<const GuestMemory> memory_of(const Guest& guest, std::uint64_t offset = 0,
                                             std::uint64_t bytes = Guest::kBytes) {
  const MemoryRegion region{Guest::kGuestAddress, bytes, Guest::kUserAddress, offset};
  const int file = guest.file();
  return GuestMemory::map({&region, 1}, {&file, 1});
}

Virtqueue::Addresses addresses() {
  return {Guest::kUserAddress, Guest::kUserAddress + 0x2000, Guest::kUserAddress + 0x1000};
}

struct Ring {
  Ring() { REQUIRE(queue.place(memory_of(guest), Guest::kEntries, addresses())); }
  std::string take() { return queue.take(chain); }
  Guest guest;
  Virtqueue queue;
  Chain chain;
};

}  // namespace

TEST_CASE("virtqueue: pieces come as the driver put them, direct and indirect", "[virtqueue]") {
  std::mt19937_64 random(1);
  Ring ring;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Bytes> readable;
    std::vector<std::uint32_t> writable;
    Bytes whole;
    for (auto pieces = random() % 4; pieces > 0; --pieces) {
      readable.emplace_back(1 + random() % 300);
      for (auto& byte : readable.back()) byte = static_cast<std::uint8_t>(random());
      whole.insert(whole.end(), readable.back().begin(), readable.back().end());
    }
    std::uint32_t room = 0;
    for (auto pieces = 1 + random() % 3; pieces > 0; --pieces) {
      writable.push_back(static_cast<std::uint32_t>(1 + random() % 300));
      room += writable.back();
    }
    CHECK_FALSE(ring.queue.has_request());
    const auto head = static_cast<std::uint16_t>(random() % (Guest::kEntries - 8));
    const auto places = ring.guest.put(0, head, readable, writable, random() % 2 == 0);
    REQUIRE(ring.queue.has_request());
    REQUIRE(ring.take().empty());
    CHECK(ring.chain.head == head);
    CHECK(bytes_of(ring.chain.readable) == whole.size());
    CHECK(bytes_of(ring.chain.writable) == room);
    Bytes read(whole.size());
    copy_from(ring.chain.readable, 0, read);
    CHECK(read == whole);
    // From a byte on, across pieces.
    const auto skipped = whole.empty() ? 0 : random() % whole.size();
    Bytes part(whole.size() - skipped);
    copy_from(ring.chain.readable, skipped, part);
    CHECK(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(skipped)));
    Bytes answer(room);
    for (auto& byte : answer) byte = static_cast<std::uint8_t>(random());
    copy_to(ring.chain.writable, 0, answer);
    Bytes seen;
    for (std::size_t piece = 0; piece < writable.size(); ++piece) {
      const auto* const at = ring.guest.memory() + places[readable.size() + piece];
      seen.insert(seen.end(), at, at + writable[piece]);
    }
    CHECK(seen == answer);
    ring.queue.answer(head, room);
    CHECK(ring.guest.used(0)[1] == static_cast<std::uint16_t>(i + 1));
  }
}

TEST_CASE("virtqueue: a driver says whether it wants to be called", "[virtqueue]") {
  Ring ring;
  CHECK(ring.queue.wants_call());
  ring.guest.available(0)[0] = 1;
  CHECK_FALSE(ring.queue.wants_call());
}

// holds: emulators.md: What a front end says
// holds: emulators.md: Indices that jump
TEST_CASE("virtqueue: what cannot be is told, and nothing outside the memory is reached",
          "[virtqueue]") {
  constexpr std::uint64_t kHere = Guest::kGuestAddress + Guest::kData;
  constexpr std::uint64_t kEnd = Guest::kGuestAddress + Guest::kBytes;
  const auto told = [](auto&& prepare) {
    Ring ring;
    prepare(ring.guest);
    ring.guest.offer(0, 5);
    return ring.take();
  };
  const auto one = [&](const Guest::Descriptor& descriptor) {
    return told([&](Guest& guest) { guest.set_descriptor(0, 5, descriptor); });
  };
  CHECK(one({kHere, 16, 0, 0}).empty());
  CHECK(one({kEnd - 16, 16, 0, 0}).empty());
  CHECK(one({kHere, 0, 0, 0}).empty());
  CHECK(one({kEnd - 16, 17, 0, 0}) == "a buffer is not in the memory");
  CHECK(one({0, 16, 0, 0}) == "a buffer is not in the memory");
  CHECK(one({~std::uint64_t{0}, 16, 0, 0}) == "a buffer is not in the memory");
  CHECK(one({kHere, 0xffffffff, 0, 0}) == "a buffer is not in the memory");
  CHECK(one({kHere, 16, 1, 5}) == "a chain of descriptors has no end");
  CHECK(one({kHere, 16, 1, 128}) == "a descriptor's index is beyond its table");
  CHECK(one({kHere, 16, 1, 65535}) == "a descriptor's index is beyond its table");
  CHECK(one({kHere, 16, 5, 6}) == "a table of descriptors is not the last");
  CHECK(one({kHere, 0, 4, 0}) == "no table of descriptors has such a length");
  CHECK(one({kHere, 17, 4, 0}) == "no table of descriptors has such a length");
  CHECK(one({kHere, 16 * 1025, 4, 0}) == "no table of descriptors has such a length");
  CHECK(one({kEnd - 16, 32, 4, 0}) == "a table of descriptors is not in the memory");
  CHECK(told([](Guest& guest) { guest.available(0)[1] = 1000; }) ==
        "its index of available requests is ahead of its ring");
  CHECK(told([&](Guest& guest) {
          guest.set_descriptor(0, 5, {kHere, 16, 3, 6});
          guest.set_descriptor(0, 6, {kHere, 16, 0, 0});
        }) == "what is to be read lies behind what is written");
  CHECK(told([&](Guest& guest) {  // a table in a table
          guest.set_descriptor(0, 5, {kHere, 16, 4, 0});
          const Guest::Descriptor inner{kHere, 16, 4, 0};
          std::memcpy(guest.memory() + Guest::kData, &inner, 16);
        }) == "a table of descriptors lies in another one");
  Ring ring;
  ring.guest.available(0)[2] = 40000;
  ring.guest.available(0)[1] = 1;
  CHECK(ring.take() == "a descriptor's index is beyond its table");
}

// holds: emulators.md: What a front end says
TEST_CASE("virtqueue: rings lie whole and aligned in the memory", "[virtqueue]") {
  const Guest guest;
  const auto memory = memory_of(guest);
  REQUIRE(memory);
  Virtqueue queue;
  const auto placed = [&](std::uint32_t entries, std::uint64_t descriptors, std::uint64_t used,
                          std::uint64_t available) {
    return queue.place(memory, entries,
                       {Guest::kUserAddress + descriptors, Guest::kUserAddress + used,
                        Guest::kUserAddress + available});
  };
  CHECK(placed(128, 0, 0x2000, 0x1000));
  CHECK(placed(1024, 0, 0x8000, 0x6000));
  CHECK_FALSE(placed(2048, 0, 0x10000, 0x9000));
  CHECK_FALSE(placed(0, 0, 0x2000, 0x1000));
  CHECK_FALSE(placed(100, 0, 0x2000, 0x1000));
  CHECK_FALSE(placed(128, 8, 0x2000, 0x1000));
  CHECK_FALSE(placed(128, 0, 0x2002, 0x1000));
  CHECK_FALSE(placed(128, 0, 0x2000, 0x1001));
  CHECK_FALSE(placed(128, Guest::kBytes - 16, 0x2000, 0x1000));
  CHECK_FALSE(placed(128, 0, Guest::kBytes - 16, 0x1000));
  CHECK_FALSE(placed(128, 0, 0x2000, Guest::kBytes - 4));
  CHECK_FALSE(queue.is_placed());
  CHECK_FALSE(queue.has_request());
}

TEST_CASE("guest memory: files have to be as long as they are said to be", "[virtqueue]") {
  const Guest guest;
  CHECK(memory_of(guest, 4096, Guest::kBytes - 4096));
  CHECK_FALSE(memory_of(guest, 4096, Guest::kBytes));
  CHECK_FALSE(memory_of(guest, ~std::uint64_t{0} - 100, 4096));
  CHECK_FALSE(memory_of(guest, 0, 0));
  CHECK_FALSE(memory_of(guest, 0, ~std::uint64_t{0}));
  // Regions that touch are one buffer's memory.
  const std::array<MemoryRegion, 2> regions{
      {{0x1000, 0x1000, 0x50000, 0}, {0x2000, 0x1000, 0x90000, 0x1000}}};
  const std::array<int, 2> files{guest.file(), guest.file()};
  const auto memory = GuestMemory::map(regions, files);
  REQUIRE(memory);
  CHECK(memory->at(0x1ff0, 0x20).size() == 0x10);
  CHECK(memory->at(0x2000, 0x1000).size() == 0x1000);
  CHECK(memory->at(0x3000, 1).empty());
  CHECK(memory->at_user(0x50ff0, 0x20, 1) == nullptr);
  CHECK(memory->at_user(0x50ff0, 0x10, 16) != nullptr);
}
