#include <filesystem>
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/open_device.h"
#include "cli/subcommands.h"
#include "extract/restore.h"
#include "model/error.h"
#include "model/json_head.h"

namespace platter::cli {
namespace {

struct Arguments {
  std::string journal, device;
  bool overwrite = false, json = false;
};

void restore(const Arguments& arguments) {
  const extract::JournalContents journal = extract::read_journal(arguments.journal);
  const auto device =
      open_device(arguments.device.empty() ? journal.device : arguments.device);
  const extract::Restored done = extract::restore(*device, journal, arguments.overwrite);
  if (!done.changed.empty())
    throw Error(ExitStatus::refused,
                fmt::format("{} stretches of sectors hold other data than the journal, the first at "
                            "LBN {}: somebody has written there since, so they were left alone; "
                            "keep the journal until you know, or put the old data back with "
                            "--overwrite",
                            done.changed.size(), done.changed.front()));
  const bool has_settings = !journal.settings.pages.empty() || journal.settings.ata;
  if (has_settings && !done.settings)
    throw Error(ExitStatus::drive_error,
                fmt::format("{} does not take the settings of the journal back; power it off and on, which brings "
                            "its own back, and try again ({} is kept)",
                            device->name(), arguments.journal));
  std::filesystem::remove(arguments.journal);
  if (arguments.json) {
    nlohmann::ordered_json report = model::json_head("platter-restore");
    report["intact"] = done.intact;
    report["rewritten"] = done.rewritten;
    report["settings"] = done.settings;
    fmt::print("{}\n", report.dump(2));
    return;
  }
  fmt::print("{} journaled stretches of sectors: {} intact, {} put back; settings {}\n",
             done.intact + done.rewritten, done.intact, done.rewritten,
             done.settings ? "as they were" : "left alone");
}

}  // namespace

void add_restore(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = app.add_subcommand(
      "restore", "put right what a run left behind that was cut off by a crash or power loss");
  command->add_option("JOURNAL", arguments->journal, "the safety journal of that run")->required();
  command->add_option("--device", arguments->device,
                      "the drive's device now, if it is not the one of then");
  command->add_flag("--overwrite", arguments->overwrite,
                    "also put back what can be read and differs: loses what was written since");
  command->add_flag("--json", arguments->json, "the same for programs");
  command->callback([arguments] { restore(*arguments); });
}

}  // namespace platter::cli
