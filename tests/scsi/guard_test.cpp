#include "scsi/guard.h"

#include <algorithm>
#include <random>

#include "scripted_device.h"
#include "scsi/ata.h"
#include "scsi/commands.h"

namespace platter::scsi {
namespace {

// Takes everything and counts it: what arrives here has passed the guard.
class OpenDevice final : public Device {
 public:
  const std::string& name() const override { return name_; }
  Clock& clock() override { return clock_; }
  std::uint32_t max_outstanding() const override { return 4; }
  Expected<void> submit(const Command& command, std::uint32_t) override {
    passed.push_back(command);
    return {};
  }
  Expected<std::optional<Completion>> reap() override { return std::nullopt; }
  Expected<std::optional<Completion>> reap_until(Nanoseconds) override { return std::nullopt; }
  Expected<void> reset() override {
    ++resets;
    return {};
  }
  std::vector<Command> passed;
  int resets = 0;

 private:
  std::string name_ = "open";
  testing::ScriptedClock clock_;
};

bool passes(const Command& command, const Permission& permission = {}) {
  OpenDevice device;
  Guard guard(device, permission);
  const auto result = guard.submit(command, 1);
  if (!result) CHECK(result.error().kind == TransportError::Kind::refused);
  CHECK(device.passed.size() == (result ? 1 : 0));
  return result.has_value();
}

std::vector<std::uint8_t> cache_page() {
  std::vector<std::uint8_t> page(20);
  page[0] = 0x08;
  page[1] = 18;
  return page;
}

std::vector<Command> everything_that_reads() {
  std::vector<Command> all{
      test_unit_ready(),
      request_sense(),
      inquiry(),
      inquiry_vpd(0x83),
      report_luns(),
      read_capacity_10(),
      read_capacity_16(),
      get_lba_status(~std::uint64_t{0}, 1032),
      get_physical_element_status(~std::uint32_t{0}, 1056),
      identify_device(PassThrough::sixteen),
      identify_device(PassThrough::twelve),
      check_power_mode(PassThrough::sixteen),
      check_power_mode(PassThrough::twelve),
      read_6(0x1FFFFF, 256, 512),
      read_10(0xFFFFFFFF, 1, 512, {true, true}),
      read_16(~std::uint64_t{0}, 1, 512, {true, true}),
      seek_10(0xFFFFFFFF),
      synchronize_cache_10(),
      verify_10(0xFFFFFFFF, 0xFFFF),
      verify_16(~std::uint64_t{0}, 1),
      translate_block(12345, AddressFormat::block, AddressFormat::physical_sector),
      translate_block(std::uint64_t{1} << 40, AddressFormat::long_block,
                      AddressFormat::bytes_from_index),
      translate_place({1, 2, 3}, AddressFormat::physical_sector, AddressFormat::block),
      receive_translation(),
      read_defect_data_10(true, true, AddressFormat::physical_sector, 0xFFFF),
      read_defect_data_12(true, false, AddressFormat::bytes_from_index, 1 << 20)};
  for (const auto form : {ModeForm::six, ModeForm::ten})
    for (const auto control :
         {PageControl::current, PageControl::changeable, PageControl::defaults, PageControl::saved})
      all.push_back(mode_sense(form, 0x3F, control, control == PageControl::current));
  return all;
}

const Permission kReadsOnly{.settings = false, .writes = {}};

TEST_CASE("every read that platter can build passes with no permission at all") {
  for (const auto& command : everything_that_reads()) {
    INFO(command_name(command));
    REQUIRE(find_command(command.cdb));
    CHECK(find_command(command.cdb)->command_class == CommandClass::read);
    CHECK(passes(command, kReadsOnly));
  }
}

// holds: safety.md: Blocks of [`--skip`]
TEST_CASE("nothing that reaches skipped blocks on the media passes, and all else does") {
  const Permission permission{.writes = {{0, 1'000'000}}, .skipped = {{100, 199}, {5000, 5000}}};
  const auto media = [](std::uint32_t lbn, std::uint32_t blocks) {
    const std::vector<std::uint8_t> data(std::size_t{blocks} * 512);
    return std::vector<Command>{read_6(lbn, blocks, 512),      read_10(lbn, blocks, 512, {}),
                                read_16(lbn, blocks, 512, {}), verify_10(lbn, blocks),
                                verify_16(lbn, blocks),        write_6(lbn, blocks, data),
                                write_10(lbn, blocks, data),   write_16(lbn, blocks, data)};
  };
  for (const LbnRange& at : std::vector<LbnRange>{
           {100, 100}, {199, 199}, {99, 100}, {199, 200}, {90, 250}, {4990, 5000}, {5000, 5000}})
    for (const Command& command : media(static_cast<std::uint32_t>(at.first),
                                        static_cast<std::uint32_t>(at.last - at.first + 1))) {
      INFO(command_name(command) << " of " << at.first << " to " << at.last);
      CHECK_FALSE(passes(command, permission));
    }
  for (const LbnRange& at : std::vector<LbnRange>{{0, 99}, {200, 300}, {4999, 4999}, {5001, 5001}})
    for (const Command& command : media(static_cast<std::uint32_t>(at.first),
                                        static_cast<std::uint32_t>(at.last - at.first + 1)))
      CHECK(passes(command, permission));
  CHECK_FALSE(passes(seek_10(150), permission));
  CHECK_FALSE(passes(verify_16(~std::uint64_t{0}, 2), permission));
  CHECK(passes(seek_10(200), permission));
  CHECK(passes(translate_block(150, AddressFormat::block, AddressFormat::physical_sector),
               permission));
  for (const auto& command : {inquiry(), test_unit_ready(), synchronize_cache_10()})
    CHECK(passes(command, permission));
}

// holds: safety.md: Blocks of [`--skip`]
TEST_CASE("a read beside a skipped block reaches it where they are of one physical block") {
  OpenDevice device;
  Guard guard(device, {.writes = {}, .skipped = {{13, 13}}});
  CHECK(guard.submit(read_10(12, 1, 512, {}), 1));
  guard.set_physical_blocks(
      PhysicalBlocks({.blocks = 1000, .block_bytes = 512, .physical_block_bytes = 4096}));
  CHECK_FALSE(guard.submit(read_10(8, 1, 512, {}), 2));
  CHECK_FALSE(guard.submit(read_10(15, 9, 512, {}), 3));
  CHECK(guard.submit(read_10(7, 1, 512, {}), 4));
  CHECK(guard.submit(read_10(16, 1, 512, {}), 5));
}

// holds: safety.md: Without `--allow-writes`
TEST_CASE("writes pass only inside the permitted ranges") {
  const Permission permission{.writes = {{100, 199}, {5000, 5000}}};
  const std::vector<std::uint8_t> one(512), two(1024);
  CHECK(passes(write_6(100, 1, one), permission));
  CHECK(passes(write_10(198, 2, two), permission));
  CHECK(passes(write_16(5000, 1, one), permission));
  CHECK_FALSE(passes(write_6(99, 1, one), permission));
  CHECK_FALSE(passes(write_10(199, 2, two), permission));
  CHECK_FALSE(passes(write_10(99, 2, two), permission));
  CHECK_FALSE(passes(write_16(5000, 2, two), permission));
  CHECK_FALSE(passes(write_16(~std::uint64_t{0}, 2, two), permission));
  CHECK_FALSE(passes(write_10(150, 1, one)));
  CHECK_FALSE(passes(write_10(150, 1, one), kReadsOnly));

  SECTION("WRITE(6) of 0 means 256 blocks") {
    auto command = write_6(100, 256, std::vector<std::uint8_t>(256 * 512));
    CHECK(command.cdb[4] == 0);
    CHECK_FALSE(passes(command, permission));
    CHECK(passes(command, {.writes = {{100, 355}}}));
  }
  SECTION("no blocks, no whole blocks, or data of another length") {
    auto command = write_10(150, 1, one);
    command.cdb[8] = 0;
    CHECK_FALSE(passes(command, permission));
    command.cdb[8] = 3;
    CHECK_FALSE(passes(command, permission));
    command = write_10(150, 1, one);
    command.data.pop_back();
    CHECK_FALSE(passes(command, permission));
  }
  SECTION("relative addresses, linked commands and protection are not ours") {
    auto relative = write_10(150, 1, one);
    relative.cdb[1] |= 0x01;
    CHECK_FALSE(passes(relative, permission));
    auto linked = write_10(150, 1, one);
    linked.cdb[9] = 0x01;
    CHECK_FALSE(passes(linked, permission));
    auto with_protection = write_10(150, 1, one);
    with_protection.cdb[1] |= 0x20;
    CHECK_FALSE(passes(with_protection, permission));
  }
}

// holds: safety.md: A range of `--allow-writes`
TEST_CASE("a write passes only where all physical blocks that it touches are permitted") {
  Capacity capacity;
  capacity.blocks = 10000;
  capacity.block_bytes = 512;
  capacity.physical_block_bytes = 4096;
  capacity.lowest_aligned_lbn = 1;
  const auto passes_on_512e = [&](std::uint32_t lbn, std::uint32_t blocks) {
    OpenDevice device;
    Guard guard(device, {.writes = {{101, 200}}});
    guard.set_physical_blocks(PhysicalBlocks(capacity));
    CHECK(guard.may_write(lbn, blocks) ==
          guard.submit(write_10(lbn, blocks, std::vector<std::uint8_t>(blocks * 512u)), 1)
              .has_value());
    return guard.may_write(lbn, blocks);
  };
  CHECK_FALSE(passes_on_512e(101, 1));  // its physical block begins at 97
  CHECK_FALSE(passes_on_512e(104, 2));
  CHECK(passes_on_512e(105, 1));
  CHECK(passes_on_512e(107, 50));
  CHECK(passes_on_512e(200, 1));  // 193 to 200
  CHECK_FALSE(passes_on_512e(200, 2));
}

TEST_CASE(
    "what lies behind the drive's end may not be written, whatever is permitted up to there") {
  OpenDevice device;
  Guard guard(device, {.writes = {{8, 99}}});
  guard.set_physical_blocks(
      PhysicalBlocks({.blocks = 100, .block_bytes = 512, .physical_block_bytes = 512}));
  CHECK(guard.may_write(99, 1));
  for (const std::uint32_t lbn : {100U, 101U, 140U}) {
    CHECK_FALSE(guard.may_write(lbn, 1));
    CHECK_FALSE(guard.submit(write_10(lbn, 1, std::vector<std::uint8_t>(512)), 1));
  }
  CHECK_FALSE(guard.may_write(98, 3));
}

TEST_CASE("VERIFY never compares with data, which would be sent") {
  auto command = verify_10(5, 1);
  command.cdb[1] = 0x02;
  CHECK_FALSE(passes(command));
}

// Answers each command with what comes next, or fails as a path does.
class AnsweringDevice final : public Device {
 public:
  const std::string& name() const override { return name_; }
  Clock& clock() override { return clock_; }
  std::uint32_t max_outstanding() const override { return 4; }
  Expected<void> submit(const Command&, std::uint32_t tag) override {
    tags.push_back(tag);
    return {};
  }
  Expected<std::optional<Completion>> reap() override {
    if (path_fails)
      return tl::unexpected(TransportError{TransportError::Kind::timeout, "it timed out"});
    if (tags.empty()) return std::nullopt;
    Completion done = next;
    done.tag = tags.front();
    tags.erase(tags.begin());
    return done;
  }
  Expected<std::optional<Completion>> reap_until(Nanoseconds) override { return reap(); }
  Expected<void> reset() override { return {}; }

