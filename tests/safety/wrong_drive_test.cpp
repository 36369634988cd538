// A journal on another drive of the same kind, which says that it is the same one: whatever it
// holds, nothing is written to it and no setting is changed. And on its own drive, whatever its
// owner has done to that since.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "catch.h"
#include "model/error.h"
#include "safety/end_of_run.h"
#include "safety/restore.h"
#include "written_drive.h"

namespace platter::safety {
namespace {

using testing::WrittenDrive;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kWrongDriveBlock = 512;

// Blocks are either of a byte throughout or like no other.
class Contents {
 public:
  explicit Contents(unsigned seed) : dice_(seed) {}
  bool happens(double share) { return std::uniform_real_distribution<>(0, 1)(dice_) < share; }
  std::uint64_t number(std::uint64_t below) { return dice_() % below; }
  Bytes telling() {
    Bytes block(kWrongDriveBlock);
    for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(dice_());
    return block;
  }

 private:
  std::mt19937_64 dice_;
};

// The drive's caches are other than the journal has them.
JournalContents journal_with_settings(WrittenDrive& scene) {
  JournalContents journal = scene.journal();
  scsi::Guard guard(scene.inner, {});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  journal.settings = settings_of(drive);
  drive.settings().set_cache(false, true, true);
  drive.settings().keep();
  return journal;
}

void require_refused(WrittenDrive& scene, const JournalContents& journal, RestoreOptions options) {
  const auto unreadable = scene.damaged.unreadable;
  CHECK_THROWS_WITH(restore(scene.damaged, journal, options),
                    Catch::Contains("journaled blocks that can be read hold something else") &&
                        Catch::Contains("nothing was written, the journal is kept"));
  try {
    restore(scene.damaged, journal, options);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::refused);
  }
  CHECK(scene.damaged.writes.empty());
  CHECK(scene.damaged.settings == 0);
  CHECK(scene.damaged.unreadable == unreadable);
}

// What a random drive has at the journal's blocks.
struct RandomCase {
  struct Shares {
    double differ = 0, unreadable = 0, zero = 0;
  };
  RandomCase(unsigned seed, std::size_t blocks, Shares shares) : dice(seed) {
    std::set<std::uint64_t> lbns;
    while (lbns.size() < blocks) lbns.insert(1000 + dice.number(4 * blocks));
    for (const std::uint64_t lbn : lbns) {
      const bool zero = dice.happens(shares.zero);
      const Bytes journaled = zero ? Bytes(kWrongDriveBlock, 0) : dice.telling();
      const bool differs = dice.happens(shares.differ), torn = dice.happens(shares.unreadable);
      scene.contents.add(lbn, journaled);
      const Bytes held = differs ? dice.telling() : journaled;
      scene.hold(lbn, held);
      before[lbn] = held;
      if (torn) unreadable.insert(lbn);
      if (torn) continue;
      readable += 1;
      differing += differs;
      telling += !zero;
      telling_same += !zero && !differs;
    }
    scene.damaged.unreadable = unreadable;
  }
  void require_as_before() {
    for (const auto& [lbn, held] : before) CHECK(scene.held(lbn, 1) == held);
  }
  // On the right drive: what cannot be read is as journaled, what differs is its owner's or put
  // back.
  void require_put_right(bool overwrite) {
    for (const auto& [lbn, held] : before) {
      const bool torn = unreadable.contains(lbn);
      CHECK(scene.held(lbn, 1) == (torn || overwrite ? scene.contents.block(lbn) : held));
    }
    CHECK(scene.damaged.unreadable.empty());
    for (const auto& [lbn, blocks] : scene.damaged.writes)
      for (std::uint64_t i = lbn; i < lbn + blocks; ++i) CHECK(scene.contents.knows(i));
  }

