// SCSI drives that misbehave on time: when their answers come, with what, and what the check of
// their log says.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "catch.h"
#include "emulator/check/check_log.h"
#include "emulator/contents/contents_file.h"
#include "emulator/contents/volatile_contents.h"
#include "emulator/scsi/command_log.h"
#include "emulator/scsi/scsi_drive.h"
#include "episodes/read.h"
#include "fit.h"
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

std::shared_ptr<const episodes::Schedule> schedule_of(const std::string& list) {
  return std::make_shared<const episodes::Schedule>(episodes::read_schedule(
      R"({"schema":{"name":"platter-episodes","version":"1.0"},"seed":11,"episodes":[)" + list +
          "]}",
      "e"));
}

model::DriveModel queueing_drive() {
  model::DriveModel model = spc4_drive();
  model.identity.blocks = virtual_drive::Target(model).layout().blocks();
  model.imperfections = virtual_drive::default_imperfections(3);
  model.imperfections->unit_attention_at_start = false;
  return model;
}

struct Misbehaving {
  explicit Misbehaving(const std::string& list, Contents* given = nullptr)
      : model(queueing_drive()),
        schedule(schedule_of(list)),
        own(model.identity.blocks * 512),
        writer(std::in_place, folder.file("log")),
        drive(ScsiDriveSettings{"small", model, "the-digest", schedule}, 0, given ? *given : own,
              &*writer) {
    writer->line(
        R"({"schema":{"name":"platter-emulation-log","version":"1.0"},"requests":"commands",)"
        R"("drives":[)" +
        drive.log_head() + "]}");
  }

  // All that is due by then, in its order.
  std::vector<scsi::Completion> until(Nanoseconds now_ns) {
    std::vector<scsi::Completion> found;
    while (drive.next_due() && *drive.next_due() <= now_ns)
      if (auto done = drive.take(*drive.next_due())) {
        drive.delivered(done->tag, done->completed_ns);
        found.push_back(*std::move(done));
      }
    return found;
  }
  scsi::Completion only(const scsi::Command& one, std::uint32_t tag, Nanoseconds at_ns) {
    drive.submit(one, tag, at_ns);
    auto done = until(at_ns + 1000 * kSecond);
    REQUIRE(done.size() == 1);
    return std::move(done[0]);
  }
  std::string log() {
    CHECK(writer->finish().empty());
    return model::read_file(folder.path() + "/log");
  }
  CheckedLog check(const std::string& text,
                   std::shared_ptr<const episodes::Schedule> with = nullptr) const {
    std::istringstream log(text);
    return check_log(log, "log", {{"the-digest", model.identity.blocks, nullptr, model, with}});
  }

  model::DriveModel model;
  std::shared_ptr<const episodes::Schedule> schedule;
  model::TemporaryFolder folder{model::temporary_name("platter-test")};
  ContentsFile own;
  std::optional<LogWriter> writer;
  ScsiDrive drive;
};

std::vector<std::uint8_t> blocks_of(std::uint8_t byte, std::size_t blocks = 1) {
  return std::vector<std::uint8_t>(blocks * 512, byte);
}

}  // namespace

