// Drives that a run has to go round or refuse: short commands, blocks that are not on the media,
// other block lengths, protection information, settings that the drive does not take back.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "catch.h"
#include "extract/runs.h"
#include "safety/journal_reader.h"
#include "safety/restore.h"
#include "scsi/bytes.h"
#include "scsi/drive.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

model::DriveModel drive_of(const std::string& name, const std::string& level) {
  model::DriveModel model = drive_named(name);
  model.imperfections = virtual_drive::default_imperfections(7);
  if (!model.firmware) model.firmware.emplace();
  model.firmware->scsi_level = level;
  return model;
}

model::DriveModel modern_drive() { return drive_of("hp-c2247", "SPC-3"); }

std::uint64_t blocks_of(const scsi::Command& command) {
  const auto range = scsi::addressed_blocks(command);
  return range ? range->blocks : 0;
}

// The drive, with something between it and the run.
class Between : public scsi::Device {
 public:
  explicit Between(scsi::Device& device) : device_(device) {}
  const std::string& name() const override { return device_.name(); }
  scsi::Clock& clock() override { return device_.clock(); }
  std::uint32_t max_outstanding() const override { return device_.max_outstanding(); }
  std::uint32_t max_transfer_bytes() const override { return most_bytes; }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    if (seen) seen(command);
    opcodes_[tag % 4096] = command.cdb[0];
    if (untold_limit == 0 || blocks_of(command) <= untold_limit)
      return device_.submit(command, tag);
    scsi::Command refused = command;
    refused.cdb[1] |= 0x20;  // RDPROTECT or WRPROTECT, which drives without protection information
                             // refuse
    return device_.submit(refused, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override {
    return changed(device_.reap());
  }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return changed(device_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return device_.reset(); }

  std::uint32_t most_bytes = 0;
  std::uint64_t untold_limit = 0;  // of blocks in one command
  std::function<void(const scsi::Command&)> seen;
  std::function<void(std::uint8_t opcode, scsi::Completion&)> change;

 private:
  scsi::Expected<std::optional<scsi::Completion>> changed(
      scsi::Expected<std::optional<scsi::Completion>> done) {
    if (done && *done && change) change(opcodes_[(*done)->tag % 4096], **done);
    return done;
  }
  scsi::Device& device_;
  std::array<std::uint8_t, 4096> opcodes_{};
};

void check_is_whole(const Run& run, const model::DriveModel& truth) {
  CHECK(run.model.layout.zones.size() == truth.layout.zones.size());
  CHECK(run.model.seek.points.size() > 10);
  REQUIRE(run.model.validity.demerits.size() == 2);
  CHECK(run.model.validity.demerits.front().demerit_percent < 4);
  CHECK(run.model.validity.demerits.front().folded_phase_share > 0.9);
}

// What MODE SENSE(6) shows of this page is not what it was: a setting that was not taken back.
void shows_another(std::uint8_t code, std::uint8_t opcode, scsi::Completion& done) {
  if (opcode != 0x1A || done.data.size() < 5) return;
  const std::size_t page = 4u + done.data[3];
  if (page + 5 < done.data.size() && (done.data[page] & 0x3F) == code) done.data[page + 5] ^= 1;
}

TEST_CASE("of a drive that does not translate a map's time by timing is announced") {
  model::DriveModel model = drive_named("quantum-atlas10k");
  model.imperfections->seed = GENERATE(1U, 2U);  // the time varies
  if (!model.firmware) model.firmware.emplace();
  model.firmware->address_translation = false;
  virtual_drive::VirtualDevice drive(model);
  const Folder folder;
  Options options = options_in(folder);
  std::vector<double> announced;
  options.expected = [&](double seconds) { announced.push_back(seconds); };
  const Run run = characterize(drive, options);
  REQUIRE_FALSE(announced.empty());
  const double took_s = run.model.provenance.drive_seconds;
  INFO("announced " << announced.front() << " s, took " << took_s << " s");
  CHECK(announced.front() < 2 * took_s);
  CHECK(announced.front() > took_s / 2);
}

}  // namespace

