// Several writes outstanding, on a drive that fails one of them and tears the others, vanishes, is
// reset or loses its path, and answers in its own order; and a host that is slow to hear of it.
// Whatever happens: each block was in the journal before its write left, nothing is written once a
// failure could be known, and all is put right.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "catch.h"
#include "damaged_drive.h"
#include "model/error.h"
#include "replay/replay_drive.h"
#include "safety/end_of_run.h"
#include "safety/journal_reader.h"
#include "safety/restore.h"
#include "virtual_drive/catalogue.h"

namespace platter::safety {
namespace {

namespace fs = std::filesystem;
using testing::DamagedDrive;

constexpr std::uint32_t kDepth = 16, kBlock = 512;
constexpr std::uint64_t kArea = 20'000;

model::DriveModel deep_drive(std::uint32_t physical_block_bytes) {
  model::DriveModel model =
      virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue("quantum-atlas10k"));
  model.imperfections.reset();
  model.identity.physical_block_bytes = physical_block_bytes;
  model.queue.policy.value = 8;  // out of order
  if (!model.firmware) model.firmware.emplace();
  model.firmware->task_set = 64;
  if (physical_block_bytes > kBlock) model.firmware->scsi_level = "SPC-4";
  return model;
}

// Between the replay and the drive. What goes wrong does so at the Nth write.
class Storm final : public scsi::Device {
 public:
  enum class Kind : std::uint8_t { none, medium, deferred, vanishes, path, reset };

  Storm(DamagedDrive& drive, Kind kind, std::size_t at) : drive_(drive), kind_(kind), at_(at) {
    drive_.write_fails = [this](std::uint64_t, std::uint32_t) { return failure(); };
  }

  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return 64; }

  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    if (command.opcode() == scsi::kWrite10 && watching) {
      const auto range = *scsi::addressed_blocks(command);
      if (before_write) before_write({range.lbn, range.lbn + range.blocks - 1});
      sent_ns.push_back(clock().now_ns());
      if (doubted_) ++written_in_doubt;
      if (kind_ == Kind::path && sent_ns.size() == at_) broken_tag_ = tag;
      if (kind_ == Kind::reset && sent_ns.size() == at_) reset_tag_ = tag;
      if (kind_ == Kind::vanishes && sent_ns.size() == at_) vanish();
    }
    if (command.opcode() == scsi::kInquiry && doubted_) doubted_ = false;
    auto sent = drive_.submit(command, tag);
    if (sent) in_flight_.insert(tag);
    most_at_once = std::max(most_at_once, in_flight_.size());
    return sent;
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override {
    auto done = told(drive_.reap());
    // Meanwhile others complete, and are not reaped yet.
    clock().sleep_until_ns(clock().now_ns() + 20 * kMillisecond);
    return done;
  }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return told(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

  // Back in its place, with what its media hold.
  void return_in_order() {
    kind_ = Kind::none;
    watching = failed_ = drive_.gone = false;
    in_flight_.clear();
    while (drive_.reap().value()) {  // what it had still to answer nobody hears
    }
  }

  bool watching = false;
  std::function<void(const LbnRange&)> before_write;
  std::vector<Nanoseconds> sent_ns;            // of every write, when it left
  std::optional<Nanoseconds> first_failed_ns;  // when the first that failed was complete
  std::size_t most_at_once = 0, written_in_doubt = 0, torn = 0;

 private:
  // Those that are in flight with the first that fails fail, too, and are torn.
  std::optional<DamagedDrive::Failure> failure() {
    if (kind_ != Kind::medium && kind_ != Kind::deferred) return std::nullopt;
    if (!watching || (sent_ns.size() < at_ && !failed_)) return std::nullopt;
    failed_ = true;
    ++torn;
    return DamagedDrive::Failure{.deferred = kind_ == Kind::deferred};
  }

  void vanish() {
    drive_.gone = true;
    first_failed_ns = clock().now_ns();
  }

  scsi::Expected<std::optional<scsi::Completion>> told(
      scsi::Expected<std::optional<scsi::Completion>> reaped) {
    if (drive_.gone) {
      if (in_flight_.empty()) return std::nullopt;
      in_flight_.erase(in_flight_.begin());
      return tl::unexpected(
          scsi::TransportError{scsi::TransportError::Kind::gone, name() + " is gone"});
    }
    if (!reaped || !*reaped) return reaped;
    scsi::Completion& done = **reaped;
    in_flight_.erase(done.tag);
    if (failed_ && !first_failed_ns && done.status != scsi::Status::good)
      first_failed_ns = done.completed_ns;
    if (done.tag == broken_tag_) {
      broken_tag_.reset();
      first_failed_ns = done.completed_ns;
      return tl::unexpected(
          scsi::TransportError{scsi::TransportError::Kind::timeout, name() + " did not answer"});
    }
    if (done.tag == reset_tag_) {
      reset_tag_.reset();
      doubted_ = true;
      done.status = scsi::Status::check_condition;
      done.sense = {0x70, 0, 0x06, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x29, 0x00, 0, 0, 0, 0};
    }
    return reaped;
  }

  DamagedDrive& drive_;
  Kind kind_;
  std::size_t at_;
  std::set<std::uint32_t> in_flight_;  // tags
  std::optional<std::uint32_t> broken_tag_, reset_tag_;
  bool failed_ = false, doubted_ = false;
};

struct JournalFolder {
  JournalFolder() { fs::create_directories(path); }
  ~JournalFolder() { fs::remove_all(path); }
  fs::path path = fs::temp_directory_path() / ("platter-storm-" + std::to_string(::getpid()));
};

struct Replay {
  Replay(Storm::Kind kind, std::size_t at, std::uint32_t seed, std::uint32_t physical)
      : inner(deep_drive(physical)), damaged(inner), storm(damaged, kind, at) {
    std::mt19937 dice(seed);
    before.resize(kArea * kBlock);
    for (std::uint8_t& byte : before) byte = static_cast<std::uint8_t>(dice());
    scsi::Guard guard(inner, {.writes = {{0, kArea - 1}}});
    scsi::Drive drive(guard, "the drive");
    identity = drive.identify();
    constexpr std::uint64_t kAtOnce = 1000;
    for (std::uint64_t lbn = 0; lbn < kArea; lbn += kAtOnce)
      drive.put_back(lbn, {before.begin() + static_cast<std::ptrdiff_t>(lbn * kBlock),
                           before.begin() + static_cast<std::ptrdiff_t>((lbn + kAtOnce) * kBlock)});
    trace.name = "storm";
    trace.kind = seed % 2 == 0 ? trace::Kind::closed : trace::Kind::open;
    for (int i = 0; i < 120; ++i) {
      const auto blocks = static_cast<std::uint32_t>(1 + dice() % 40);
      trace.requests.push_back({.arrival_ns = i * kMillisecond / 2,
                                .lbn = dice() % (kArea - 64),
                                .blocks = blocks,
                                .write = dice() % 4 != 0});
    }
    storm.before_write = [this](const LbnRange& range) { require_journaled(range); };
  }