  std::vector<std::uint32_t> tags;
  Completion next;
  bool path_fails = false;

 private:
  std::string name_ = "the drive";
  testing::ScriptedClock clock_;
};

struct Watched {
  Expected<Completion> write() {
    return guard.execute(write_10(7, 1, std::vector<std::uint8_t>(512)));
  }
  void answer(std::uint8_t key, std::uint8_t code = 0x70) {
    device.next = {};
    device.next.status = Status::check_condition;
    device.next.sense = testing::fixed_sense(key, 0x0C, 0x02, code);
  }
  AnsweringDevice device;
  Guard guard{device, {.writes = {{0, 99}}}};
};

// holds: safety.md: The first write that fails
TEST_CASE("once a write has failed no other leaves, and reads do") {
  Watched t;
  REQUIRE(t.write());
  REQUIRE_FALSE(t.guard.why_writes_ended());
  const bool refused_after = GENERATE(true, false);
  if (refused_after) {
    const auto key = GENERATE(as<std::uint8_t>{}, 0x3, 0x4, 0x7, 0x9, 0xD, 0xE);
    t.answer(key);
  } else {
    const auto key = GENERATE(as<std::uint8_t>{}, 0x0, 0x1, 0x2, 0x5, 0x6, 0xB);  // was not begun,
                                                                                  // or may be tried
                                                                                  // again
    t.answer(key);
  }
  REQUIRE(t.write());
  t.device.next = {};
  CHECK(t.guard.why_writes_ended().has_value() == refused_after);
  CHECK(t.guard.may_write(7, 1) == !refused_after);
  CHECK(t.write().has_value() == !refused_after);
  CHECK(t.guard.execute(read_10(7, 1, 512)));
}

// holds: safety.md: The first write that fails
TEST_CASE("a deferred error of an earlier write ends writing, whatever command brings it") {
  Watched t;
  const auto code = GENERATE(as<std::uint8_t>{}, 0x71, 0x73);
  t.answer(0x3, code);
  if (code == 0x73) t.device.next.sense = {0x73, 0x3, 0x0C, 0x02, 0, 0, 0, 0};
  SECTION("after a write") {
    const Completion bad = t.device.next;
    t.device.next = {};
    REQUIRE(t.write());
    t.device.next = bad;
    REQUIRE(t.guard.execute(test_unit_ready()));
    CHECK(t.guard.why_writes_ended());
  }
  SECTION("not where this run has written nothing") {
    REQUIRE(t.guard.execute(test_unit_ready()));
    CHECK_FALSE(t.guard.why_writes_ended());
  }
}

// holds: safety.md: The first write that fails
TEST_CASE("a path that fails with a write under way ends writing") {
  Watched t;
  t.device.path_fails = true;
  CHECK_FALSE(t.guard.execute(read_10(7, 1, 512)));
  CHECK_FALSE(t.guard.why_writes_ended());
  CHECK_FALSE(t.write());
  CHECK(t.guard.why_writes_ended());
}

TEST_CASE("whoever puts back what was torn may go on after a failure") {
  AnsweringDevice device;
  Guard guard(device, {.writes = {{0, 99}}, .writes_go_on = true});
  device.next.status = Status::check_condition;
  device.next.sense = testing::fixed_sense(0x3, 0x0C, 0x02);
  REQUIRE(guard.execute(write_10(7, 1, std::vector<std::uint8_t>(512))));
  CHECK(guard.may_write(7, 1));
}

// holds: safety.md: Settings are in the journal
TEST_CASE("MODE SELECT passes only with SP = 0, for one whole page of a run's settings") {
  for (const auto form : {ModeForm::six, ModeForm::ten}) {
    const std::size_t header = form == ModeForm::six ? 4 : 8;
    const auto good = mode_select(form, cache_page());
    CHECK(passes(good));
    CHECK_FALSE(passes(good, kReadsOnly));
    auto saves = good;
    saves.cdb[1] |= 0x01;
    CHECK_FALSE(passes(saves));
    auto with_descriptor = good;
    with_descriptor.data[form == ModeForm::six ? 3 : 7] = 8;
    CHECK_FALSE(passes(with_descriptor));
    auto other_page = good;
    other_page.data[header] = 0x03;
    CHECK_FALSE(passes(other_page));
    auto subpage = good;
    subpage.data[header] |= 0x40;
    CHECK_FALSE(passes(subpage));
    auto torn = good;
    torn.data[header + 1] = 10;
    CHECK_FALSE(passes(torn));
    CHECK_FALSE(passes(mode_select(form, {})));
    const std::vector<std::uint8_t> power{0x1A, 2, 0, 0}, other_subpage{0x5C, 0x02, 0, 2, 0, 0},
        no_subpage{0x1C, 2, 0, 0}, background{0x5C, 0x01, 0, 2, 0, 0};
    CHECK(passes(mode_select(form, power)));
    CHECK(passes(mode_select(form, background)));
    CHECK_FALSE(passes(mode_select(form, other_subpage)));
    CHECK_FALSE(passes(mode_select(form, no_subpage)));
  }
}

TEST_CASE("SEND DIAGNOSTIC passes only with the translate address page and no self test") {
  const auto good = translate_block(1, AddressFormat::block, AddressFormat::physical_sector);
  for (const int byte1 : {0x00, 0x04, 0x14, 0x30, 0x11, 0x12}) {
    auto command = good;
    command.cdb[1] = static_cast<std::uint8_t>(byte1);
    CHECK_FALSE(passes(command));
  }
  auto other_page = good;
  other_page.data[0] = 0x3F;
  CHECK_FALSE(passes(other_page));
  auto none = good;
  none.cdb[4] = 0;
  none.transfer_length = 0;
  none.data.clear();
  CHECK_FALSE(passes(none));
}

// holds: safety.md: No command leaves but
TEST_CASE("what is not in the table never passes") {
  // FORMAT UNIT, REASSIGN BLOCKS, START STOP UNIT, WRITE BUFFER, WRITE LONG, WRITE SAME, UNMAP,
  // SANITIZE, FORMAT MEDIUM, REZERO, RESERVE, PERSISTENT RESERVE OUT, LOG SELECT, ATA PASS-THROUGH.
  // Behind 7Fh: what virtual drives answer and nobody sends, WRITE AND VERIFY, WRITE(12), READ(12),
  // VERIFY(12), PRE-FETCH, SYNCHRONIZE CACHE(16), MAINTENANCE IN and OUT, LOG SENSE.
  for (const int opcode :
       {0x04, 0x07, 0x1B, 0x3B, 0x3F, 0x41, 0x42, 0x48, 0x01, 0x16, 0x5F, 0x4C, 0x85, 0x93,
        0xA1, 0x7F, 0x2E, 0x8E, 0xAE, 0xAA, 0xA8, 0xAF, 0x34, 0x90, 0x91, 0xA3, 0xA4, 0x4D}) {
    Command command;
    command.cdb[0] = static_cast<std::uint8_t>(opcode);
    for (const int length : {6, 10, 12, 16, 32}) {
      command.cdb_length = static_cast<std::uint8_t>(length);
      INFO(opcode);
      CHECK_FALSE(passes(command, {.writes = {{0, ~std::uint64_t{0}}}}));
    }
  }
  auto read_long = read_capacity_16();
  read_long.cdb[1] = 0x11;
  CHECK_FALSE(passes(read_long));
}

// The oracle shares nothing with the table: the opcodes that only read, by the standards.
bool only_reads(const Command& c) {
  switch (c.cdb[0]) {
    case 0x00:
    case 0x03:
    case 0x08:
    case 0x12:
    case 0x1A:
    case 0x1C:
    case 0x25:
    case 0x28:
    case 0x2B:
    case 0x35:
    case 0x37:
    case 0x5A:
    case 0x88:
    case 0xA0:
    case 0xB7:
      return true;
    case 0x2F:
    case 0x8F:
      return (c.cdb[1] & 0x0E) == 0;  // BYTCHK, and with it data
    case 0x9E:
      return (c.cdb[1] & 0x1F) == 0x10 || (c.cdb[1] & 0x1F) == 0x12 || (c.cdb[1] & 0x1F) == 0x17;
    case 0x95:  // REPORT ZONES
      return (c.cdb[1] & 0x1F) == 0;
    case 0x85:  // IDENTIFY DEVICE by PIO data-in, CHECK POWER MODE without data
      return (c.cdb[14] == 0xEC && c.cdb[1] == 0x08) || (c.cdb[14] == 0xE5 && c.cdb[1] == 0x06);
    case 0xA1:
      return (c.cdb[9] == 0xEC && c.cdb[1] == 0x08) || (c.cdb[9] == 0xE5 && c.cdb[1] == 0x06);
    case 0x1D:
      return c.cdb[1] == 0x10 && !c.data.empty() && c.data[0] == 0x40;
    default:
      return false;
  }
}

// holds: safety.md: No command leaves but
// holds: safety.md: Without `--allow-writes`
TEST_CASE("property: no random CDB that could change anything passes without permission") {
  std::mt19937_64 random(20240607);
  const auto templates = everything_that_reads();
  OpenDevice device;
  Guard reads_only(device, kReadsOnly);
  Guard with_settings(device, {});
  const auto byte = [&] { return static_cast<std::uint8_t>(random()); };
  int passed = 0;
  for (int i = 0; i < 400'000; ++i) {
    Command command;
    if (i % 2) command = templates[random() % templates.size()];
    static constexpr std::uint8_t kLengths[] = {6, 10, 12, 16, 32};
    if (i % 4 == 0 || random() % 8 == 0) {
      command.cdb_length = kLengths[random() % 5];
      for (int k = 0; k < command.cdb_length; ++k) command.cdb[k] = byte();
      if (random() % 2)
        for (int k = 1; k < command.cdb_length; ++k)
          if (random() % 3) command.cdb[k] = 0;
      command.direction = static_cast<Direction>(random() % 3);
      command.data.assign(command.direction == Direction::to_device ? random() % 40 : 0, byte());
      command.transfer_length = static_cast<std::uint32_t>(command.data.size());
    } else {
      command.cdb[random() % 16] ^= static_cast<std::uint8_t>(1U << random() % 8);
    }
    device.passed.clear();
    if (reads_only.submit(command, 1)) {
      INFO(command_name(command) << " byte 1 " << int{command.cdb[1]});
      REQUIRE(only_reads(command));
      ++passed;
    }
    device.passed.clear();
    if (with_settings.submit(command, 1)) {
      const bool select = command.cdb[0] == 0x15 || command.cdb[0] == 0x55;
      const auto features = [&](std::uint8_t opcode, int ata, int feature, int count) {
        static constexpr std::uint8_t kCanBeTakenBack[] = {0x02, 0x82, 0x55, 0xAA, 0x05, 0x85};
        return command.cdb[0] == opcode && command.cdb[1] == 0x06 && ata == 0xEF &&
               std::ranges::count(kCanBeTakenBack, feature) == 1 &&
               (feature == 0x05) == (count != 0);
      };
      const auto& cdb = command.cdb;
      REQUIRE((only_reads(command) || (select && command.cdb[1] == 0x10) ||
               features(0x85, cdb[14], cdb[4], cdb[6]) || features(0xA1, cdb[9], cdb[3], cdb[4])));
    }
  }
  CHECK(passed > 10'000);  // the commands tried are not all nonsense
}

// holds: safety.md: Without `--allow-writes`
TEST_CASE("property: no random write outside the ranges passes") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    Permission permission{.writes = {{random() % 1000, 0}, {random() % 1000, 0}}};
    for (auto& range : permission.writes) range.last = range.first + random() % 100;
    const auto lbn = random() % 1200;
    const auto blocks = static_cast<std::uint32_t>(1 + random() % 120);
    const std::vector<std::uint8_t> data(blocks);
    const auto command = i % 3 == 0   ? write_6(static_cast<std::uint32_t>(lbn), blocks, data)
                         : i % 3 == 1 ? write_10(lbn, blocks, data)
                                      : write_16(lbn, blocks, data);
    OpenDevice device;
    Guard guard(device, permission);
    bool inside = false;
    for (const auto& range : permission.writes)
      inside = inside || (lbn >= range.first && lbn + blocks - 1 <= range.last);
    REQUIRE(guard.submit(command, 1).has_value() == inside);
  }
}

TEST_CASE("a reset loses settings, so it needs that permission") {
  OpenDevice device;
  CHECK(Guard(device, {}).reset());
  CHECK(device.resets == 1);
  CHECK_FALSE(Guard(device, kReadsOnly).reset());
  CHECK(device.resets == 1);
}

}  // namespace
}  // namespace platter::scsi
