// A drive's questions and answers, its log, and what a target says to the log's questions.
#include "emulator/scsi/scsi_drive.h"

#include <algorithm>
#include <random>
#include <sstream>

#include "catch.h"
#include "emulator/check/check_log.h"
#include "emulator/contents/contents_file.h"
#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::emulator;
using virtual_drive::testing::command;
using virtual_drive::testing::on_blocks;
using virtual_drive::testing::spc4_drive;
using virtual_drive::testing::with_data;
using virtual_drive::testing::with_room;

namespace {

model::DriveModel queueing(double policy, bool imperfect) {
  model::DriveModel model = spc4_drive();
  model.identity.blocks = virtual_drive::Target(model).layout().blocks();
  model.queue.policy = engine::testing::value(policy);
  if (imperfect) {
    model.imperfections = virtual_drive::default_imperfections(19);
    model.imperfections->medium_errors = {40};
  }
  return model;
}

class FailingContents final : public Contents {
 public:
  int read(std::uint64_t, std::span<std::uint8_t> to) const override {
    std::ranges::fill(to, std::uint8_t{0});
    return fails ? EIO : 0;
  }
  int write(std::uint64_t, std::span<const std::uint8_t>) override { return fails ? ENOSPC : 0; }
  int discard(std::uint64_t, std::uint64_t) override { return 0; }
  int flush() override { return 0; }
  std::uint64_t bytes() const override { return 0; }
  std::uint64_t stored_bytes() const override { return 0; }
  bool fails = false;
};

struct Logged {
  explicit Logged(const model::DriveModel& drive_model, Contents* given = nullptr)
      : model(drive_model),
        own(model.identity.blocks * 512),
        writer(std::in_place, folder.file("log")),
        drive(ScsiDriveSettings{"small", model, "the-digest"}, 0, given ? *given : own, &*writer) {
    writer->line(
        R"({"schema":{"name":"platter-emulation-log","version":"1.0"},"requests":"commands",)"
        R"("drives":[)" +
        drive.log_head() + "]}");
  }

  std::string log() {
    CHECK(writer->finish().empty());
    return model::read_file(folder.path() + "/log");
  }

  CheckedLog check(const std::string& text) const {
    std::istringstream log(text);
    return check_log(log, "log", {{"the-digest", model.identity.blocks, nullptr, model}});
  }