  // In the file, not only in memory.
  void require_journaled(const LbnRange& range) {
    REQUIRE(journal);
    if (journal_bytes != fs::file_size(journal->path())) {
      journaled = read_journal(journal->path()).blocks;
      journal_bytes = fs::file_size(journal->path());
    }
    const std::uint32_t logical = identity.physical_block_bytes / kBlock;
    for (std::uint64_t lbn = range.first / logical * logical;
         lbn < (range.last / logical + 1) * logical; ++lbn) {
      if (!journaled.knows(lbn)) FAIL("LBN " << lbn << " is not in the journal");
      const auto* const held = before.data() + lbn * kBlock;
      if (!std::equal(held, held + kBlock, journaled.block(lbn).begin()))
        FAIL("LBN " << lbn << " is another one in the journal");
    }
  }

  // The status that it ended with.
  ExitStatus replay() {
    const replay::DriveReplay options{
        .depth = kDepth,
        .reference_reads = 0,
        .before_changes =
            [this](const model::Identity& who, scsi::Drive& drive) {
              journal.emplace(folder.path.string(), "the drive", who, settings_of(drive));
            },
        .before_writes =
            [this](std::uint64_t lbn, const std::vector<std::uint8_t>& bytes) {
              journal->before_write(lbn, bytes);
            },
    };
    storm.watching = true;
    try {
      replay_on_drive(storm, {.writes = {{0, kArea - 1}}}, trace, options);
      storm.watching = false;
      return ExitStatus::ok;
    } catch (const Error& error) {
      said = error.what();
      storm.watching = false;
      return error.status();
    }
  }

  bool as_before() {
    scsi::Guard guard(damaged, {});
    scsi::Drive drive(guard, "the drive");
    drive.identify();
    constexpr std::uint32_t kAtOnce = 1000;
    for (std::uint64_t lbn = 0; lbn < kArea; lbn += kAtOnce) {
      const auto held = drive.contents(lbn, kAtOnce, true);
      if (!std::equal(held.begin(), held.end(),
                      before.begin() + static_cast<std::ptrdiff_t>(lbn * kBlock)))
        return false;
    }
    return true;
  }

