#include <array>
#include <chrono>
#include <sstream>

#include "extract/record_file.h"
#include "fuzz/targets.h"
#include "safety/journal_reader.h"
#include "samples/checks.h"
#include "scsi/commands.h"
#include "transport/exec.h"

namespace platter::fuzz {
namespace {

// As they are; and as if their lines had been written so, else none would pass its checksum.
std::array<std::string, 2> with_checks(const std::string& bytes) {
  return {bytes, testing::with_checks(testing::without_checks(bytes))};
}

void samples(const std::string& bytes) {
  for (const std::string& text : with_checks(bytes))
    refusing([&] {
      std::istringstream in(text);
      extract::read_record(in, "s");
    });
}

void journal(const std::string& bytes) {
  for (const std::string& text : with_checks(bytes))
    refusing([&] { safety::read_journal(file_of(text)); });
}

// A program that says what it says, whatever it is asked.
void exec_replies(const std::string& bytes) {
  constexpr std::chrono::milliseconds kPatience{5000};
  refusing([&] {
    transport::ExecDevice drive("cat " + file_of(bytes), {kPatience, kPatience});
    const scsi::Command commands[] = {scsi::test_unit_ready(), scsi::inquiry(),
                                      scsi::read_capacity_10(), scsi::read_10(7, 1, 512)};
    std::uint32_t tag = 1;
    for (const scsi::Command& command : commands)
      if (!drive.submit(command, tag++)) return;
    for (tag = 0; tag < 4; ++tag) {
      const auto done = drive.reap();
      if (!done || !*done) return;
      require((*done)->tag >= 1 && (*done)->tag <= 4, "what completes was asked for");
      require((*done)->data.size() <= 512, "no more data than asked for");
    }
    if (drive.reset()) drive.reap_until(1000);
  });
}

}  // namespace

std::vector<Target> run_targets() {
  return {{"samples", samples}, {"journal", journal}, {"exec", exec_replies}};
}

}  // namespace platter::fuzz
