// The drive: each kind of fault does what --list-faults says of it.
#include "drive.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "pattern.h"
#include "scsi/bytes.h"

using namespace trust;
using platter::scsi::Command;
using platter::scsi::Completion;
using platter::scsi::Direction;
using platter::scsi::Status;

namespace {

constexpr std::uint64_t kSeed = 9;
constexpr std::uint32_t kBytes = 512;

Bytes held(std::uint64_t lbn, std::uint32_t blocks = 1) {
  Bytes all;
  for (std::uint64_t at = lbn; at < lbn + blocks; ++at) {
    const Bytes block = pattern(kSeed, at, kBytes);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

Command transfer(std::uint8_t opcode, std::uint64_t lbn, std::uint32_t blocks,
                 bool forced = false) {
  Command command;
  command.cdb[0] = opcode;
  command.cdb[1] = forced ? 0x08 : 0;
  platter::scsi::put_be(&command.cdb[2], 4, lbn);
  platter::scsi::put_be(&command.cdb[7], 2, blocks);
  command.cdb_length = 10;
  return command;
}

Command read_command(std::uint64_t lbn, std::uint32_t blocks = 1, bool forced = false) {
  Command command = transfer(0x28, lbn, blocks, forced);
  command.direction = Direction::from_device;
  command.transfer_length = blocks * kBytes;
  return command;
}

Command write_command(std::uint64_t lbn, Bytes bytes, bool forced = false) {
  Command command = transfer(0x2a, lbn, static_cast<std::uint32_t>(bytes.size()) / kBytes, forced);
  command.direction = Direction::to_device;
  command.transfer_length = static_cast<std::uint32_t>(bytes.size());
  command.data = std::move(bytes);
  return command;
}

Command verify_command(std::uint64_t lbn, std::uint32_t blocks = 1) {
  return transfer(0x2f, lbn, blocks);
}
Command synchronize() { return transfer(0x35, 0, 0); }
Command ready() {
  Command command;
  command.cdb_length = 6;
  return command;
}

Command inquiry(int page) {
  Command command;
  command.cdb = {0x12, 0x01, static_cast<std::uint8_t>(page), 0, 0xff};
  command.cdb_length = 6;
  command.direction = Direction::from_device;
  command.transfer_length = 255;
  return command;
}

Command caching_page() {
  Command command;
  command.cdb = {0x1a, 0x08, 0x08, 0, 0xff};
  command.cdb_length = 6;
  command.direction = Direction::from_device;
  command.transfer_length = 255;
  return command;
}

struct Fixture {
  explicit Fixture(std::vector<std::string> faults = {}, Build build = {}) {
    build.seed = kSeed;
    state.build = build;
    start(std::move(faults));
  }

  void start(std::vector<std::string> texts = {}) {
    std::vector<Fault> faults;
    for (const auto& text : texts) faults.push_back(parse_fault(text));
    drive = std::make_unique<AttackedDrive>(state, std::move(faults), log, 0);
  }

  // As a program that ends and one that starts, with the state in a file between.
  void again(std::vector<std::string> faults = {}) {
    drive->save();
    drive.reset();
    state = State::from_json(Json::parse(state.to_json().dump()));
    start(std::move(faults));
  }

  Completion send(const Command& command) {
    drive->submit(command, 1);
    return drive->reap().value().completion;
  }

  // WCE, RCD
  void set_caches(bool write, bool read) {
    Completion page = send(caching_page());
    Command command;
    command.data.assign(4, 0);
    command.data.insert(command.data.end(), page.data.begin() + 4, page.data.end());
    command.data[4] &= 0x3f;
    command.data[6] = static_cast<std::uint8_t>((command.data[6] & ~0x05) | (write ? 4 : 0) |
                                                (read ? 0 : 1));
    command.cdb = {0x15, 0x10, 0, 0, static_cast<std::uint8_t>(command.data.size())};
    command.cdb_length = 6;
    command.direction = Direction::to_device;
    command.transfer_length = static_cast<std::uint32_t>(command.data.size());
    REQUIRE(send(command).status == Status::good);
  }
  bool write_cache() { return send(caching_page()).data.at(6) & 0x04; }

  std::set<std::uint64_t> lost() const {
    std::set<std::uint64_t> found;
    for (const auto& difference : drive->contents().differences(true)) found.insert(difference.lbn);
    return found;
  }

  State state;
  Log log;
  std::unique_ptr<AttackedDrive> drive;
};

Build built(const std::string& name) {
  Build build;
  build.drive = name;
  return build;
}

// Sense key, ASC and ASCQ, whatever the format.
std::array<int, 3> code(const Completion& completion) {
  REQUIRE(completion.status == Status::check_condition);
  REQUIRE(completion.sense.size() >= 8);
  const bool descriptor = (completion.sense[0] & 0x7f) >= 0x72;
  if (descriptor) return {completion.sense[1] & 15, completion.sense[2], completion.sense[3]};
  return {completion.sense[2] & 15, completion.sense[12], completion.sense[13]};
}
using Code = std::array<int, 3>;

}  // namespace

TEST_CASE("Trust drive: reads give the pattern, a write what was written") {
  Fixture f;
  CHECK(f.send(read_command(100, 3)).data == held(100, 3));
  CHECK(f.send(write_command(100, held(200))).status == Status::good);
  CHECK(f.send(read_command(100)).data == held(200));
  CHECK(f.send(verify_command(100, 8)).status == Status::good);
  CHECK(f.send(read_command(11927)).status == Status::good);
  CHECK(code(f.send(read_command(11928))) == Code{5, 0x21, 0});
}

TEST_CASE("Trust drive: the write cache keeps data from the media until they are asked for") {
  Fixture f;
  f.set_caches(true, true);
  SECTION("synchronized") {
    f.send(write_command(100, held(200)));
    CHECK(f.lost().empty());
    f.send(synchronize());
    CHECK(f.lost() == std::set<std::uint64_t>{100});
  }
  SECTION("forced") {
    f.send(write_command(100, held(200), true));
    CHECK(f.lost() == std::set<std::uint64_t>{100});
  }
  SECTION("read from the media") {
    f.send(write_command(100, held(200)));
    CHECK(f.send(read_command(100, 1, true)).data == held(200));
    CHECK(f.lost() == std::set<std::uint64_t>{100});
  }
  SECTION("switched off") {
    f.send(write_command(100, held(200)));
    f.set_caches(false, true);
    CHECK(f.lost() == std::set<std::uint64_t>{100});
    f.send(write_command(101, held(200)));
    CHECK(f.lost() == std::set<std::uint64_t>{100, 101});
  }
  SECTION("after a while") {
    f.send(write_command(100, held(200)));
    f.drive->advance_to(f.drive->now_ns() + 2'000'000'000);
    f.send(ready());
    CHECK(f.lost() == std::set<std::uint64_t>{100});
  }
}

TEST_CASE("Trust drive: caches that do not obey") {
  Build build;
  SECTION("FUA is refused") {
    build.forced_reads = build.forced_writes = Obeys::refuses;
    Fixture f({}, build);
    CHECK(code(f.send(read_command(1, 1, true))) == Code{5, 0x24, 0});
    CHECK(code(f.send(write_command(1, held(1), true))) == Code{5, 0x24, 0});
  }
  SECTION("FUA is ignored") {
    build.forced_reads = build.forced_writes = Obeys::lies;
    Fixture f({}, build);
    f.set_caches(true, true);
    f.send(write_command(100, held(200), true));
    CHECK(f.send(read_command(100, 1, true)).data == held(200));
    CHECK(f.lost().empty());
  }
  SECTION("SYNCHRONIZE CACHE is refused, or does nothing") {
    build.synchronize = GENERATE(Obeys::refuses, Obeys::lies);
    Fixture f({}, build);
    f.set_caches(true, true);
    f.send(write_command(100, held(200)));
    if (build.synchronize == Obeys::refuses)
      CHECK(code(f.send(synchronize())) == Code{5, 0x20, 0});
    else
      CHECK(f.send(synchronize()).status == Status::good);
    CHECK(f.lost().empty());
  }
  SECTION("there is no VERIFY") {
    build.verifies = false;
    Fixture f({}, build);
    CHECK(code(f.send(verify_command(1))) == Code{5, 0x20, 0});
  }
}

TEST_CASE("Trust drive: settings and cache outlive the host's program, and not the power") {
  Fixture f;
  REQUIRE(f.write_cache());
  f.set_caches(false, true);
  f.again();
  CHECK_FALSE(f.write_cache());
  CHECK(f.state.at_first != f.drive->pages());
  f.set_caches(true, true);
  f.send(write_command(100, held(200)));
  f.again();
  CHECK(f.send(read_command(100)).data == held(200));
  f.set_caches(false, true);
  f.drive->lose_power();
  f.again();
  CHECK(code(f.send(ready())) == Code{6, 0x29, 1});
  CHECK(f.write_cache());
  CHECK(f.state.power_losses == 1);
}

TEST_CASE("Trust drive: settings of its user are not the saved ones") {
  Build build;
  build.write_cache = false;
  Fixture f({}, build);
  CHECK_FALSE(f.write_cache());
  f.drive->lose_power();
  f.again();
  f.send(ready());
  CHECK(f.write_cache());
  CHECK(f.state.at_first != f.drive->pages());
}

TEST_CASE("Trust drive: a write that the power cuts off is torn by physical blocks") {
  int torn = 0;
  for (int seed = 0; seed < 20; ++seed) {
    Fixture f({"power-loss:at=2,of=write"}, built("small-512e"));
    f.state.starts = static_cast<std::uint64_t>(seed);
    f.start({"power-loss:at=2,of=write"});
    f.set_caches(false, true);
    f.send(write_command(100, held(100)));
    CHECK_THROWS_AS(f.send(write_command(1003, held(1003))), PowerLost);
    const auto lost = f.lost();
    torn += !lost.empty();
    if (!lost.empty())
      CHECK(lost == std::set<std::uint64_t>{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007});
  }
  CHECK(torn > 8);
}

TEST_CASE("Trust drive: power and cable, before and after") {
  const std::set<std::uint64_t> here{100};
  SECTION("power before") {
    Fixture f({"power-loss-before:of=write"});
    CHECK_THROWS_AS(f.send(write_command(100, held(200), true)), PowerLost);
    CHECK(f.lost().empty());
  }
  SECTION("power after") {
    Fixture f({"power-loss-after:of=write"});
    CHECK_THROWS_AS(f.send(write_command(100, held(200), true)), PowerLost);
    CHECK(f.lost() == here);
  }
  SECTION("cable before") {
    Fixture f({"vanish:of=write"});
    CHECK_THROWS_AS(f.send(write_command(100, held(200), true)), Vanished);
    CHECK(f.lost().empty());
    CHECK(f.state.powered);
  }
  SECTION("cable after") {
    Fixture f({"vanish-after:of=write"});
    CHECK_THROWS_AS(f.send(write_command(100, held(200), true)), Vanished);
    CHECK(f.lost() == here);
  }
  SECTION("host") {
    Fixture f({"kill-host:at=1,of=write", "kill-host-after:at=2,of=write"});
    CHECK_THROWS_AS(f.send(write_command(100, held(200), true)), Vanished);
    CHECK(f.lost().empty());
    f.again({"kill-host-after:of=write"});
    CHECK_THROWS_AS(f.send(write_command(100, held(200), true)), Vanished);
    CHECK(f.lost() == here);
  }
  SECTION("no answer") {
    Fixture f({"hang"});
    CHECK_THROWS_AS(f.send(read_command(1)), Hung);
  }
}

TEST_CASE("Trust drive: writes that fail") {
  struct Row {
    const char* kind;
    Code code;
    bool untouched, arrived;
  };
  const auto row = GENERATE(values<Row>({{"write-medium", {3, 0x0c, 2}, true, false},
                                         {"write-medium-torn", {3, 0x0c, 2}, false, false},
                                         {"write-medium-arrived", {3, 0x0c, 2}, false, true},
                                         {"write-hardware", {4, 0x44, 0}, false, false},
                                         {"write-fault", {4, 0x03, 0}, false, false},
                                         {"write-aborted", {0xb, 0x47, 0}, true, false},
                                         {"write-aborted-torn", {0xb, 0x47, 0}, false, false}}));
  CAPTURE(row.kind);
  Fixture f({std::string(row.kind) + ":at=2"});
  f.set_caches(false, true);
  CHECK(f.send(write_command(50, held(50))).status == Status::good);
  CHECK(code(f.send(write_command(100, held(200), true))) == row.code);
  if (row.untouched)
    CHECK(f.lost().empty());
  else
    CHECK(f.lost() == std::set<std::uint64_t>{100});
  if (row.arrived) CHECK(f.send(read_command(100)).data == held(200));
  if (!row.untouched && !row.arrived) {
    CHECK(code(f.send(read_command(100))) == Code{3, 0x11, 0});
    CHECK(code(f.send(verify_command(96, 8))) == Code{3, 0x11, 0});
  }
  CHECK(f.send(write_command(100, held(100))).status == Status::good);  // only one fails
  CHECK(f.lost().empty());
}

TEST_CASE("Trust drive: a write protected drive takes no write any more") {
  Fixture f({"write-protect:at=2"});
  CHECK(f.send(write_command(1, held(1))).status == Status::good);
  for (int i = 0; i < 3; ++i) CHECK(code(f.send(write_command(1, held(2)))) == Code{7, 0x27, 0});
  CHECK(f.send(read_command(1)).data == held(1));
}

TEST_CASE("Trust drive: writes that lie") {
  SECTION("garbage") {
    Fixture f({"write-garbled"});
    CHECK(f.send(write_command(100, held(100))).status == Status::good);
    CHECK(f.send(read_command(100)).data != held(100));
    CHECK(f.lost() == std::set<std::uint64_t>{100});
  }
  SECTION("garbage below the cache") {
    Fixture f({"write-garbled-below-cache"});
    CHECK(f.send(write_command(100, held(100))).status == Status::good);
    CHECK(f.send(read_command(100)).data == held(100));
    CHECK(f.send(read_command(100, 1, true)).data != held(100));
  }
  SECTION("half of it") {
    Fixture f({"short-transfer:of=write"});
    const Completion done = f.send(write_command(100, held(200, 4), true));
    CHECK(done.status == Status::good);
    CHECK(done.residual == 2 * kBytes);
    CHECK(f.lost() == std::set<std::uint64_t>{100, 101});
  }
  SECTION("all of it, and says half") {
    Fixture f({"wrong-residual"});
    const Completion done = f.send(write_command(100, held(200, 4), true));
    CHECK(done.residual == 2 * kBytes);
    CHECK(f.lost().size() == 4);
  }
}

TEST_CASE("Trust drive: deferred errors come later, once, and the block is lost") {
  struct Row {
    const char* kind;
    int response;
    Code code;
  };
  const auto row = GENERATE(values<Row>({{"deferred", 0x71, {3, 0x0c, 2}},
                                         {"deferred-descriptor", 0x73, {3, 0x0c, 2}},
                                         {"deferred-hardware", 0x71, {4, 0x44, 0}}}));
  Fixture f({row.kind});
  f.set_caches(true, true);
  CHECK(f.send(write_command(100, held(200))).status == Status::good);
  const bool synchronized = GENERATE(false, true);
  int reports = 0;
  for (int i = 0; i < 40; ++i) {
    const Completion done = f.send(synchronized ? synchronize() : ready());
    if (done.status == Status::good) continue;
    ++reports;
    if (synchronized) CHECK(i == 0);
    CHECK((done.sense[0] & 0x7f) == row.response);
    CHECK(code(done) == row.code);
  }
  CHECK(reports == 1);
  CHECK(f.lost() == std::set<std::uint64_t>{100});
  CHECK(code(f.send(read_command(100))) == Code{3, 0x11, 0});
}

TEST_CASE("Trust drive: a deferred error needs a write that is cached") {
  Fixture f({"deferred"});
  f.set_caches(false, true);
  f.send(write_command(100, held(100)));
  f.set_caches(true, true);
  f.send(write_command(101, held(101), true));
  for (int i = 0; i < 40; ++i) CHECK(f.send(ready()).status == Status::good);
  CHECK(f.lost().empty());
}

TEST_CASE("Trust drive: SYNCHRONIZE CACHE may fail or lie once") {
  Fixture f({GENERATE("sync-fails", "sync-lies")});
  f.set_caches(true, true);
  f.send(write_command(100, held(100, 4)));
  const Completion done = f.send(synchronize());
  if (done.status == Status::good) {
    CHECK(f.drive->contents().dirty() > 0);
  } else {
    CHECK(code(done) == Code{3, 0x0c, 2});
    CHECK(f.lost().size() == 1);
  }
  CHECK(f.send(synchronize()).status == Status::good);
  CHECK(f.drive->contents().dirty() == 0);
}

TEST_CASE("Trust drive: reads that fail") {
  struct Row {
    const char* kind;
    Code code;
    bool stays;
  };
  const auto row = GENERATE(values<Row>({{"read-medium", {3, 0x11, 0}, true},
                                         {"read-medium-once", {3, 0x11, 0}, false},
                                         {"read-hardware", {4, 0x44, 0}, false},
                                         {"read-aborted", {0xb, 0x47, 0}, false}}));
  Fixture f({row.kind});
  f.set_caches(false, false);
  CHECK(code(f.send(read_command(100))) == row.code);
  if (row.stays)
    CHECK(code(f.send(read_command(100))) == row.code);
  else
    CHECK(f.send(read_command(100)).data == held(100));
}

TEST_CASE("Trust drive: a recovered error comes with all data") {
  Fixture f({"read-recovered"});
  const Completion done = f.send(read_command(100, 2));
  CHECK(code(done) == Code{1, 0x17, 1});
  CHECK(done.data == held(100, 2));
}

TEST_CASE("Trust drive: VERIFY may find what a read does not") {
  Fixture f({"verify-medium"});
  CHECK(code(f.send(verify_command(100))) == Code{3, 0x11, 0});
  CHECK(f.send(verify_command(100)).status == Status::good);
}

TEST_CASE("Trust drive: MODE SELECT that fails or does nothing") {
  Fixture f({GENERATE("select-fails", "select-ignored")});
  REQUIRE(f.write_cache());
  Completion page = f.send(caching_page());
  Command command;
  command.data.assign(4, 0);
  command.data.insert(command.data.end(), page.data.begin() + 4, page.data.end());
  command.data[6] &= 0xfb;
  command.cdb = {0x15, 0x10, 0, 0, static_cast<std::uint8_t>(command.data.size())};
  command.cdb_length = 6;
  command.direction = Direction::to_device;
  command.transfer_length = static_cast<std::uint32_t>(command.data.size());
  const Completion done = f.send(command);
  CHECK((done.status == Status::good || code(done) == Code{4, 0x44, 0}));
  CHECK(f.write_cache());
  CHECK(f.send(command).status == Status::good);
  CHECK_FALSE(f.write_cache());
}

TEST_CASE("Trust drive: commands that are turned away have no effect") {
  struct Row {
    const char* kind;
    Status status;
  };
  const auto row = GENERATE(values<Row>({{"busy", Status::busy},
                                         {"task-set-full", Status::task_set_full},
                                         {"reservation", Status::reservation_conflict},
                                         {"unit-attention", Status::check_condition},
                                         {"not-ready", Status::check_condition},
                                         {"no-sense", Status::check_condition}}));
  Fixture f({std::string(row.kind) + ":of=write"});
  CHECK(f.send(write_command(100, held(200), true)).status == row.status);
  CHECK(f.lost().empty());
  CHECK(f.send(write_command(100, held(200), true)).status == Status::good);
}

TEST_CASE("Trust drive: sense data that have to be fetched") {
  Fixture f({"no-sense"});
  CHECK(f.send(read_command(1)).sense.empty());
  Command request;
  request.cdb = {0x03, 0, 0, 0, 18};
  request.cdb_length = 6;
  request.direction = Direction::from_device;
  request.transfer_length = 18;
  const Completion done = f.send(request);
  REQUIRE(done.data.size() == 18);
  CHECK(done.data[2] == 0x0b);
}

TEST_CASE("Trust drive: resets bring the saved settings back, told or not") {
  struct Row {
    const char* kind;
    std::optional<Code> told;
  };
  const auto row = GENERATE(values<Row>({{"reset", Code{6, 0x29, 0}},
                                         {"parameters-changed", Code{6, 0x2a, 1}},
                                         {"reset-silent", {}}}));
  Fixture f({std::string(row.kind) + ":of=read"});
  f.set_caches(false, true);
  const Completion done = f.send(read_command(1));
  if (row.told)
    CHECK(code(done) == *row.told);
  else
    CHECK(done.status == Status::good);
  CHECK(f.write_cache());
}

TEST_CASE("Trust drive: a drive that is spun down stays so") {
  Fixture f({"spun-down:at=2"});
  CHECK(f.send(read_command(1)).status == Status::good);
  for (int i = 0; i < 3; ++i) CHECK(code(f.send(read_command(1))) == Code{2, 4, 2});
}

TEST_CASE("Trust drive: another drive in its place has other contents and another serial number") {
  Fixture f({"replaced:at=2"});
  const Bytes serial = f.send(inquiry(0x80)).data;
  CHECK(f.send(read_command(1)).data == held(1));
  CHECK(code(f.send(read_command(1))) == Code{6, 0x29, 1});
  CHECK(f.send(read_command(1)).data != held(1));
  CHECK(f.send(inquiry(0x80)).data != serial);
  f.send(write_command(1, held(1), true));
  f.again();
  CHECK(f.send(inquiry(0x80)).data == serial);
  CHECK(f.lost().empty());
  CHECK(f.state.other.at("media").size() == 1);
}

TEST_CASE("Trust drive: no serial number, and where physical blocks begin") {
  Build build = built("small-512e");
  build.has_serial = false;
  build.lowest_aligned = 3;
  Fixture f({}, build);
  CHECK(code(f.send(inquiry(0x80))) == Code{5, 0x24, 0});
  Command capacity;
  capacity.cdb = {0x9e, 0x10};
  capacity.cdb[13] = 32;
  capacity.cdb_length = 16;
  capacity.direction = Direction::from_device;
  capacity.transfer_length = 32;
  const Completion done = f.send(capacity);
  REQUIRE(done.data.size() == 32);
  CHECK((done.data[13] & 15) == 3);
  CHECK(platter::scsi::get_be16(&done.data[14]) == 3);
}

TEST_CASE("Trust drive: sense data in descriptor format") {
  Build build;
  build.descriptor_sense = true;
  Fixture f({"write-medium"}, build);
  const Completion done = f.send(write_command(100, held(100)));
  CHECK(done.sense[0] == 0x72);
  CHECK(code(done) == Code{3, 0x0c, 2});
  REQUIRE(done.sense.size() == 20);
  CHECK(platter::scsi::get_be(&done.sense[12], 8) == 100);
}

TEST_CASE("Trust drive: a malformed reply is marked, a lost block is told to nobody") {
  Fixture f({"malformed-reply", "lose-block:at=2,lbn=500"});
  f.drive->submit(read_command(1), 1);
  CHECK(f.drive->reap()->malformed);
  CHECK(f.lost().empty());
  CHECK(f.send(read_command(1)).status == Status::good);
  CHECK(f.lost() == std::set<std::uint64_t>{500});
}

TEST_CASE("Trust drive: growing writes are counted as such") {
  Fixture f({"power-loss-before:of=growing"});
  f.send(write_command(100, held(100, 2)));
  f.send(write_command(100, held(100, 2)));
  f.send(write_command(101, held(101, 3)));
  CHECK_THROWS_AS(f.send(write_command(100, held(100, 3))), PowerLost);
}

TEST_CASE("Trust drive: several commands at once are all cut off") {
  Fixture f({"power-loss:at=4,of=write"});
  f.set_caches(false, true);
  for (std::uint32_t tag = 1; tag < 4; ++tag)
    f.drive->submit(write_command(100 * tag, held(100 * tag, 8)), tag);
  CHECK_THROWS_AS(f.drive->submit(write_command(400, held(400, 8)), 4), PowerLost);
  const auto lost = f.lost();
  CHECK(lost.size() > 3);
  CHECK(*lost.rbegin() / 100 != *lost.begin() / 100);
}

TEST_CASE("Trust drive: every kind of fault has a name of its own and fires where it is told to") {
  std::set<std::string_view> names;
  for (const auto& kind : kinds()) {
    names.insert(kind.name);
    const Fault fault = parse_fault(std::string(kind.name) + ":at=3");
    CHECK(fault.kind == kind.kind);
    CHECK(fault.of == kind.natural);
  }
  CHECK(names.size() == kinds().size());
  CHECK(names.size() >= 35);
  CHECK_THROWS(parse_fault("nothing"));
  CHECK_THROWS(parse_fault("busy:at=x"));
  CHECK_THROWS(parse_fault("busy:of=day"));
}

TEST_CASE("Trust drive: rates and counts") {
  Fixture often({"busy:rate=0.3,count=0"});
  int busy = 0;
  for (int i = 0; i < 500; ++i) busy += often.send(ready()).status == Status::busy;
  CHECK(busy > 90);
  CHECK(busy < 220);
  Fixture thrice({"busy:at=5,count=3"});
  std::vector<int> when;
  for (int i = 1; i < 20; ++i)
    if (thrice.send(ready()).status == Status::busy) when.push_back(i);
  CHECK(when == std::vector<int>{5, 6, 7});
}