// holds: emulators.md: What fails is neither returned nor stored
TEST_CASE("a read that fails returns nothing, a write that fails stores nothing", "[episodes]") {
  Misbehaving with(R"({"what":"fail","lbns":[100,103],"of":"read","from_s":10},)"
                   R"({"what":"fail","lbns":[200,203],"of":"write","from_s":10},)"
                   R"({"what":"fail","of":"flush","from_s":10})");
  const auto write = [&](std::uint64_t lbn, std::uint8_t byte, std::uint8_t opcode = 0x2a) {
    return with_data(on_blocks(opcode, lbn, 8), blocks_of(byte, 8));
  };
  CHECK(with.only(write(96, 1), 1, kSecond).status == scsi::Status::good);
  CHECK(with.only(write(196, 1), 2, 2 * kSecond).status == scsi::Status::good);

  const auto read = with.only(with_room(on_blocks(0x28, 96, 8), 4096), 3, 10 * kSecond);
  CHECK(read.status == scsi::Status::check_condition);
  CHECK(sense_number(read) == 0x031100);
  CHECK(read.data.empty());
  CHECK(read.residual == 4096);
  CHECK(std::vector(read.sense.begin() + 3, read.sense.begin() + 7) ==
        std::vector<std::uint8_t>{0, 0, 0, 100});  // INFORMATION
  CHECK(with.only(with_room(on_blocks(0x28, 104, 8), 4096), 4, 11 * kSecond).status ==
        scsi::Status::good);

  std::uint32_t tag = 5;
  for (const int opcode : {0x2a, 0xaa, 0x8a, 0x2e}) {
    const auto failed = with.only(write(196, 9, static_cast<std::uint8_t>(opcode)), tag,
                                  tag * 3 * kSecond);
    CHECK(failed.status == scsi::Status::check_condition);
    CHECK(sense_number(failed) == 0x030c00);
    ++tag;
  }
  const auto same = with.only(with_data(on_blocks(0x93, 196, 8), blocks_of(9)), tag, 40 * kSecond);
  CHECK(sense_number(same) == 0x030c00);
  const auto flush = with.only(command({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}), tag + 1, 50 * kSecond);
  CHECK(sense_number(flush) == 0x030c00);
  const auto kept = with.only(with_room(on_blocks(0x28, 196, 8), 4096), tag + 2, 60 * kSecond);
  CHECK(kept.data == blocks_of(1, 8));
  // What moves no blocks has no episodes.
  CHECK(with.only(command({0, 0, 0, 0, 0, 0}), tag + 3, 70 * kSecond).status == scsi::Status::good);
  const CheckedLog checked = with.check(with.log(), with.schedule);
  INFO(checked.first_difference);
  CHECK(checked.differ == 0);
  CHECK(checked.episodes == 7);
}

// holds: emulators.md: What fails is neither returned nor stored
TEST_CASE("a write that fails is in no cache either", "[episodes]") {
  VolatileContents* there = nullptr;
  ScsiDrive* drive = nullptr;
  VolatileContents contents(std::make_unique<ContentsFile>(queueing_drive().identity.blocks * 512),
                            [&] { return drive->unwritten_bytes(); });
  there = &contents;
  Misbehaving with(R"({"what":"fail","of":"write","every_nth":2})", there);
  drive = &with.drive;
  CHECK(with.only(with_data(on_blocks(0x2a, 5, 1), blocks_of(1)), 1, kSecond).status ==
        scsi::Status::good);
  CHECK(with.only(with_data(on_blocks(0x2a, 5, 1), blocks_of(2)), 2, 2 * kSecond).status ==
        scsi::Status::check_condition);
  std::vector<std::uint8_t> block(512);
  REQUIRE(contents.read(5 * 512, block) == 0);
  CHECK(block == blocks_of(1));
}

TEST_CASE("a stall holds what is due in its window to its end", "[episodes]") {
  Misbehaving with(R"({"what":"stall","from_s":10,"for_s":5})");
  with.drive.submit(with_room(on_blocks(0x28, 1000, 1), 512), 1, 9 * kSecond);
  CHECK(with.until(10 * kSecond - 1).size() == 1);
  for (std::uint32_t tag = 2; tag < 10; ++tag)
    with.drive.submit(with_room(on_blocks(0x28, 1000 * tag, 1), 512), tag,
                      10 * kSecond + tag * 100 * kMillisecond);
  CHECK(with.until(15 * kSecond - 1).empty());
  const auto done = with.until(15 * kSecond);
  CHECK(done.size() == 8);
  for (const auto& each : done) CHECK(each.completed_ns == 15 * kSecond);
  CHECK(with.only(with_room(on_blocks(0x28, 7, 1), 512), 11, 16 * kSecond).completed_ns <
        17 * kSecond);
}