TEST_CASE("no command of a run is longer than the drive takes, or than the host's path carries") {
  const Folder folder;
  auto model = modern_drive();
  SECTION("VPD page B0h") { model.firmware->most_transfer_blocks = 16; }
  SECTION("the host") {}
  virtual_drive::VirtualDevice device(model);
  Between path(device);
  if (model.firmware->most_transfer_blocks == 0) path.most_bytes = 16 * 512 + 100;
  std::uint64_t longest = 0;
  path.seen = [&](const scsi::Command& command) {
    longest = std::max(longest, blocks_of(command));
  };
  auto options = options_in(folder);
  options.writable = {{100'000, 150'000}};
  const Run run = characterize(path, options);
  CHECK(longest == 16);
  check_is_whole(run, model);
}

TEST_CASE("a limit that the drive does not tell is found by its refusals, and kept", "[.long]") {
  const Folder folder;
  const auto model = drive_of("cache-base", "SPC-3");
  virtual_drive::VirtualDevice device(model);
  Between path(device);
  auto options = options_in(folder);
  SECTION("long enough") {
    path.untold_limit = GENERATE(16, 200);
    options.writable = {{1000, 60'000}};
    std::uint64_t refused = 0;
    path.seen = [&](const scsi::Command& command) {
      refused += blocks_of(command) > path.untold_limit;
    };
    const Run run = characterize(path, options);
    CHECK(noted(run, fmt::format("refuses commands of more than {} blocks", path.untold_limit)));
    CHECK(refused > 0);
    CHECK(refused < 20);  // one, and those that look for the limit
    check_is_whole(run, model);
  }
  SECTION("too short") {
    path.untold_limit = 7;
    const Run run = characterize(path, options);
    REQUIRE(run.ended_by);
    CHECK(run.ended_by->status() == ExitStatus::unsupported);
    CHECK_THAT(run.ended_by->what(), Catch::Contains("no more than 7 blocks in one command"));
    CHECK_FALSE(run.model.provenance.complete);
    CHECK(std::filesystem::is_empty(folder.path));
  }
}

TEST_CASE(
    "a field of the caching page that does not come back after its test ends the run with its "
    "model") {
  const Folder folder;
  virtual_drive::VirtualDevice device(drive_of("cache-base", "SPC-3"));
  Between path(device);
  auto options = options_in(folder);
  bool reported = false, in_cache = false;
  options.progress = [&](const std::string& stage, double, double) {
    // The first report comes before the stage sets the caches.
    in_cache |= reported && stage == "cache";
    reported |= stage == "cache";
  };
  int selects = 0;
  path.change = [&](std::uint8_t opcode, scsi::Completion& done) {
    constexpr std::uint8_t kModeSelect = 0x15;
    if (selects >= 2) shows_another(0x08, opcode, done);
    if (!in_cache || opcode != kModeSelect || ++selects < 2) return;
    done.status = scsi::Status::check_condition;
    done.sense = {0x70, 0, 0x05, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x26, 0x00, 0, 0, 0, 0};
  };
  const Run run = characterize(path, options);
  REQUIRE(run.not_restored);
  CHECK_THAT(*run.not_restored, Catch::Contains("mode page 08h") &&
                                    Catch::Contains("platter restore " + folder.path.string()));
  CHECK(run.not_restored->find("platter restore") == run.not_restored->rfind("platter restore"));
  CHECK(run.model.seek.points.size() > 10);
  CHECK(run.model.cache.segments.value);
  CHECK(run.model.overheads.read_miss_after_read.value);
  CHECK_THAT(run.model.validity.note,
             Catch::Contains("not checked") && Catch::Contains("mode page 08h"));
  CHECK_THAT(run.model.queue.depth.reason, Catch::Contains("mode page 08h"));
  const auto& freedoms = run.model.cache.freedoms;
  REQUIRE(freedoms.size() > 2);
  CHECK(std::ranges::count_if(freedoms, [](const model::CacheFreedom& freedom) {
          return freedom.because.find("after it the drive did not take") != std::string::npos;
        }) == 1);
  CHECK(std::ranges::all_of(
      freedoms, [](const model::CacheFreedom& freedom) { return freedom.effect == "not told"; }));
}

TEST_CASE("eight blocks in one command are enough, also for writes; fewer are refused at once") {
  const Folder folder;
  auto model = drive_of("cache-base", "SPC-3");
  auto options = options_in(folder);
  options.writable = {{1000, 60'000}};
  model.firmware->most_transfer_blocks = 8;
  virtual_drive::VirtualDevice enough(model);
  check_is_whole(characterize(enough, options), model);
  model.firmware->most_transfer_blocks = 7;
  virtual_drive::VirtualDevice few(model);
  try {
    characterize(few, options);
    FAIL("it was characterized");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unsupported);
    CHECK_THAT(error.what(), Catch::Contains("no more than 7 blocks in one command"));
  }
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("a drive with much that is not on the media is refused, with the share") {
  const Folder folder;
  for (const std::string level : {"SPC-3", "SCSI-2"}) {
    auto model = drive_of("hp-c2247", level);
    const std::uint64_t blocks = model.identity.blocks;
    std::string share = "30.0 %";
    model.firmware->unwritten = {{blocks / 10, blocks / 4 - 1},
                                 {blocks / 2, blocks / 2 + blocks * 15 / 100 - 1}};
    SECTION(level + ", 30 % in two ranges") {}
    SECTION(level + ", all of it") {
      model.firmware->unwritten = {{0, blocks - 1}};
      share = "100.0 %";
    }
    virtual_drive::VirtualDevice device(model);
    int selects = 0;
    Between path(device);
    path.seen = [&](const scsi::Command& command) { selects += command.cdb[0] == 0x15 ? 1 : 0; };
    try {
      characterize(path, options_in(folder));
      FAIL("it was characterized");
    } catch (const Error& error) {
      const std::string sentence = error.what();
      INFO(sentence);
      CHECK(error.status() == ExitStatus::unsupported);
      CHECK_THAT(sentence, Catch::Contains("cannot be characterized as it is"));
      CHECK_THAT(sentence, !Catch::Contains("write"));
      if (level == "SPC-3") {
        CHECK_THAT(sentence, Catch::Contains(share) && Catch::Contains("GET LBA STATUS"));
        CHECK(selects == 0);
      } else {
        CHECK_THAT(sentence, Catch::Contains("reads of random blocks at once"));
      }
    }
    CHECK(std::filesystem::is_empty(folder.path));
  }
}

TEST_CASE(
    "a drive that says that it does not rotate is refused before anything on its media is "
    "accessed") {
  const Folder folder;
  virtual_drive::VirtualDevice device(modern_drive());
  Between path(device);
  std::uint16_t rate = 1;
  path.change = [&](std::uint8_t opcode, scsi::Completion& done) {
    constexpr std::uint8_t kInquiry = 0x12;
    if (opcode != kInquiry || done.data.size() < 6 || done.data[1] != 0xB1) return;
    done.data[4] = static_cast<std::uint8_t>(rate >> 8);
    done.data[5] = static_cast<std::uint8_t>(rate);
  };
  // What reads, writes, seeks, verifies, flushes or sets, and what a run would ask next.
  int accesses = 0;
  path.seen = [&](const scsi::Command& command) {
    const auto* entry = scsi::find_command(command.cdb);
    REQUIRE(entry != nullptr);
    const bool only_asks = std::ranges::any_of(
        std::initializer_list<std::uint8_t>{0x00, 0x03, 0x12, 0x1A, 0x25, 0x5A, 0x85, 0x9E, 0xA0,
                                            0xA1},
        [&](std::uint8_t opcode) { return opcode == command.cdb[0]; });
    accesses += only_asks ? 0 : 1;
  };
  auto options = options_in(folder);
  options.writable = {{1000, 60'000}};
  try {
    characterize(path, options);
    FAIL("it was characterized");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unsupported);
    CHECK_THAT(error.what(), Catch::Contains("does not rotate (VPD page B1h)"));
  }
  CHECK(accesses == 0);
  CHECK(std::filesystem::is_empty(folder.path));
  rate = 0;  // not said
  options.writable.clear();
  bool began = false;
  options.interrupted = [&] { return began = accesses > 0; };
  CHECK_THROWS_WITH(characterize(path, options), Catch::Contains("interrupted"));
  CHECK(began);
}

TEST_CASE("a little that is not on the media is left out") {
  const Folder folder;
  auto model = modern_drive();
  const std::uint64_t blocks = model.identity.blocks;
  model.firmware->unwritten = {{blocks / 2 - 10'000, blocks / 2 + 10'000}, {1000, 12'000}};
  virtual_drive::VirtualDevice device(model);
  Between path(device);
  std::uint64_t there = 0;
  path.seen = [&](const scsi::Command& command) {
    if (blocks_of(command) == 0 || command.cdb[0] == 0x2B) return;
    const auto range = *scsi::addressed_blocks(command);
    for (const LbnRange& hole : model.firmware->unwritten)
      if (range.lbn <= hole.last && hole.first < range.lbn + range.blocks) ++there;
  };
  const Run run = characterize(path, options_in(folder));
  CHECK(there < 300);  // the queue's reads ask for none of them; what comes first is large enough
                       // to count
  CHECK(noted(run, "were left out"));
  check_is_whole(run, model);
}

TEST_CASE("blocks of 520, 528 and 4096 bytes are read as they are") {
  const Folder folder;
  for (const std::uint32_t bytes : {520u, 528u, 4096u}) {
    auto model = modern_drive();
    model.identity.block_bytes = model.identity.physical_block_bytes = bytes;
    virtual_drive::VirtualDevice device(model);
    const Run run = characterize(device, options_in(folder));
    CHECK(run.model.identity.block_bytes == bytes);
    check_is_whole(run, model);
  }
}

TEST_CASE("drives with protection information are read without it, and never written") {
  const Folder folder;
  const auto model = modern_drive();
  for (const int type : {1, 2, 3}) {
    virtual_drive::VirtualDevice device(model);
    Between path(device);
    path.change = [&](std::uint8_t opcode, scsi::Completion& done) {
      if (opcode == 0x9E && done.data.size() > 12)
        done.data[12] = static_cast<std::uint8_t>(0x01 | (type - 1) << 1);
    };
    bool reads_plainly = true;
    path.seen = [&](const scsi::Command& command) {
      if (command.cdb[0] == 0x28 && (command.cdb[1] & 0xE0)) reads_plainly = false;
    };
    auto options = options_in(folder);
    options.writable = {{1000, 2000}};
    CHECK_THROWS_WITH(characterize(path, options),
                      Catch::Contains("protection information of type " + std::to_string(type)) &&
                          Catch::Contains("lose its tags"));
    options.writable.clear();
    const Run run = characterize(path, options);
    CHECK(noted(run, "protection information of type " + std::to_string(type)));
    CHECK(reads_plainly);
    check_is_whole(run, model);
  }
}

TEST_CASE(
    "a drive that does not take its settings back: the model stays, the sentence names the "
    "journal") {
  const Folder folder;
  virtual_drive::VirtualDevice device(modern_drive());
  Between path(device);
  bool near_the_end = false;
  path.change = [&](std::uint8_t opcode, scsi::Completion& done) {
    if (near_the_end) shows_another(0x08, opcode, done);
    if (!near_the_end || opcode != 0x15) return;
    done.status = scsi::Status::check_condition;
    done.sense = {0x70, 0, 0x05, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x26, 0, 0, 0, 0, 0};
  };
  auto options = options_in(folder);
  SECTION("at the end") {
    options.progress = [&](const std::string& stage, double share, double) {
      near_the_end = stage == "queue" && share > 0.5;
    };
    const Run run = characterize(path, options);
    REQUIRE(run.not_restored);
    CHECK_THAT(*run.not_restored, Catch::Contains("platter restore " + folder.path.string()));
    CHECK(run.model.seek.points.size() > 10);
  }
  SECTION("at the end, a page that the run found and never set") {
    options.progress = [&](const std::string& stage, double share, double) {
      near_the_end |= stage == "queue" && share > 0.5;
    };
    path.change = [&](std::uint8_t opcode, scsi::Completion& done) {
      if (near_the_end) shows_another(0x1A, opcode, done);
    };
    const Run run = characterize(path, options);
    REQUIRE(run.not_restored);
    CHECK_THAT(*run.not_restored, Catch::Contains("mode page 1Ah") &&
                                      Catch::Contains("platter restore " + folder.path.string()));
  }
  SECTION("behind an error") {
    int asked = 0;
    options.interrupted = [&] {
      near_the_end = ++asked > 500;
      return near_the_end;
    };
    try {
      characterize(path, options);
      FAIL("it was not interrupted");
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::interrupted);
      CHECK_THAT(error.what(), Catch::Contains("platter restore " + folder.path.string()));
    }
  }
  CHECK_FALSE(std::filesystem::is_empty(folder.path));
  near_the_end = false;
  path.change = nullptr;
  for (const auto& file : std::filesystem::directory_iterator(folder.path))
    CHECK(safety::restore(path, safety::read_journal(file.path().string())).settings);
}

}  // namespace platter::extract