  WrittenDrive scene;
  Contents dice;
  std::map<std::uint64_t, Bytes> before;
  std::set<std::uint64_t> unreadable;
  std::size_t readable = 0, differing = 0, telling = 0, telling_same = 0;
};

void restore_random(unsigned seed) {
  Contents dice(seed * 7919);
  const double shares[] = {0, 0.02, 0.3, 0.5, 0.7, 0.98, 1};
  const RandomCase::Shares drawn{shares[dice.number(7)], shares[dice.number(7)] / 2,
                                 shares[dice.number(7)]};
  RandomCase random(seed, 1 + dice.number(seed % 2 ? 3 : 120), drawn);
  const JournalContents journal = journal_with_settings(random.scene);
  const RestoreOptions options{.overwrite = seed % 3 == 0, .is_the_drive = seed % 5 == 0};
  INFO("seed " << seed << ": " << random.readable << " readable, " << random.differing
               << " differ, " << random.telling_same << " of " << random.telling << " tell");
  bool refused = false;
  try {
    const Restored done = restore(random.scene.damaged, journal, options);
    CHECK(done.settings);
    CHECK(done.media.all_well() == (random.differing == 0 || options.overwrite));
    if (!options.overwrite) CHECK(blocks_of(done.media.differ) == random.differing);
    CHECK(random.scene.damaged.settings > 0);
    random.require_put_right(options.overwrite);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::refused);
    refused = true;
    CHECK(random.scene.damaged.writes.empty());
    CHECK(random.scene.damaged.settings == 0);
    CHECK(random.scene.damaged.unreadable == random.unreadable);
    random.require_as_before();
  }
  if (random.differing == 0) CHECK_FALSE(refused);
  if (2 * random.differing > random.readable) CHECK(refused);
  if (random.differing > 0 && random.telling_same == 0) CHECK(refused);
  if (2 * random.differing <= random.readable && 2 * random.telling_same >= random.telling &&
      random.telling > 0)
    CHECK_FALSE(refused);
}

// holds: safety.md: `platter restore` reads and compares
// holds: safety.md: `platter restore` puts back
TEST_CASE("drives drawn at random: put right, or not touched at all") {
  for (unsigned seed = 1; seed <= 60; ++seed) restore_random(seed);
}

struct TwoDrives : WrittenDrive {
  static constexpr std::uint64_t kFirst = 1000;
  // The journal's blocks, of which so many from the first on are others on this drive.
  TwoDrives(std::uint32_t blocks, std::uint32_t others) {
    Contents dice(blocks * 1000 + others);
    for (std::uint64_t lbn = kFirst; lbn < kFirst + blocks; ++lbn) {
      const Bytes block = dice.telling();
      contents.add(lbn, block);
      hold(lbn, lbn < kFirst + others ? dice.telling() : block);
    }
  }
};

// holds: safety.md: `platter restore` reads and compares
TEST_CASE("a journal of another drive puts nothing back, whatever is said of it") {
  const bool overwrite = GENERATE(false, true), no_serial = GENERATE(false, true);
  TwoDrives scene(141, 140);
  scene.damaged.unreadable = {1003, 1100};
  JournalContents journal = journal_with_settings(scene);
  if (no_serial) journal.identity.serial.clear();
  require_refused(scene, journal, {.overwrite = overwrite, .is_the_drive = true});
  CHECK_THROWS_WITH(restore(scene.damaged, journal, {.is_the_drive = true}),
                    Catch::Contains("138 of 139 journaled blocks"));
}

