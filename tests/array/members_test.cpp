#include "array/members.h"

#include <utility>

#include "../replay/small_drive.h"
#include "catch.h"

using platter::Nanoseconds;
using platter::array::Access;
using platter::array::Members;
using platter::engine::Engine;

namespace {

constexpr Members::BlockLayer kLayer{.most_merged = 128, .full_at = 256};

Members drives(std::size_t count, const Members::BlockLayer& layer = kLayer) {
  return Members(std::vector<Engine>(count, Engine(platter::replay::testing::drive_model())),
                 std::vector<Nanoseconds>(count), false, layer);
}

Access read(std::uint32_t member, std::uint64_t lbn, std::uint32_t blocks = 8) {
  return {.member = member, .lbn = lbn, .blocks = blocks, .ticket = lbn};
}

// Block and blocks of one member's commands in the order in which it served them.
std::vector<std::pair<std::uint64_t, std::uint32_t>> served(Members& members,
                                                            std::uint32_t member = 0) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> commands;
  while (members.next_time())
    if (const Members::Ended& ended = members.next(); ended.member == member)
      commands.emplace_back(ended.lbn, ended.blocks);
  return commands;
}

using Sent = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

}  // namespace

TEST_CASE("what a thread leaves for one drive when it is done goes the last first") {
  Members members = drives(2);
  for (const std::uint64_t lbn : {100, 200, 300}) members.add(read(0, lbn));
  members.flush(0);
  CHECK(served(members) == Sent{{300, 8}, {200, 8}, {100, 8}});
}

TEST_CASE("what it leaves when it goes to sleep, or for several drives, goes in order") {
  Members members = drives(2);
  const bool sleeps = GENERATE(true, false);
  for (const std::uint64_t lbn : {100, 200, 300}) members.add(read(0, lbn));
  if (!sleeps) members.add(read(1, 100));
  members.flush(0, sleeps ? Members::From::plug_of_sleeper : Members::From::plug);
  CHECK(served(members) == Sent{{100, 8}, {200, 8}, {300, 8}});
}

TEST_CASE("neighbours go as one command with the last that is for the same drive, up to a size") {
  Members members = drives(2);
  members.add(read(0, 100));
  members.add(read(1, 500));
  members.add(read(0, 108));       // behind
  members.add(read(0, 92));        // before
  members.add(read(0, 116, 112));  // too much
  members.add(read(0, 84));        // not beside the last
  members.flush(0, Members::From::plug_of_sleeper);
  CHECK(served(members) == Sent{{92, 24}, {116, 112}, {84, 8}});
  CHECK(members.commands() == 4);
}

TEST_CASE("reads and writes do not go as one command") {
  Members members = drives(1);
  members.add(read(0, 100));
  Access write = read(0, 108);
  write.write = true;
  members.add(write);
  members.flush(0);
  CHECK(members.commands() == 2);
}

TEST_CASE("a plug that holds so many commands, or a large one, is emptied before the next") {
  SECTION("many") {
    Members members = drives(1, {.most_merged = 128, .full_at = 256, .most_commands = 2});
    for (const std::uint64_t lbn : {100, 200, 300}) members.add(read(0, lbn));
    members.flush(0);
    CHECK(served(members) == Sent{{200, 8}, {100, 8}, {300, 8}});
  }
  SECTION("large") {
    Members members = drives(1, {.most_merged = 128, .full_at = 16});
    for (const std::uint64_t lbn : {100, 200, 208, 300, 400}) members.add(read(0, lbn));
    members.flush(0);
    CHECK(served(members) == Sent{{200, 16}, {100, 8}, {400, 8}, {300, 8}});
  }
}