  model::DriveModel model;
  model::TemporaryFolder folder{model::temporary_name("platter-test")};
  ContentsFile own;
  std::optional<LogWriter> writer;
  ScsiDrive drive;
};

scsi::Command any_command(std::mt19937_64& random, std::uint64_t capacity) {
  const auto lbn = random() % capacity;
  const auto blocks =
      static_cast<std::uint32_t>(1 + random() % std::min<std::uint64_t>(16, capacity - lbn));
  const auto bytes = std::vector<std::uint8_t>(blocks * 512, static_cast<std::uint8_t>(random()));
  switch (random() % 16) {
    case 0:
      return with_room(command({0x12, 0, 0, 0, 36, 0}), 36);
    case 1:
      return command({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    case 2:  // MODE SELECT: the read cache, on and off
      return with_data(command({0x15, 0x10, 0, 0, 24, 0}),
                       {0, 0, 0, 0, 8, 18, static_cast<std::uint8_t>(random() % 2 ? 4 : 5),
                        0, 0, 0, 0, 0, 0,  0,
                        0, 0, 0, 0, 0, 0,  0,
                        0, 0, 0});
    case 3:
      return on_blocks(0x2f, lbn, blocks);
    case 4:  // compared with what may be something else
      return with_data(on_blocks(0x2f, lbn, blocks, 0x02), bytes);
    case 5:
      return with_data(on_blocks(0x8e, lbn, blocks), bytes);
    case 6:
      return with_data(on_blocks(0x93, lbn, blocks), std::vector<std::uint8_t>(512, 7));
    case 7:
    case 8:
    case 9:
      return with_data(on_blocks(0x2a, lbn, blocks, random() % 3 == 0 ? 0x08 : 0), bytes);
    default:
      return with_room(on_blocks(random() % 2 ? 0x28 : 0x88, lbn, blocks), blocks * 512);
  }
}

// Commands of all kinds and attributes, up to so many outstanding, some told late, some aborted.
void load(Logged& logged, std::uint32_t depth, int commands, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ScsiDrive& drive = logged.drive;
  std::vector<std::uint32_t> outstanding;
  Nanoseconds now_ns = kSecond;
  for (std::uint32_t tag = 0; tag < static_cast<std::uint32_t>(commands); ++tag) {
    while (outstanding.size() >= depth || (!outstanding.empty() && random() % 2 == 0)) {
      const auto due_ns = drive.next_due();
      REQUIRE(due_ns);
      now_ns = std::max(now_ns, *due_ns + static_cast<Nanoseconds>(random() % 100'000));
      if (auto done = drive.take(now_ns)) {
        std::erase(outstanding, done->tag);
        drive.delivered(done->tag, now_ns);
        drive.reuse(std::move(done->data));
      }
    }
    scsi::Command next = any_command(random, logged.model.identity.blocks);
    const auto kind = random() % 12;
    next.attribute = kind == 0   ? scsi::Attribute::ordered
                     : kind == 1 ? scsi::Attribute::head_of_queue
                                 : scsi::Attribute::simple;
    drive.submit(next, tag, now_ns - static_cast<Nanoseconds>(random() % 50'000));
    outstanding.push_back(tag);
    now_ns += static_cast<Nanoseconds>(random() % 4'000'000);
    const auto event = random() % 100;
    if (event == 0 && !outstanding.empty()) {
      drive.abort(outstanding.back(), now_ns);
      outstanding.pop_back();
    } else if (event == 1) {
      drive.reset(now_ns);
      outstanding.clear();
    } else if (event == 2) {
      drive.power_cycle(now_ns);
      outstanding.clear();
    }
  }
}

}  // namespace

// holds: emulators.md: The check of a log
TEST_CASE("a log gives every completion again, of any commands, late or aborted", "[scsi]") {
  for (const bool imperfect : {false, true})
    for (const double policy : {1.0, 4.0, 8.0})
      for (const std::uint32_t depth : {1u, 32u}) {
        Logged logged(queueing(policy, imperfect));
        load(logged, depth, 1500, 17 + depth);
        const CheckedLog checked = logged.check(logged.log());
        INFO(imperfect << " " << policy << " " << depth << " " << checked.first_difference);
        CHECK(checked.differ == 0);
        CHECK(checked.completions > 1000);
        CHECK(checked.left_out == 0);
      }
}

// holds: emulators.md: The check of a log
TEST_CASE("a log gives the time of a comparison again that ends before a medium error", "[scsi]") {
  Logged logged(queueing(1, true));
  std::uint32_t tag = 0;
  for (const std::uint64_t first : {100U, 39U, 40U}) {  // the first is told of the power-on
    logged.drive.submit(
        with_data(on_blocks(0x2f, first, 6, 0x02), std::vector<std::uint8_t>(6 * 512, 1)), tag,
        kSecond * (tag + 1));
    ++tag;
    REQUIRE(logged.drive.take(kSecond * (tag + 1)));
  }
  const CheckedLog checked = logged.check(logged.log());
  CHECK(checked.first_difference.empty());
  CHECK(checked.differ == 0);
  CHECK(checked.completions == 3);
}

TEST_CASE("a log gives the completions of a drive again that goes to rest whenever it can",
          "[scsi]") {
  for (const std::uint32_t depth : {1U, 4U}) {
    model::DriveModel model = queueing(8, true);
    model.power.emplace();
    model.power->idle_a = engine::testing::value(7);
    model.identity.power_timers = {{"idle_a", 0}};
    Logged logged(model), awake(queueing(8, true));
    load(logged, depth, 1500, 23);
    load(awake, depth, 1500, 23);
    CHECK(logged.drive.next_due() != awake.drive.next_due());
    const CheckedLog checked = logged.check(logged.log());
    INFO(depth << " " << checked.first_difference);
    CHECK(checked.differ == 0);
    CHECK(checked.completions > 1000);
  }
}

// holds: emulators.md: A time in the log
TEST_CASE("a log that was changed is found out", "[scsi]") {
  Logged logged(queueing(1, false));
  load(logged, 8, 200, 3);
  const std::string log = logged.log();
  const auto check = [&](const std::string& from, const std::string& to) {
    std::string changed = log;
    const std::size_t at = changed.find(from, changed.find("\n0 t 20 "));
    REQUIRE(at != std::string::npos);
    changed.replace(at, from.size(), to);
    return logged.check(changed);
  };
  CHECK(check("\n0 t 20 1", "\n0 t 20 2").differ > 0);
  CHECK(check("\n0 t 20 ", "\n0 t 21 ").differ > 0);
  // Of the completion behind it, its status.
  const std::size_t at = log.find("\n0 t 20 ");
  const std::string line = log.substr(at, log.find('\n', at + 1) - at);
  CHECK(check(line, line.substr(0, line.find(" 0 ", 8)) + " 8 0 0").differ == 1);

  const auto bad = [&](const std::string& text) {
    try {
      logged.check(text);
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string head = log.substr(0, log.find('\n') + 1);
  CHECK(bad(head + "0 c 1 5 0 0 0 00\n").find("log:2: ") == 0);
  for (const char* line_of_none :
       {"1 d 1 1\n", "0 q 1\n", "0 c 1 5 3 0 0 00 -\n", "0 c 1 5 0 3 0 00 -\n",
        "0 c 1 5 0 0 0 0 -\n", "0 c 1 5 0 0 0 zz -\n", "0 c 1 5 0 0 0 - -\n",
        "0 c 1 9223372036854775807 0 0 0 00 -\n", "0 t 1 5\n", "0 d 1 1 1\n", "0\n", "\n",
        "0 c 1 5 0 0 0 00 -\n0 c 1 5 0 0 0 00 -\n"})
    CHECK(bad(head + line_of_none).find("log:") == 0);
  CHECK(bad("").find("log:1: ") == 0);
  CHECK(bad("{}\n").find("log:1: ") == 0);
  // Of an emulator that was killed.
  CHECK(logged.check(log.substr(0, log.size() - 3)).differ == 0);
}

// holds: emulators.md: Where the file system that holds
TEST_CASE("storage that fails ends a command with its error, and the check leaves out the rest",
          "[scsi]") {
  FailingContents contents;
  Logged logged(queueing(1, false), &contents);
  std::uint32_t tag = 1;
  const auto run = [&](const scsi::Command& one) {
    logged.drive.submit(one, tag, kSecond * tag);
    ++tag;
    auto done = logged.drive.take(kSecond * tag);
    REQUIRE(done);
    return done->status;
  };
  run(command({0, 0, 0, 0, 0, 0}));
  CHECK(run(with_room(on_blocks(0x28, 5, 1), 512)) == scsi::Status::good);
  contents.fails = true;
  CHECK(run(with_room(on_blocks(0x28, 5, 1), 512)) == scsi::Status::check_condition);
  CHECK(logged.drive.contents_error() == EIO);
  CHECK(run(with_data(on_blocks(0x2a, 5, 1), std::vector<std::uint8_t>(512))) ==
        scsi::Status::check_condition);
  CHECK(logged.drive.contents_error() == ENOSPC);
  const CheckedLog checked = logged.check(logged.log());
  CHECK(checked.differ == 0);
  CHECK(checked.completions == 2);
  CHECK(checked.left_out == 2);
}

// holds: emulators.md: What a flush
TEST_CASE("what a drive holds is told to last by FUA and SYNCHRONIZE CACHE", "[scsi]") {
  Logged logged(queueing(1, false));
  std::uint32_t tag = 1;
  const auto lasts = [&](const scsi::Command& one) {
    logged.drive.submit(one, tag, kSecond * tag);
    ++tag;
    bool does = false;
    logged.drive.take_has_to_last([&](std::uint32_t its) { does = its == tag - 1; });
    REQUIRE(logged.drive.take(kSecond * tag));
    return does;
  };
  const auto write = with_data(on_blocks(0x2a, 5, 1), std::vector<std::uint8_t>(512));
  auto through = write;
  through.cdb[1] = 0x08;
  lasts(command({0, 0, 0, 0, 0, 0}));
  CHECK_FALSE(lasts(write));
  CHECK(lasts(through));
  CHECK(lasts(command({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
  CHECK_FALSE(lasts(with_room(on_blocks(0x28, 5, 1), 512)));
}