  JournalFolder folder;
  std::vector<std::uint8_t> before;
  virtual_drive::VirtualDevice inner;
  DamagedDrive damaged;
  Storm storm;
  model::Identity identity;
  trace::Trace trace;
  std::optional<Journal> journal;
  BlockContents journaled{kBlock};
  std::uintmax_t journal_bytes = 0;
  std::string said;
};

// Of the writes that left, those behind the first that had failed by then.
std::size_t left_too_late(const Storm& storm) {
  if (!storm.first_failed_ns) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      storm.sent_ns, [&](Nanoseconds time_ns) { return time_ns > *storm.first_failed_ns; }));
}

using Kind = Storm::Kind;

// holds: safety.md: What is written is what was read
// holds: safety.md: Before a write leaves
// holds: safety.md: The journal goes only
TEST_CASE("without a storm writes at depth leave everything as it was") {
  const auto seed = GENERATE(1U, 2U);
  Replay scene(Kind::none, 0, seed, 512);
  CHECK(scene.replay() == ExitStatus::ok);
  CHECK(scene.storm.most_at_once > kDepth / 2);
  CHECK(end_run(scene.storm, scene.identity, *scene.journal).well());
  CHECK_FALSE(fs::exists(scene.journal->path()));
  CHECK(scene.as_before());
}

// holds: safety.md: The first write that fails
// holds: safety.md: Writes in flight
// holds: safety.md: Before a write leaves
TEST_CASE("one of the writes in flight fails, and those with it are torn") {
  const auto kind = GENERATE(Kind::medium, Kind::deferred);
  const auto physical = GENERATE(512U, 4096U);
  const auto seed = GENERATE(range(1U, 5U));
  const std::size_t at = 5 + seed * 11;
  Replay scene(kind, at, seed, physical);
  CHECK(scene.replay() == ExitStatus::drive_error);
  INFO(scene.said);
  CHECK(scene.said.find(kind == Kind::medium ? "fails the write of" : "fail") != std::string::npos);
  REQUIRE(scene.storm.first_failed_ns);
  CHECK(scene.storm.torn > 1);
  CHECK(left_too_late(scene.storm) == 0);
  CHECK_FALSE(scene.damaged.unreadable.empty());
  const EndOfRun end = end_run(scene.storm, scene.identity, *scene.journal);
  INFO(end.trouble);
  CHECK(end.well());
  CHECK_FALSE(end.media.put_back.empty());
  CHECK_FALSE(fs::exists(scene.journal->path()));
  CHECK(scene.as_before());
}

// holds: safety.md: The first write that fails
// holds: safety.md: Writes in flight
TEST_CASE("a path that fails ends writing, and what was in flight is read back") {
  const auto seed = GENERATE(range(1U, 7U));
  Replay scene(Kind::path, 10 + seed * 9, seed, 512);
  CHECK(scene.replay() == ExitStatus::drive_error);
  REQUIRE(scene.storm.first_failed_ns);
  CHECK(left_too_late(scene.storm) == 0);
  CHECK(end_run(scene.storm, scene.identity, *scene.journal).well());
  CHECK(scene.as_before());
}

// holds: safety.md: Writes in flight
TEST_CASE("of a drive that vanishes the journal has all, and a restore puts it right") {
  const auto seed = GENERATE(range(1U, 5U));
  Replay scene(Kind::vanishes, 20 + seed, seed, 4096);
  CHECK(scene.replay() == ExitStatus::drive_error);
  CHECK(scene.storm.sent_ns.size() == 20 + seed);  // nothing after it
  const EndOfRun end = end_run(scene.storm, scene.identity, *scene.journal);
  CHECK_FALSE(end.well());
  const std::string path = scene.journal->path();
  REQUIRE(fs::exists(path));
  scene.journal.reset();
  // Any of the blocks may have been torn.
  for (const trace::Request& request : scene.trace.requests)
    if (request.write && request.lbn % 3 == 0) scene.damaged.unreadable.insert(request.lbn);
  scene.storm.return_in_order();
  const JournalContents contents = read_journal(path);
  const Restored restored = restore(scene.storm, contents);
  CHECK(restored.media.all_well());
  CHECK(scene.as_before());
}

// holds: safety.md: Where a unit attention
TEST_CASE("after a reset at depth no write leaves before it is known who the drive is") {
  const auto seed = GENERATE(range(1U, 7U));
  Replay scene(Kind::reset, 10 + seed * 9, seed, 512);
  CHECK(scene.replay() == ExitStatus::ok);
  CHECK(scene.storm.written_in_doubt == 0);
  CHECK(end_run(scene.storm, scene.identity, *scene.journal).well());
  CHECK(scene.as_before());
}

}  // namespace
}  // namespace platter::safety
