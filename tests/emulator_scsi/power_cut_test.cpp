// Drives whose power goes: what was synchronized or written through is there, what the cache had
// not written is as it was before, and nothing else has changed.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "catch.h"
#include "emulator/contents/contents_file.h"
#include "emulator/contents/volatile_contents.h"
#include "emulator/scsi/scsi_drive.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::emulator;
using virtual_drive::testing::command;
using virtual_drive::testing::on_blocks;
using virtual_drive::testing::spc4_drive;
using virtual_drive::testing::with_data;
using virtual_drive::testing::with_room;

namespace {

model::DriveModel caching_drive() {
  model::DriveModel model = spc4_drive();
  model.identity.blocks = virtual_drive::Target(model).layout().blocks();
  model.cache.segments = engine::testing::value(8);
  model.cache.destage_behind = engine::testing::value(1);
  model.cache.destage_idle = engine::testing::value(20);
  return model;
}

struct Drive {
  Drive()
      : model(caching_drive()),
        contents(std::make_unique<ContentsFile>(model.identity.blocks * 512),
                 [this] { return drive.unwritten_bytes(); }),
        drive(ScsiDriveSettings{"small", model, ""}, 0, contents, nullptr) {}

  std::uint32_t ask(const scsi::Command& one) {
    drive.submit(one, next_tag, now_ns);
    return next_tag++;
  }
  // The completions until then.
  std::vector<std::uint32_t> wait(Nanoseconds length_ns) {
    std::vector<std::uint32_t> done;
    now_ns += length_ns;
    while (const auto due_ns = drive.next_due()) {
      if (*due_ns > now_ns) break;
      if (auto completion = drive.take(*due_ns)) {
        CHECK(completion->status == scsi::Status::good);
        done.push_back(completion->tag);
      }
    }
    return done;
  }
  std::uint8_t block(std::uint64_t lbn) const {
    std::vector<std::uint8_t> bytes(512);
    REQUIRE(contents.read(lbn * 512, bytes) == 0);
    CHECK(std::ranges::all_of(bytes, [&](std::uint8_t byte) { return byte == bytes[0]; }));
    return bytes[0];
  }
  void restart() {
    drive.power_cycle(now_ns);
    now_ns += kSecond;
    drive.submit(command({0, 0, 0, 0, 0, 0}), next_tag++, now_ns);  // it tells of its power-on
    REQUIRE(drive.take(now_ns += kSecond));
  }

  model::DriveModel model;
  VolatileContents contents;
  ScsiDrive drive;
  std::uint32_t next_tag = 1;
  Nanoseconds now_ns = kSecond;
};

scsi::Command write(std::uint64_t lbn, std::uint8_t value, std::uint8_t flags = 0) {
  return with_data(on_blocks(0x2a, lbn, 1, flags), std::vector<std::uint8_t>(512, value));
}

}  // namespace

TEST_CASE("power: what is not on the media is as it was", "[power]") {
  Drive drive;
  drive.ask(write(100, 1, 0x08));
  drive.wait(kSecond);
  drive.ask(write(100, 2));
  const auto done = drive.wait(300 * kMicrosecond);
  REQUIRE(done.size() == 1);  // the cache has taken it
  CHECK(drive.block(100) == 2);
  drive.restart();
  CHECK(drive.block(100) == 1);
}

// holds: emulators.md: With `--write-cache-loss` the blocks
TEST_CASE("power: with the write cache off an answered write is on the media", "[power]") {
  Drive drive;
  drive.drive.submit(with_room(command({0x1a, 8, 8, 0, 255, 0}), 255), 900, drive.now_ns);
  const auto sensed = drive.drive.take(drive.now_ns += kSecond);
  REQUIRE(sensed);
  std::vector<std::uint8_t> list = sensed->data;
  REQUIRE(list.size() > 6);
  REQUIRE((list[6] & 4) != 0);
  list[0] = 0;
  list[4] &= 0x3F;
  list[6] &= 0xFB;  // WCE
  const auto bytes = static_cast<std::uint8_t>(list.size());
  drive.ask(with_data(command({0x15, 0x10, 0, 0, bytes, 0}), list));
  REQUIRE(drive.wait(kSecond).size() == 1);
  const std::uint32_t tag = drive.ask(write(100, 2));
  while (drive.wait(kMicrosecond) != std::vector{tag}) {
  }
  drive.restart();
  CHECK(drive.block(100) == 2);
}

// holds: emulators.md: With `--write-cache-loss` the blocks
TEST_CASE("power: at any time what may be lost is lost, and nothing that may not", "[power]") {
  std::mt19937_64 random(4);
  int lost = 0, kept = 0;
  Drive drive;
  for (int cut = 0; cut < 150; ++cut) {
    // Of each block, what it may hold: the version that is safe, and those behind it.
    std::map<std::uint64_t, std::vector<std::uint8_t>> versions;
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint8_t>> outstanding;  // by tag
    std::map<std::uint32_t, bool> through;
    std::map<std::uint64_t, std::uint8_t> acknowledged;
    for (std::uint64_t lbn = 0; lbn < 40; ++lbn) versions[lbn * 50] = {drive.block(lbn * 50)};
    const auto note = [&](const std::vector<std::uint32_t>& done) {
      for (const std::uint32_t tag : done) {
        if (!outstanding.contains(tag)) continue;
        const auto [lbn, value] = outstanding[tag];
        acknowledged[lbn] = value;
        if (through[tag]) versions[lbn] = {value};
        outstanding.erase(tag);
      }
    };
    const auto is_under_way = [&](std::uint64_t lbn) {
      return std::ranges::any_of(outstanding, [&](const auto& o) { return o.second.first == lbn; });
    };
    for (auto commands = 5 + random() % 60; commands > 0; --commands) {
      const std::uint64_t lbn = random() % 40 * 50;
      if (random() % 20 == 0) {  // SYNCHRONIZE CACHE, waited for: all that was acknowledged is safe
        const std::uint32_t tag = drive.ask(command({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
        const auto before = acknowledged;
        for (bool is_done = false; !is_done;) {
          const auto done = drive.wait(kMillisecond);
          is_done = std::ranges::find(done, tag) != done.end();
          note(done);
        }
        for (const auto& [block, value] : before)
          if (acknowledged[block] == value && !is_under_way(block)) versions[block] = {value};
      } else if (!is_under_way(lbn)) {
        const auto value = static_cast<std::uint8_t>(1 + random() % 255);
        const bool fua = random() % 6 == 0;
        const std::uint32_t tag = drive.ask(write(lbn, value, fua ? 0x08 : 0));
        outstanding[tag] = {lbn, value};
        through[tag] = fua;
        versions[lbn].push_back(value);
      }
      note(drive.wait(static_cast<Nanoseconds>(random() % 3'000'000)));
    }
    const auto dirty = drive.drive.unwritten_bytes();
    drive.restart();
    for (const auto& [lbn, possible] : versions) {
      const std::uint8_t held = drive.block(lbn);
      INFO("cut " << cut << " block " << lbn);
      CHECK(std::ranges::find(possible, held) != possible.end());
      const bool is_dirty = std::ranges::any_of(dirty, [&](const Range& range) {
        return range.first <= lbn * 512 && lbn * 512 < range.end;
      });
      if (acknowledged.contains(lbn) && !is_under_way(lbn)) {
        if (!is_dirty) CHECK(held == acknowledged[lbn]);
        (held == acknowledged[lbn] ? kept : lost) += 1;
      }
    }
  }
  CHECK(lost > 100);
  CHECK(kept > 500);
}
