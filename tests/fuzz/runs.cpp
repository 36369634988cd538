#include <chrono>
#include <sstream>

#include "extract/record_file.h"
#include "fuzz/targets.h"
#include "host/journal.h"
#include "safety/journal_reader.h"
#include "samples/checks.h"
#include "scsi/commands.h"
#include "transport/exec.h"

namespace platter::fuzz {
namespace {

void samples(const std::string& bytes) {
  for (const std::string& text : testing::as_it_is_and_checked(bytes))
    refusing([&] {
      std::istringstream in(text);
      extract::read_record(in, "s");
    });
}

void journal(const std::string& bytes) {
  for (const std::string& text : testing::as_it_is_and_checked(bytes))
    refusing([&] { safety::read_journal(file_of(text)); });
}

void host_journal(const std::string& bytes) {
  for (const std::string& text : testing::as_it_is_and_checked(bytes))
    refusing([&] {
      for (const host::Governor& governor : host::read_host_journal(file_of(text)).found)
        require(host::is_well_formed(governor), "it leads to governors alone");
    });
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
  return {{"samples", samples},
          {"journal", journal},
          {"host-journal", host_journal},
          {"exec", exec_replies}};
}

}  // namespace platter::fuzz