// holds: emulators.md: A request that is stuck can be aborted
TEST_CASE("what is stuck never comes, and goes with an abort, a reset and the power",
          "[episodes]") {
  Misbehaving with(R"({"what":"stuck","of":"read"})");
  const auto read = with_room(on_blocks(0x28, 50, 1), 512);
  const auto stick = [&](std::uint32_t tag, Nanoseconds at_ns) {
    with.drive.submit(read, tag, at_ns);
    CHECK(with.until(at_ns + 900 * kSecond).empty());
    CHECK_FALSE(with.drive.next_due());
  };
  stick(1, kSecond);
  CHECK(with.drive.abort(1, 1000 * kSecond));
  CHECK_FALSE(with.drive.abort(1, 1000 * kSecond));
  stick(1, 1001 * kSecond);  // its tag is free again
  CHECK(with.drive.forget_stuck(1));
  CHECK_FALSE(with.drive.forget_stuck(1));
  stick(2, 2000 * kSecond);
  with.drive.reset(3000 * kSecond);
  CHECK_FALSE(with.drive.abort(2, 3000 * kSecond));
  stick(3, 4000 * kSecond);
  with.drive.power_cycle(5000 * kSecond);
  CHECK_FALSE(with.drive.abort(3, 5000 * kSecond));
  with.drive.submit(with_data(on_blocks(0x2a, 50, 1), blocks_of(3)), 4, 6000 * kSecond);
  with.until(7000 * kSecond);
  const CheckedLog checked = with.check(with.log(), with.schedule);
  INFO(checked.first_difference);
  CHECK(checked.differ == 0);
  CHECK(checked.episodes == 4);
  const auto reports = with.drive.episode_reports();
  REQUIRE(reports);
  CHECK(reports->at(0).what == "stuck");
  CHECK(reports->at(0).requests == 4);
}

TEST_CASE("what an episode keeps back is aborted, too", "[episodes]") {
  Misbehaving with(R"({"what":"slow","delay_ms":5000})");
  with.drive.submit(with_room(on_blocks(0x28, 50, 1), 512), 1, kSecond);
  CHECK(with.until(5 * kSecond).empty());
  REQUIRE(with.drive.next_due());
  CHECK(*with.drive.next_due() > 6 * kSecond);
  CHECK(with.drive.abort(1, 5 * kSecond));
  CHECK_FALSE(with.drive.next_due());
  CHECK(with.check(with.log(), with.schedule).differ == 0);
}

