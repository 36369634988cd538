// How the plugin's process ends its clients.
#include "emulator/nbd/process.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "catch.h"
#include "emit/table/table.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "replay/small_drive.h"

using namespace platter;
using namespace platter::emulator;

TEST_CASE("a client that nbdkit accepts after the others were hung up is hung up, too") {
  model::TemporaryFolder folder(model::temporary_name("platter-process"));
  model::write_file(folder.file("table"),
                    emit_table::compile_table(replay::testing::drive_model(true)));
  ProcessSettings settings;
  settings.ordinary = true;
  settings.drives.emplace_back();
  settings.drives[0].name = "small";
  settings.drives[0].table = folder.path() + "/table";
  Process process(settings);
  process.start();
  process.ask_to_hang_up();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // those who were there are gone
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const timeval patience{60, 0};
  REQUIRE(::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
  char byte = 0;
  CHECK(::recv(ends[0], &byte, 1, 0) == 0);  // the end, not a time-out
  ::close(ends[0]);
  ::close(ends[1]);
}
