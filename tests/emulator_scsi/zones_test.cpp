// Zones of an emulated drive: their pointers are kept with the contents, and agree with what these
// hold after a power cut.
#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "catch.h"
#include "emulator/check/check_log.h"
#include "emulator/scsi/drive_set.h"
#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::emulator;
using virtual_drive::testing::command;
using virtual_drive::testing::on_blocks;
using virtual_drive::testing::spc4_drive;
using virtual_drive::testing::with_data;

namespace zones_of_emulated_drives {
namespace {

constexpr std::uint64_t kZone = 500, kZones = 14;
constexpr std::uint8_t kForce = 0x08;

model::DriveModel zoned_drive() {
  model::DriveModel model = spc4_drive();
  model.cache.segments = engine::testing::value(8);
  model.cache.destage_behind = engine::testing::value(1);
  model.cache.destage_idle = engine::testing::value(20);
  model.identity.zones = "host-managed";
  model.identity.blocks = kZones * kZone;
  model.identity.reads_past_pointers = false;
  model.identity.zone_runs = {{0, 1, kZone, "conventional", "not-write-pointer"},
                              {kZone, kZones - 1, kZone, "sequential-required", "empty"}};
  return model;
}

// An emulation that may end at any moment.
struct Emulation {
  Emulation(const std::string& file, bool loses, const std::optional<std::string>& log = {})
      : set({{{"small", zoned_drive(), "the-digest"}, {.file = file}, loses}}, log, 1),
        drive(*set.drives().front()) {
    now_ns += kSecond;
    drive.submit(command({0, 0, 0, 0, 0, 0}), tag++, now_ns);
    wait(kSecond);
  }
  // Status of each that has ended, by tag.
  std::map<std::uint32_t, scsi::Status> wait(Nanoseconds length_ns) {
    std::map<std::uint32_t, scsi::Status> ended;
    now_ns += length_ns;
    while (const auto due_ns = drive.next_due()) {
      if (*due_ns > now_ns) break;
      if (auto done = drive.take(*due_ns)) {
        ended[done->tag] = done->status;
        data = std::move(done->data);
      }
    }
    return ended;
  }
  std::uint32_t ask(const scsi::Command& what) {
    drive.submit(what, tag, now_ns);
    return tag++;
  }
  bool good(const scsi::Command& what) {
    const std::uint32_t asked = ask(what);
    const auto ended = wait(10 * kSecond);
    return ended.at(asked) == scsi::Status::good;
  }
  bool readable(std::uint64_t lbn) {
    return good(virtual_drive::testing::with_room(on_blocks(0x28, lbn, 1), 512));
  }
  std::uint64_t written(std::uint64_t zone) {
    std::uint64_t blocks = 0;
    while (blocks < kZone && readable(zone * kZone + blocks)) ++blocks;
    return blocks;
  }