// holds: safety.md: `platter restore` reads and compares
TEST_CASE(
    "of a tiny journal one block that differs is too much, and one that cannot be read is not") {
  const bool overwrite = GENERATE(false, true);
  const std::uint32_t blocks = GENERATE(1U, 2U, 3U);
  SECTION("none is the same") {
    TwoDrives scene(blocks, blocks);
    if (blocks > 1) scene.damaged.unreadable = {1000};
    require_refused(scene, journal_with_settings(scene), {.overwrite = overwrite});
  }
  SECTION("one is torn, the others are the same") {
    TwoDrives scene(blocks, 0);
    scene.damaged.unreadable = {1000};
    const Restored done = restore(scene.damaged, journal_with_settings(scene),
                                  {.overwrite = overwrite});
    CHECK(done.media.all_well());
    CHECK(done.settings);
    CHECK(scene.damaged.unreadable.empty());
  }
  SECTION("where none can be read the serial number decides, or somebody who knows") {
    TwoDrives scene(blocks, 0);
    for (std::uint64_t i = 0; i < blocks; ++i) scene.damaged.unreadable.insert(1000 + i);
    JournalContents journal = scene.journal();
    journal.identity.serial.clear();
    CHECK_THROWS_WITH(restore(scene.damaged, journal), Catch::Contains("--yes"));
    CHECK(scene.damaged.writes.empty());
    journal.identity.serial = scene.identity.serial;
    CHECK(restore(scene.damaged, journal).media.all_well());
  }
}

TEST_CASE("without blocks the identity alone decides") {
  WrittenDrive scene;
  JournalContents journal = journal_with_settings(scene);
  journal.identity.serial = "another";
  CHECK_THROWS_WITH(restore(scene.damaged, journal), Catch::Contains("belongs to"));
  CHECK(scene.damaged.settings == 0);
  journal.identity.serial = scene.identity.serial;
  CHECK(restore(scene.damaged, journal).settings);
  CHECK(scene.damaged.settings > 0);
}

// holds: safety.md: A reply that is shorter
TEST_CASE("a drive that sends less than a block, or is not ready, is not taken for a torn one") {
  TwoDrives scene(20, 0);
  scene.damaged.unreadable = {1003};
  SECTION("short") { scene.damaged.sends_half = true; }
  SECTION("not ready") { scene.damaged.not_ready = true; }
  try {
    restore(scene.damaged, scene.journal());
    FAIL("it was restored");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::drive_error);
  }
  CHECK(scene.damaged.writes.empty());
  CHECK(scene.damaged.settings == 0);
}

struct WrongDriveFolder {
  WrongDriveFolder() { std::filesystem::create_directories(path); }
  ~WrongDriveFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("platter-wrong-drive-" + std::to_string(::getpid()));
};

// At the end of a run, which has journaled the contents.
EndOfRun ended_on(WrittenDrive& scene, const WrongDriveFolder& folder) {
  const JournalContents before = journal_with_settings(scene);
  Journal journal(folder.path.string(), "the drive", scene.identity, before.settings);
  for (const LbnRange& run : scene.contents.runs())
    journal.before_write(run.first, scene.contents.of(run));
  EndOfRun end = end_run(scene.damaged, scene.identity, journal);
  CHECK(std::filesystem::exists(journal.path()) == !end.well());
  return end;
}

// holds: safety.md: The same at the end of a run
TEST_CASE(
    "at the end of a run nothing is put back on a drive that was put in the place of the first") {
  const WrongDriveFolder folder;
  TwoDrives scene(40, 38);
  scene.damaged.unreadable = {1003};
  const EndOfRun end = ended_on(scene, folder);
  CHECK(end.media.is_another_drive);
  CHECK_THAT(end.trouble, Catch::Contains("37 of 39 blocks that were written") &&
                              Catch::Contains("not the drive that was written to") &&
                              Catch::Contains("run platter restore"));
  CHECK(scene.damaged.writes.empty());
  CHECK(scene.damaged.settings == 0);
}

// holds: safety.md: What differs or cannot be read is put
TEST_CASE("what a failed write has torn at the end of a short run is put back") {
  const WrongDriveFolder folder;
  const std::uint32_t blocks = GENERATE(1U, 4U);
  TwoDrives scene(blocks, blocks);
  CHECK(ended_on(scene, folder).well());
  CHECK(scene.held(1000, blocks) == scene.contents.of({1000, 999 + blocks}));
}

}  // namespace
}  // namespace platter::safety
