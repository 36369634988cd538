#include "jobs/restore.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/subcommands.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/printable.h"

namespace platter::cli {
namespace {

struct RestoreArguments {
  std::vector<std::string> journals{};
  jobs::Restoration how{};
  bool json = false;
};

void restore_alone(const RestoreArguments& arguments) {
  const jobs::PutRight done = jobs::restore_one(arguments.how, arguments.journals.front());
  if (arguments.json) {
    print_json(done.schema, done.json);
  } else {
    std::string lines;
    model::append_printable_lines(lines, done.words);
    fmt::print("{}\n", lines);
  }
  if (!done.doubt.empty()) throw Error(ExitStatus::bad_input, done.doubt);
}

// Each for itself: what fails keeps its journal, and the next one is tried.
void restore_each(const RestoreArguments& arguments) {
  if (arguments.how.yes)
    throw Error(ExitStatus::usage,
                "--yes is of one journal, and several are given; restore that one by itself");
  if (arguments.how.inspect)
    throw Error(ExitStatus::usage,
                "--inspect is of one journal, and several are given; look at each by itself");
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::vector<std::string> failed;
  for (const std::string& journal : arguments.journals) {
    nlohmann::ordered_json told = {{"journal", journal}, {"status", 0}, {"error", nullptr}};
    std::string words;
    try {
      const jobs::PutRight done = jobs::restore_one(arguments.how, journal);
      told.update(done.json);
      words = done.words;
    } catch (const Error& error) {
      let_interruptions_pass(error);
      const int status = static_cast<int>(error.status());
      told["status"] = status;
      told["error"] = model::printable(error.what());
      failed.push_back(fmt::format("{} (status {})", journal, status));
      words = fmt::format("status {}: {}", status, model::printable(error.what()));
    }
    all.push_back(std::move(told));
    if (!arguments.json) fmt::print("{}: {}\n", model::printable(journal), words);
  }
  if (arguments.json)
    print_json("platter-restore-list", {{"not_done", failed.size()}, {"journals", std::move(all)}});
  if (!failed.empty())
    throw Error(ExitStatus::some_failed,
                fmt::format("{} of {} journals are not done: {}; the summary says why",
                            failed.size(), arguments.journals.size(), fmt::join(failed, ", ")));
}

}  // namespace

void add_restore(CLI::App& app) {
  auto arguments = std::make_shared<RestoreArguments>();
  auto* command = app.add_subcommand(
      "restore", "put back blocks and settings after a run that a crash or power loss cut off");
  command
      ->add_option("JOURNAL", arguments->journals,
                   "the safety journals of such runs, or /run/platter/host.journal")
      ->required();
  CLI::Option* device = command->add_option(
      "--device", arguments->how.device,
      "the drive's device now, if it has another one than in the run");
  command
      ->add_flag("--yes", arguments->how.yes,
                 "the device is the journal's drive, although no serial number says so")
      ->needs(device);
  command->add_flag(
      "--overwrite", arguments->how.overwrite,
      "also put back blocks that can be read and differ: loses what was written there since");
  command
      ->add_flag("--inspect", arguments->how.inspect,
                 "only say what the journals hold, and which of their lines are damaged")
      ->excludes("--overwrite")
      ->excludes(device);
  add_not_in_use_option(*command, arguments->how.not_in_use);
  add_json(*command, arguments->json, "the same for programs");
  command
      ->add_option("--host-root", arguments->how.host_root, "the tree of another host, for tests")
      ->group("");
  command->callback([arguments] {
    arguments->journals.size() == 1 ? restore_alone(*arguments) : restore_each(*arguments);
  });
}

}  // namespace platter::cli