  DriveSet set;
  ScsiDrive& drive;
  std::vector<std::uint8_t> data;
  std::uint32_t tag = 1;
  Nanoseconds now_ns = 0;
};

scsi::Command write(std::uint64_t lbn, std::uint32_t blocks, std::uint8_t value,
                    std::uint8_t flags = 0) {
  return with_data(on_blocks(0x2a, lbn, blocks, flags),
                   std::vector<std::uint8_t>(blocks * 512, value));
}

scsi::Command reset_zone(std::uint64_t zone) {
  scsi::Command out = command({0x94, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  scsi::put_be(&out.cdb[2], 8, zone * kZone);
  return out;
}

scsi::Command flush() { return command({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}); }

}  // namespace

TEST_CASE("zones: pointers are there again with the file, however the emulator ended", "[zones]") {
  model::TemporaryFolder folder(model::temporary_name("platter-test"));
  const std::string file = folder.file("contents");
  {
    Emulation first(file, false);
    CHECK(first.good(write(3 * kZone, 20, 7)));
    CHECK(first.good(write(4 * kZone, 30, 8)));
    CHECK(first.good(reset_zone(4)));
  }  // as SIGKILL does: nobody called finish()
  Emulation second(file, false);
  CHECK(second.written(3) == 20);
  CHECK(second.written(4) == 0);
  CHECK(second.readable(3 * kZone + 19));
  CHECK(second.data == std::vector<std::uint8_t>(512, 7));
  CHECK(second.good(write(3 * kZone + 20, 1, 9)));
}

TEST_CASE("zones: contents of a drive with other zones are refused", "[zones]") {
  model::TemporaryFolder folder(model::temporary_name("platter-test"));
  const std::string file = folder.file("contents");
  { Emulation first(file, false); }
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(kZones * kZone * 512));
  bytes.put(5);  // zone 0, which is conventional, would be closed
  bytes.close();
  CHECK_THROWS_AS(Emulation(file, false), Error);
}

TEST_CASE("zones: behind what FUA has written all of the zone outlives the power", "[zones]") {
  model::TemporaryFolder folder(model::temporary_name("platter-test"));
  Emulation emulation(folder.file("contents"), true);
  emulation.ask(write(3 * kZone, 8, 1));
  emulation.wait(300 * kMicrosecond);  // it waits in the cache
  const std::uint32_t forced = emulation.ask(write(3 * kZone + 8, 1, 2, kForce));
  while (!emulation.wait(10 * kMicrosecond).contains(forced)) {
  }
  emulation.drive.power_cycle(emulation.now_ns);
  emulation.good(command({0, 0, 0, 0, 0, 0}));
  CHECK(emulation.written(3) == 9);
  CHECK(emulation.readable(3 * kZone));
  CHECK(emulation.data == std::vector<std::uint8_t>(512, 1));
}

// holds: emulators.md: Of a drive with zones
// What was acknowledged before a flush ended, and what was written through, is below the pointers;
// whatever is below them reads as it was written; and the log is the target's, cuts included.
TEST_CASE("zones: what FUA keeps is looked for in few of them", "[zones]") {
  model::TemporaryFolder folder(model::temporary_name("platter-test"));
  Emulation emulation(folder.file("contents"), true);
  for (std::uint64_t zone = 2; zone < kZones; ++zone)
    CHECK(emulation.good(write(zone * kZone, kZone, 1, kForce)));
  CHECK(emulation.good(flush()));
  CHECK(emulation.drive.zones_to_keep() == 0);
  CHECK(emulation.good(write(kZone, 1, 1, kForce)));
  CHECK(emulation.drive.zones_to_keep() == 1);
  CHECK(emulation.written(kZones - 1) == kZone);
}

TEST_CASE("zones: pointers and data agree after power cuts at any time", "[zones]") {
  model::TemporaryFolder folder(model::temporary_name("platter-test"));
  const std::string file = folder.file("contents"), log = folder.file("log");
  std::mt19937_64 random(11);
  int rolled_back = 0;
  {
    Emulation emulation(file, true, log);
    std::vector<std::uint64_t> pointers(kZones, 0), safe(kZones, 0);
    std::map<std::uint64_t, std::uint8_t> content;
    for (int cut = 0; cut < 25; ++cut) {
      for (int i = 0; i < 40; ++i) {
        const std::uint64_t zone = 1 + random() % (kZones - 1);
        if (random() % 10 == 0) {
          const auto before = pointers;  // all that is acknowledged: each write is waited for
          const std::uint32_t asked = emulation.ask(flush());
          if (emulation.wait(3 * kSecond).contains(asked)) safe = before;
        } else if (random() % 25 == 0) {
          CHECK(emulation.good(reset_zone(zone)));
          pointers[zone] = safe[zone] = 0;
        } else {
          const auto blocks = static_cast<std::uint32_t>(
              std::min<std::uint64_t>(1 + random() % 12, kZone - pointers[zone]));
          if (blocks == 0) continue;
          const auto value = static_cast<std::uint8_t>(random());
          const std::uint32_t asked =
              emulation.ask(write(zone * kZone + pointers[zone], blocks, value));
          for (std::uint32_t b = 0; b < blocks; ++b)
            content[zone * kZone + pointers[zone] + b] = value;
          pointers[zone] += blocks;
          if (i == 39) break;  // under way when the power goes
          while (!emulation.wait(50 * kMicrosecond).contains(asked)) {
          }
        }
      }
      emulation.drive.power_cycle(emulation.now_ns);
      emulation.good(command({0, 0, 0, 0, 0, 0}));
      for (std::uint64_t zone = 1; zone < kZones; ++zone) {
        const std::uint64_t there = emulation.written(zone);
        CHECK(there >= safe[zone]);
        CHECK(there <= pointers[zone]);
        for (std::uint64_t b = 0; b < there; ++b) {
          REQUIRE(emulation.readable(zone * kZone + b));
          CHECK(emulation.data == std::vector<std::uint8_t>(512, content[zone * kZone + b]));
        }
        if (there < pointers[zone]) ++rolled_back;
        pointers[zone] = safe[zone] = there;
      }
    }
    emulation.set.finish([](const std::string& sentence) { FAIL_CHECK(sentence); });
  }
  CHECK(rolled_back > 20);
  std::ifstream lines(log);
  const auto checked = check_log(lines, "log",
                                 {{"the-digest", kZones * kZone, nullptr, zoned_drive()}});
  CHECK(checked.differ == 0);
  CHECK(checked.completions > 1000);
}

}  // namespace zones_of_emulated_drives
