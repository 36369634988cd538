#include "safety/media_check.h"

#include <algorithm>

#include "catch.h"
#include "model/error.h"
#include "safety/end_of_run.h"
#include "safety/restore.h"
#include "written_drive.h"

namespace platter::safety {
namespace {

using testing::DamagedDrive;

constexpr std::uint64_t kFirst = 1000;
constexpr std::uint32_t kBlocks = 24;

struct Scene : testing::WrittenDrive {
  explicit Scene(std::uint32_t physical_block_bytes = 512) : WrittenDrive(physical_block_bytes) {
    std::vector<std::uint8_t> bytes(kBlocks * 512);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 512);
    hold(kFirst, bytes);
    contents.add(kFirst, bytes);
  }
  MediaCheck check(bool overwrite = true) {
    return check_media(damaged, identity, contents, {.overwrite = overwrite});
  }
};

bool same(const std::vector<LbnRange>& a, const std::vector<LbnRange>& b) {
  return std::ranges::equal(a, b, [](const LbnRange& x, const LbnRange& y) {
    return x.first == y.first && x.last == y.last;
  });
}

TEST_CASE("blocks that hold what they held are intact, and nothing is written") {
  Scene scene;
  const MediaCheck found = scene.check();
  CHECK(found.all_well());
  CHECK(found.past == Past::fua);
  CHECK(found.intact == kBlocks);
  CHECK(scene.damaged.writes.empty());
}

// holds: safety.md: What differs or cannot be read is put
// holds: safety.md: `platter restore` puts back
TEST_CASE("blocks that cannot be read are put back") {
  Scene scene;
  scene.damaged.unreadable = {1003, 1004, 1017};
  const MediaCheck found = scene.check(false);
  CHECK(found.all_well());
  CHECK(same(found.put_back, {{1003, 1004}, {1017, 1017}}));
  CHECK(found.intact == kBlocks - 3);
  CHECK(scene.held(kFirst, kBlocks) == scene.contents.of({kFirst, kFirst + kBlocks - 1}));
}

TEST_CASE("a drive of which no written block can be read is asked again once they are put back") {
  Scene scene;
  for (std::uint64_t i = 0; i < kBlocks; ++i) scene.damaged.unreadable.insert(kFirst + i);
  const MediaCheck found = scene.check();
  CHECK(found.all_well());
  CHECK(found.past == Past::fua);
  CHECK(same(found.put_back, {{kFirst, kFirst + kBlocks - 1}}));
}

// holds: safety.md: `platter restore` puts back
TEST_CASE("what somebody has written since is left alone, unless it is to be overwritten") {
  Scene scene;
  const std::vector<std::uint8_t> other(512, 0xEE);
  scene.hold(1010, other);
  const MediaCheck found = scene.check(false);
  CHECK(same(found.differ, {{1010, 1010}}));
  CHECK_FALSE(found.all_well());
  CHECK(scene.damaged.writes.empty());
  CHECK(scene.held(1010, 1) == other);
  CHECK(same(scene.check(true).put_back, {{1010, 1010}}));
  CHECK(scene.held(1010, 1) == scene.contents.block(1010));
}

// holds: safety.md: What differs or cannot be read is put
TEST_CASE("what cannot be put back is named") {
  Scene scene;
  scene.damaged.unreadable = {1003, 1017};
  scene.damaged.write_fails = [](std::uint64_t lbn, std::uint32_t) {
    return lbn == 1003 ? std::optional(DamagedDrive::Failure{}) : std::nullopt;
  };
  const MediaCheck found = scene.check();
  CHECK(same(found.lost, {{1003, 1003}}));
  CHECK(same(found.put_back, {{1017, 1017}}));
  CHECK_THAT(in_words(found, "the drive"), Catch::Contains("LBN 1003"));
}

TEST_CASE("a write that fails once when blocks are put back is tried again") {
  Scene scene;
  scene.damaged.unreadable = {1003};
  int tries = 0;
  const bool deferred = GENERATE(false, true);
  scene.damaged.write_fails = [&](std::uint64_t, std::uint32_t) {
    return ++tries == 1 ? std::optional(DamagedDrive::Failure{.deferred = deferred}) : std::nullopt;
  };
  const MediaCheck found = scene.check();
  CHECK(tries == 2);
  CHECK(found.all_well());
  CHECK(same(found.put_back, {{1003, 1003}}));
}

// holds: safety.md: The journal goes only
TEST_CASE("where FUA does not reach the media VERIFY does") {
  Scene scene;
  const bool refused = GENERATE(false, true);
  (refused ? scene.damaged.refuses_fua : scene.damaged.ignores_fua) = true;
  CHECK(scene.check().past == Past::verify);
  scene.damaged.unreadable = {1003};
  CHECK(same(scene.check().put_back, {{1003, 1003}}));
}

// What neither FUA nor VERIFY brings from the media, of runs all over the drive.
struct BlindScene : Scene {
  BlindScene() {
    damaged.ignores_fua = damaged.refuses_verify = true;
    for (std::uint64_t i = 1; i < kRuns; ++i) {
      const std::vector<std::uint8_t> bytes(2 * 512, static_cast<std::uint8_t>(i));
      hold(kFirst + 200 * i, bytes);
      contents.add(kFirst + 200 * i, bytes);
    }
  }
  static constexpr std::uint64_t kRuns = 32;
};

// holds: safety.md: The journal goes only
TEST_CASE("where neither FUA nor VERIFY reaches the media, reads of other blocks displace them") {
  BlindScene scene;
  const MediaCheck found = scene.check();
  CHECK(found.past == Past::displaced);
  CHECK(found.all_well());
  CHECK(found.intact == scene.contents.size());
  const std::vector<std::uint8_t> other(512, 0xEE);
  scene.damaged.unreadable = {1003, 1004, 1017};
  scene.hold(1200, other);
  scene.hold(3001, other);
  const MediaCheck bad = scene.check(false);
  CHECK(same(bad.put_back, {{1003, 1004}, {1017, 1017}}));
  CHECK(same(bad.differ, {{1200, 1200}, {3001, 3001}}));
  CHECK(bad.past == Past::displaced);
}

// holds: safety.md: The journal goes only
TEST_CASE("of a memory that nothing displaces nothing is claimed") {
  BlindScene scene;
  const bool all = GENERATE(false, true);
  for (const LbnRange& run : scene.contents.runs())
    if (all || run.first == kFirst + 600) scene.damaged.remembered.insert(run.first);
  const MediaCheck blind = scene.check();
  CHECK(blind.past == Past::nothing_known);
  CHECK_FALSE(blind.all_well());
  CHECK(blind.intact == scene.contents.size());
}

TEST_CASE("a drive without SYNCHRONIZE CACHE is judged by what its media hold") {
  Scene scene;
  scene.damaged.refuses_synchronize = true;
  CHECK(scene.check().all_well());
}

// holds: safety.md: The journal goes only
TEST_CASE("a flush that fails with a write error is no lack of SYNCHRONIZE CACHE") {
  Scene scene;
  scene.damaged.flush_fails = {{.key = 0x3, .asc = 0x0C, .ascq = 0x02}};
  const MediaCheck check = scene.check();
  CHECK_FALSE(check.all_well());
  CHECK_THAT(in_words(check, "the drive"), Catch::Contains("may not be on the media"));
  scene.damaged.flush_fails = {{.key = 0x4, .asc = 0x44, .ascq = 0}};  // as some translations say
  CHECK(scene.check().all_well());
}

TEST_CASE("nothing is put back on another drive") {
  Scene scene;
  scene.damaged.unreadable = {1003};
  scene.identity.serial = "another";
  CHECK_THROWS_AS(scene.check(), Error);
  CHECK(scene.damaged.writes.empty());
}

TEST_CASE("a torn physical block is put back as a whole") {
  Scene scene(4096);
  for (std::uint64_t i = 1008; i < 1016; ++i) scene.damaged.unreadable.insert(i);
  CHECK(same(scene.check().put_back, {{1008, 1015}}));
  REQUIRE(scene.damaged.writes.size() == 1);
  CHECK(scene.damaged.writes.front() == std::pair<std::uint64_t, std::uint32_t>(1008, 8));
}

// holds: safety.md: What differs or cannot be read is put
TEST_CASE("a restore reads the blocks of its journal and nothing between them") {
  Scene scene;
  scene.contents.add(kFirst + kBlocks + 2, std::vector<std::uint8_t>(512, 5));
  scene.hold(kFirst + kBlocks + 2, std::vector<std::uint8_t>(512, 5));
  scene.damaged.unreadable = {1003};
  CHECK(restore(scene.damaged, scene.journal()).media.all_well());
  CHECK(scene.damaged.looked_at.size() >= kBlocks);
  for (const std::uint64_t lbn : scene.damaged.looked_at) {
    INFO(lbn);
    CHECK(scene.contents.knows(lbn));
  }
}

// holds: safety.md: `platter restore` takes the drive
TEST_CASE("a journal is restored on the drive that it is of") {
  Scene scene;
  scene.damaged.unreadable = {1003};
  JournalContents journal = scene.journal();
  SECTION("by its serial number") {
    REQUIRE_FALSE(journal.identity.serial.empty());
    CHECK(restore(scene.damaged, journal).media.all_well());
    CHECK(scene.damaged.unreadable.empty());
  }
  SECTION("not on one of the same kind") {
    journal.identity.serial = "another";
    CHECK_THROWS_WITH(restore(scene.damaged, journal, {.is_the_drive = true}),
                      Catch::Contains("belongs to"));
    CHECK(scene.damaged.writes.empty());
  }
  SECTION("without a serial number only where somebody says so") {
    journal.identity.serial.clear();
    CHECK_THROWS_WITH(restore(scene.damaged, journal), Catch::Contains("--yes"));
    CHECK(scene.damaged.writes.empty());
    CHECK(restore(scene.damaged, journal, {.is_the_drive = true}).media.all_well());
  }
}

}  // namespace
}  // namespace platter::safety
