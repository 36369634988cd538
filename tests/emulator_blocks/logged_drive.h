// A drive that is served at a multiple of the host's time, its log, and what the engine says to
// that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "catch.h"
#include "emit/table/table.h"
#include "emulator/blocks/served_drive.h"
#include "emulator/check/check_log.h"
#include "episodes/read.h"
#include "model/file.h"
#include "model/leftovers.h"

namespace platter::emulator::testing {

struct LoggedDrive {
  // `list`: of its episodes, as they stand in their document; "": none.
  LoggedDrive(const model::DriveModel& model, int speed, DriveSettings settings = {},
              const std::string& list = "")
      : bytes(emit_table::compile_table(model)),
        table(emit_table::read_table(std::as_bytes(std::span(bytes)), "small")),
        clock(host_now_ns(), speed) {
    model::write_file(folder.file("table"), bytes);
    writer.emplace(folder.file("log"));
    settings.name = "small";
    settings.table = folder.path() + "/table";
    if (!list.empty()) {
      const std::string text =
          R"({"schema":{"name":"platter-episodes","version":"1.0"},"seed":3,"episodes":[)" + list +
          "]}";
      schedule = std::make_shared<const episodes::Schedule>(episodes::read_schedule(text, "e"));
      model::write_file(folder.file("episodes"), text);
      settings.episodes = folder.path() + "/episodes";
    }
    drive.emplace(settings, 0, clock, delay, &*writer);
    writer->line(
        R"({"schema":{"name":"platter-emulation-log","version":"1.0"},"requests":"blocks",)"
        R"("drives":[)" +
        drive->log_head() + "]}");
  }

  // Whole, after which nothing is written to it.
  std::string log() {
    CHECK(writer->finish().empty());
    return model::read_file(folder.path() + "/log");
  }
  CheckedLog check(const std::string& text) const {
    std::istringstream lines(text);
    return check_log(lines, "log",
                     {{table.model_sha256, table.identity.blocks, table.tables, {}, schedule}});
  }
  CheckedLog check() { return check(log()); }

  model::TemporaryFolder folder{model::temporary_name("platter-test")};
  std::string bytes;
  emit_table::Table table;
  DriveClock clock;
  std::shared_ptr<const episodes::Schedule> schedule{};
  TransportDelay delay{};
  std::optional<LogWriter> writer{};
  std::optional<ServedDrive> drive{};
};

}  // namespace platter::emulator::testing
