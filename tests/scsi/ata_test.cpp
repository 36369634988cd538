// ATA PASS-THROUGH: what goes to an ATA drive bit for bit, what the guard lets by, what comes back.
#include "scsi/ata.h"

#include <numeric>
#include <set>

#include "catch.h"
#include "scripted_device.h"
#include "scsi/command_table.h"
#include "scsi/commands.h"
#include "scsi/drive.h"
#include "scsi/guard.h"

namespace platter::scsi {
namespace {

using testing::answers;
using testing::fails;

std::vector<std::uint8_t> cdb_of(const Command& command) {
  return {command.cdb.begin(), command.cdb.begin() + command.cdb_length};
}

constexpr PassThrough kForms[] = {PassThrough::twelve, PassThrough::sixteen};
constexpr std::uint8_t kReversible[] = {0x02, 0x82, 0xAA, 0x55, 0x85};

constexpr unsigned kBlocks = 0x10000;

struct Standing {
  bool write_cache = true, look_ahead = true;
  std::uint8_t power_level = 0x80;
};

// IDENTIFY DEVICE data, words little-endian.
std::vector<std::uint8_t> identify(const Standing& standing) {
  std::vector<std::uint8_t> data(512, 0);
  const auto set = [&](std::size_t word, unsigned value) {
    data[2 * word] = static_cast<std::uint8_t>(value);
    data[2 * word + 1] = static_cast<std::uint8_t>(value >> 8);
  };
  set(60, kBlocks & 0xFFFF);
  set(61, kBlocks >> 16);
  set(82, 0x0060);
  set(83, 0x4008);
  set(85, (standing.write_cache ? 0x20U : 0U) | (standing.look_ahead ? 0x40U : 0U));
  set(86, standing.power_level ? 0x08 : 0);
  set(87, 0x4000);
  set(91, standing.power_level);
  data[510] = 0xA5;
  data[511] =
      static_cast<std::uint8_t>(0x100 - (std::accumulate(data.begin(), data.end(), 0U) & 0xFF));
  return data;
}

}  // namespace

TEST_CASE("ATA commands in the CDBs of SAT-4") {
  using Cdb = std::vector<std::uint8_t>;
  CHECK(cdb_of(identify_device(PassThrough::sixteen)) ==
        Cdb{0x85, 0x08, 0x0E, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xEC, 0});
  CHECK(cdb_of(identify_device(PassThrough::twelve)) ==
        Cdb{0xA1, 0x08, 0x0E, 0, 1, 0, 0, 0, 0, 0xEC, 0, 0});
  CHECK(cdb_of(check_power_mode(PassThrough::sixteen)) ==
        Cdb{0x85, 0x06, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xE5, 0});
  CHECK(cdb_of(set_features(PassThrough::sixteen, Feature::disable_write_cache)) ==
        Cdb{0x85, 0x06, 0, 0, 0x82, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xEF, 0});
  CHECK(cdb_of(set_features(PassThrough::twelve, Feature::enable_power_management, 0x40)) ==
        Cdb{0xA1, 0x06, 0, 0x05, 0x40, 0, 0, 0, 0, 0xEF, 0, 0});
}

// holds: safety.md: No command leaves but
TEST_CASE("the guard lets exactly the reversible SET FEATURES by, and no other ATA command") {
  testing::ScriptedDevice device;
  device.then_always(answers({}));
  Guard guard(device, {});
  Guard reads_only(device, {.settings = false, .writes = {}});
  const auto passes = [](Guard& by, const Command& command) {
    const auto sent = by.execute(command);
    if (!sent) CHECK(sent.error().kind == TransportError::Kind::refused);
    return sent.has_value();
  };
  for (const auto form : kForms) {
    const bool is_long = form == PassThrough::sixteen;
    const std::size_t feature_at = is_long ? 4 : 3, count_at = is_long ? 6 : 4,
                      command_at = is_long ? 14 : 9;
    for (const auto& command : {identify_device(form), check_power_mode(form)}) {
      CHECK(find_command(command.cdb)->command_class == CommandClass::read);
      CHECK(passes(reads_only, command));
    }
    const Command known = set_features(form, Feature::disable_write_cache);
    CHECK(find_command(known.cdb)->command_class == CommandClass::reversible_setting);
    CHECK_FALSE(passes(reads_only, known));
    std::set<int> allowed;
    for (int feature = 0; feature < 256; ++feature)
      for (const int count : {0, 1, 0x80, 0xFE, 0xFF}) {
        Command command = known;
        command.cdb[feature_at] = static_cast<std::uint8_t>(feature);
        command.cdb[count_at] = static_cast<std::uint8_t>(count);
        if (passes(guard, command)) allowed.insert(feature << 8 | count);
      }
    std::set<int> expected{0x0501, 0x0580, 0x05FE};
    for (const int feature : kReversible) expected.insert(feature << 8);
    CHECK(allowed == expected);
    for (int ata = 0; ata < 256; ++ata) {
      Command command = known;
      command.cdb[command_at] = static_cast<std::uint8_t>(ata);
      CHECK(passes(guard, command) == (ata == kSetFeatures));
    }
    // Resets, other protocols, data, LBAs and the device field: nothing but what was built.
    for (std::size_t at = 1; at < known.cdb.size(); ++at) {
      if (at == feature_at || at == count_at || at == command_at) continue;
      for (int bit = 0; bit < 8; ++bit)
        for (const Command& base : {known, identify_device(form), check_power_mode(form)}) {
          Command command = base;
          command.cdb[at] ^= static_cast<std::uint8_t>(1 << bit);
          INFO("byte " << at << " bit " << bit);
          CHECK_FALSE(passes(guard, command));
        }
    }
  }
}

TEST_CASE("IDENTIFY DEVICE tells what SET FEATURES can change") {
  CHECK(decode_identify_device(identify({})) == AtaSettings{true, true, 0x80});
  CHECK(decode_identify_device(identify({false, false, 0})) == AtaSettings{false, false, 0});
  auto other = identify({});
  other[100] ^= 1;  // the checksum
  CHECK_FALSE(decode_identify_device(other));
  other = identify({});
  other[2 * 87 + 1] = 0;  // words 85 to 87 do not count
  other[510] = 0;
  CHECK(decode_identify_device(other) == AtaSettings{});
  other = identify({true, true, 0xFF});  // no level that could be set again
  CHECK(decode_identify_device(other) == AtaSettings{true, true, std::nullopt});
  other[1] = 0x80;  // ATAPI
  CHECK_FALSE(decode_identify_device(other));
  CHECK_FALSE(decode_identify_device(std::vector<std::uint8_t>(511)));
}

TEST_CASE("CHECK POWER MODE answers in fixed and in descriptor format") {
  auto fixed = testing::fixed_sense(1, 0x00, 0x1D);
  fixed[6] = 0x80;
  CHECK(decode_power_mode(fixed) == 0x80);
  std::vector<std::uint8_t> descriptors{0x72, 1, 0x00, 0x1D, 0, 0, 0, 14, 0x09, 12};
  descriptors.resize(22);
  descriptors[13] = 0xFF;
  CHECK(decode_power_mode(descriptors) == 0xFF);
  CHECK_FALSE(decode_power_mode(testing::fixed_sense(5, 0x24)));
  CHECK_FALSE(decode_power_mode({}));
}

TEST_CASE("where mode page 08h is not to be changed, an ATA drive is told by SET FEATURES") {
  testing::ScriptedDevice device{answers({kInquiry}, {0, 0, 5, 2, 31}),
                                 answers({kTestUnitReady}),
                                 answers({kReadCapacity10}, {0, 0, 0xFF, 0xFF, 0, 0, 2, 0}),
                                 fails({kServiceActionIn16}, 5, 0x20),
                                 fails({kInquiry, 1, 0x80}, 5, 0x24),
                                 answers({0x85, 0x08, 0x0E}, identify({})),
                                 fails({kInquiry, 1, 0x89}, 5, 0x24),
                                 fails({kInquiry, 1, 0x83}, 5, 0x24)};
  Guard guard(device, {});
  Drive drive(guard, "it");
  drive.identify();
  const auto no_page = [&] {
    device.expect({fails({kModeSense6}, 5, 0x24), fails({kModeSense10}, 5, 0x24)});
  };
  const auto tells = [&](const Standing& standing) {
    device.expect(answers({0x85, 0x08, 0x0E}, identify(standing)));
  };
  const auto takes = [&](std::uint8_t feature, std::uint8_t count = 0) {
    device.expect(answers({0x85, 0x06, 0, 0, feature, 0, count, 0, 0, 0, 0, 0, 0, 0, 0xEF}));
  };
  no_page();
  for (int i = 0; i < 2; ++i) tells({});
  SECTION("and put in order again") {
    takes(0x82);
    takes(0x55);
    tells({false, false, 0x80});
    device.expect(answers({kRead10, 0x08}));  // FUA is taken
    REQUIRE(drive.settings().set_cache(false, true, true));
    CHECK(drive.settings().forces_reads());
    device.expect(answers({kRead10, 0x08}));
    drive.read(7);
    for (int i = 0; i < 2; ++i) tells({false, false, 0x80});
    takes(0x85);
    tells({false, false, 0});
    CHECK(drive.settings().stop_power_management() == Stopped::stopped);
    tells({false, false, 0});
    CHECK(drive.settings().features_hold());
    tells({true, false, 0});  // something turned the write cache on
    CHECK_FALSE(drive.settings().features_hold());
    for (int i = 0; i < 2; ++i) tells({false, false, 0});
    takes(0x02);
    takes(0xAA);
    takes(0x05, 0x80);
    for (int i = 0; i < 2; ++i) tells({});
    drive.settings().restore();
    CHECK_FALSE(drive.settings().forces_reads());
    device.expect(answers({kRead10, 0x00}));
    drive.read(7);
  }
  SECTION("what it does not take is set back") {
    takes(0x82);
    device.expect(fails({0x85, 0x06, 0, 0, 0x55}, 5, 0x24));
    tells({false, true, 0x80});
    takes(0x02);
    CHECK_FALSE(drive.settings().set_cache(false, true, true));
    CHECK_FALSE(drive.settings().forces_reads());
  }
  SECTION("without FUA the reads are not forced") {
    takes(0x82);
    takes(0x55);
    tells({false, false, 0x80});
    device.expect(fails({kRead10, 0x08}, 5, 0x24));
    REQUIRE(drive.settings().set_cache(false, true, true));
    CHECK_FALSE(drive.settings().forces_reads());
    for (int i = 0; i < 2; ++i) tells({false, false, 0x80});
    takes(0x02);
    takes(0xAA);
    for (int i = 0; i < 2; ++i) tells({});
  }
}

TEST_CASE("the shorter ATA PASS-THROUGH where the longer one is not known") {
  testing::ScriptedDevice device{answers({kInquiry}, {0, 0, 2, 2, 31}),
                                 answers({kTestUnitReady}),
                                 answers({kReadCapacity10}, {0, 0, 0xFF, 0xFF, 0, 0, 2, 0}),
                                 fails({kInquiry, 1, 0x80}, 5, 0x24),
                                 fails({0x85}, 5, 0x20),
                                 answers({0xA1, 0x08, 0x0E}, identify({})),
                                 fails({kInquiry, 1, 0x89}, 5, 0x24),
                                 fails({kInquiry, 1, 0x83}, 5, 0x24),
                                 answers({0xA1, 0x08, 0x0E}, identify({}))};
  Guard guard(device, {});
  Drive drive(guard, "it");
  drive.identify();
  CHECK(drive.settings().ata() == AtaSettings{true, true, 0x80});
  auto registers = fails({0xA1, 0x06, 0x20}, 1, 0x00, 0x1D);
  registers.sense[6] = 0xFF;
  device.expect(registers);
  CHECK(drive.settings().ata_power_mode() == 0xFF);
}

}  // namespace platter::scsi