// holds: emulators.md: A log of episodes is checked
// holds: emulators.md: The same file, drive and requests
TEST_CASE("ten thousand commands, deep, aborted and reset: 0 differ, and shares are as asked",
          "[episodes]") {
  const std::string list =
      R"({"what":"slow","of":"read","delay_ms":{"distribution":"exponential","mean":4}},)"
      R"({"what":"throttle","factor":2,"of":"write","from_s":5},)"
      R"({"what":"fail","probability":0.1},)"
      R"({"what":"stall","from_s":3,"for_s":0.2,"every_s":7},)"
      R"({"what":"stuck","of":"read","every_nth":500})";
  constexpr std::uint32_t kCommands = 10'000;
  const auto run = [&](std::uint64_t seed) {
    Misbehaving with(list);
    ScsiDrive& drive = with.drive;
    std::mt19937_64 random(seed);
    std::set<std::uint32_t> outstanding;
    std::map<std::uint32_t, Nanoseconds> model_ns;
    double failed = 0, answered = 0;
    Nanoseconds now_ns = kSecond;
    const auto take_all = [&](Nanoseconds by_ns) {
      for (auto& done : with.until(by_ns)) {
        outstanding.erase(done.tag);
        ++answered;
        failed += done.status == scsi::Status::check_condition ? 1 : 0;
      }
    };
    for (std::uint32_t tag = 0; tag < kCommands; ++tag) {
      now_ns += static_cast<Nanoseconds>(random() % 5'000'000);
      take_all(now_ns);
      while (outstanding.size() >= 32) {
        if (!drive.next_due()) {  // all are stuck
          drive.reset(now_ns);
          outstanding.clear();
          break;
        }
        now_ns = std::max(now_ns, *drive.next_due());
        take_all(now_ns);
      }
      const std::uint64_t lbn = random() % (with.model.identity.blocks - 8);
      drive.submit(random() % 2 ? with_data(on_blocks(0x2a, lbn, 8), blocks_of(7, 8))
                                : with_room(on_blocks(0x28, lbn, 8), 4096),
                   tag, now_ns - static_cast<Nanoseconds>(random() % 20'000));
      outstanding.insert(tag);
      if (random() % 200 == 0) {
        drive.abort(*outstanding.begin(), now_ns);
        outstanding.erase(outstanding.begin());
      }
    }
    take_all(now_ns + 1000 * kSecond);
    std::string log = with.log();
    const CheckedLog checked = with.check(log, with.schedule);
    INFO(checked.first_difference);
    CHECK(checked.differ == 0);
    CHECK(checked.completions > 9000);
    CHECK(checked.episodes > 10'000);

    // The delays of what is slow, from the log.
    std::istringstream lines(log);
    std::vector<double> delays;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string drive_number, kind, tag, next, what;
      Nanoseconds time_ns = 0;
      words >> drive_number >> kind >> tag;
      if (kind == "t" && words >> time_ns)
        model_ns[static_cast<std::uint32_t>(std::stoul(tag))] = time_ns;
      else if (kind == "e" && words >> next >> what && what == "slow" && words >> time_ns)
        delays.push_back(static_cast<double>(
            time_ns - model_ns.at(static_cast<std::uint32_t>(std::stoul(tag)))));
    }
    CHECK(delays.size() > 4000);
    CHECK(platter::testing::p_of_kolmogorov_smirnov(
              delays, [](double ns) { return 1 - std::exp(-ns / 4e6); }) > 0.01);
    const std::array<double, 2> found{failed, answered - failed},
        expected{0.1 * answered, 0.9 * answered};
    CHECK(platter::testing::p_of_chi_squared(found, expected, 1) > 0.01);
    return log;
  };
  CHECK(run(1) == run(1));
  run(2);
}

// holds: emulators.md: A log of episodes is checked
TEST_CASE("a log of episodes is refused without their file, and what was changed is found",
          "[episodes]") {
  Misbehaving with(R"({"what":"slow","delay_ms":7},{"what":"fail","every_nth":3})");
  for (std::uint32_t tag = 1; tag <= 9; ++tag)
    with.only(with_room(on_blocks(0x28, tag * 100, 1), 512), tag, tag * kSecond);
  const std::string log = with.log();
  const auto refusal = [&](const std::string& text,
                           std::shared_ptr<const episodes::Schedule> schedule) {
    try {
      with.check(text, schedule);
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refusal(log, nullptr), Catch::Contains("--episodes"));
  CHECK_THAT(refusal(log, schedule_of("")), Catch::Contains("other episodes"));
  std::string without = log;
  const std::string named = ",\"episodes_sha256\":\"" + with.schedule->sha256 + "\"";
  without.erase(without.find(named), named.size());
  CHECK_THAT(refusal(without, with.schedule), Catch::Contains("without episodes"));

  CHECK(with.check(log, with.schedule).differ == 0);
  CHECK(with.check(log, with.schedule).episodes == 12);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = log;
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
    const CheckedLog checked = with.check(text, with.schedule);
    INFO(checked.first_difference);
    CHECK(checked.differ > 0);
    CHECK(checked.first_difference.find("episode") != std::string::npos);
  };
  changed("0 e 4 1 slow", "0 e 4 2 slow");
  changed("0 e 3 2 fail", "0 e 3 2 stuck");
  changed("0 e 5 1 slow", "0 e 6 1 slow");
  const std::size_t at = log.find("0 e 7 1 slow");
  changed(log.substr(at, log.find('\n', at) + 1 - at), "");
  changed("0 d 1 ", "0 e 1 1 slow 5\n0 d 1 ");
  CHECK_THAT(refusal(log.substr(0, log.find('\n') + 1) + "0 e 1 1\n", with.schedule),
             Catch::Contains("log:2: "));
  // Of an emulator that was killed before it told.
  CHECK(with.check(log.substr(0, log.find("0 e 9 ")), with.schedule).differ == 0);
}
