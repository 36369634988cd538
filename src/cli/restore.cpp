#include "safety/restore.h"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/open_device.h"
#include "cli/subcommands.h"
#include "model/error.h"
#include "model/json_head.h"

namespace platter::cli {
namespace {

struct Arguments {
  std::string journal, device;
  bool overwrite = false, yes = false, json = false;
};

// A journal is a file that anybody may have written: it starts no program, and opens nothing but a
// device.
std::string device_named_by(const safety::JournalContents& journal, const std::string& path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::weakly_canonical(journal.device, failed);
  if (journal.device.starts_with("/dev/") && !failed && real.string().starts_with("/dev/"))
    return journal.device;
  throw Error(
      ExitStatus::refused,
      fmt::format(
          "{} names no device in /dev, and nothing else is opened because a journal names it; "
          "name the drive with --device",
          path));
}

void restore(const Arguments& arguments) {
  const safety::JournalContents journal = safety::read_journal(arguments.journal);
  if (safety::in_use(arguments.journal))
    throw Error(ExitStatus::refused,
                arguments.journal +
                    " is the journal of a run that still goes on; wait for its end, or end it");
  if (arguments.yes && arguments.device.empty())
    throw Error(ExitStatus::usage,
                "--yes says that a device is the journal's drive; name it with --device");
  const auto device = open_device(
      arguments.device.empty() ? device_named_by(journal, arguments.journal) : arguments.device);
  const safety::Restored done = safety::put_right(
      *device, {arguments.journal, journal},
      {.overwrite = arguments.overwrite, .is_the_drive = arguments.yes});
  const std::uint64_t put_back = safety::blocks_of(done.media.put_back);
  if (arguments.json) {
    nlohmann::ordered_json report = model::json_head("platter-restore");
    report["intact"] = done.media.intact;
    report["rewritten"] = put_back;
    report["settings"] = done.settings;
    fmt::print("{}\n", report.dump(2));
    return;
  }
  fmt::print("{} journaled blocks: {} intact, {} put back; settings as they were\n",
             done.media.intact + put_back, done.media.intact, put_back);
}

}  // namespace

void add_restore(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = app.add_subcommand(
      "restore", "put back blocks and settings after a run that a crash or power loss cut off");
  command->add_option("JOURNAL", arguments->journal, "the safety journal of that run")->required();
  command->add_option("--device", arguments->device,
                      "the drive's device now, if it has another one than in the run");
  command->add_flag("--yes", arguments->yes,
                    "the device is the journal's drive, although no serial number says so");
  command->add_flag(
      "--overwrite", arguments->overwrite,
      "also put back blocks that can be read and differ: loses what was written there since");
  command->add_flag("--json", arguments->json, "the same for programs");
  command->callback([arguments] { restore(*arguments); });
}

}  // namespace platter::cli
