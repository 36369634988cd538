// What a client was told to last is on the host's own disk when it is told so.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "catch.h"
#include "emit/table/table.h"
#include "emulator/blocks/served_drive.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "replay/small_drive.h"

using namespace platter;
using namespace platter::emulator;

namespace {

std::atomic<int> told_to_last{0};

}  // namespace

// In the place of the C library's.
extern "C" int fdatasync(int file) {
  const int done = static_cast<int>(::syscall(SYS_fdatasync, file));
  if (done == 0) ++told_to_last;
  return done;
}

// holds: emulators.md: What a flush
TEST_CASE("a flush and a write through reach the host's own disk", "[contents]") {
  model::TemporaryFolder folder(model::temporary_name("platter-test"));
  model::write_file(folder.file("table"),
                    emit_table::compile_table(replay::testing::drive_model(true)));
  DriveSettings settings;
  settings.name = "small";
  settings.table = folder.path() + "/table";
  settings.contents.file = folder.file("contents");
  settings.write_cache_loss = GENERATE(false, true);
  const DriveClock clock(host_now_ns(), 50);
  const TransportDelay delay{};
  ServedDrive drive(settings, 0, clock, delay, nullptr);
  const std::vector<std::uint8_t> block(4096, 7);
  const auto reaches_disk = [](auto&& act) {
    told_to_last = 0;
    REQUIRE(act() == 0);
    return told_to_last > 0;
  };
  CHECK_FALSE(reaches_disk([&] { return drive.write(0, block, false, host_now_ns()); }));
  CHECK(reaches_disk([&] { return drive.write(4096, block, true, host_now_ns()); }));
  CHECK(reaches_disk([&] { return drive.flush(host_now_ns()); }));
  CHECK(reaches_disk([&] { return drive.zero(0, 4096, true, host_now_ns()); }));
}
