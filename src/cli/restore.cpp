#include "safety/restore.h"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/open_device.h"
#include "cli/subcommands.h"
#include "host/fast_processors.h"
#include "model/error.h"
#include "model/json_head.h"

namespace platter::cli {
namespace {

struct RestoreArguments {
  std::string journal, device, host_root;
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

nlohmann::ordered_json host_json(const host::PutBack& host) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const host::Governor& governor : host.back) json[governor.policy] = governor.name;
  return json;
}

// Of a run with --quiet-host that was killed.
void tell_host(const host::PutBack& host) {
  for (const std::string& trouble : host.troubles()) fmt::print(stderr, "platter: {}\n", trouble);
}

std::string in_words(const host::PutBack& host) {
  return host.back.empty() ? "this host's governors need nothing"
                           : "this host's governor is " + host::in_words(host.back) + " again";
}

void require_all_well(const host::PutBack& host, const std::string& journal) {
  if (!host.failed.empty())
    throw Error(ExitStatus::permission,
                fmt::format("{}; {} is kept: run this as root", host.failed.front(), journal));
}

// Beside a drive, which is in order by then.
std::optional<host::PutBack> host_put_back_too(const std::string& root) {
  try {
    auto host = host::put_back_what_was_left(root);
    if (host) tell_host(*host);
    return host;
  } catch (const Error& error) {
    fmt::print(stderr, "platter: {}\n", error.what());
    return std::nullopt;
  }
}

// The journal of what --quiet-host changed: it is one for all runs, and belongs to no drive.
void restore_host(const RestoreArguments& arguments) {
  if (!arguments.device.empty() || arguments.overwrite || arguments.yes)
    throw Error(ExitStatus::usage,
                arguments.journal +
                    " is this host's journal and of no drive; leave out --device, "
                    "--yes and --overwrite");
  host::read_host_journal(arguments.journal);
  const auto host = host::put_back_what_was_left(arguments.host_root);
  if (!host)
    throw Error(ExitStatus::refused,
                arguments.journal +
                    " is of runs that still go on, or not in its place; the last "
                    "of them puts all back when it ends");
  require_all_well(*host, arguments.journal);
  tell_host(*host);
  if (arguments.json) {
    nlohmann::ordered_json report = model::json_head("platter-restore");
    report["governors"] = host_json(*host);
    fmt::print("{}\n", report.dump(2));
    return;
  }
  fmt::print("{}\n", in_words(*host));
}

void restore(const RestoreArguments& arguments) {
  if (host::is_host_journal(arguments.journal)) return restore_host(arguments);
  const safety::JournalContents journal = safety::read_journal(arguments.journal);
  if (safety::in_use(arguments.journal))
    throw Error(ExitStatus::refused,
                arguments.journal +
                    " is the journal of a run that still goes on; wait for its end, or end it");
  const auto device = open_device(
      arguments.device.empty() ? device_named_by(journal, arguments.journal) : arguments.device);
  const safety::Restored done = safety::put_right(
      *device, {arguments.journal, journal},
      {.overwrite = arguments.overwrite, .is_the_drive = arguments.yes});
  const std::uint64_t put_back = safety::blocks_of(done.media.put_back);
  const auto host = host_put_back_too(arguments.host_root);
  if (arguments.json) {
    nlohmann::ordered_json report = model::json_head("platter-restore");
    report["intact"] = done.media.intact;
    report["rewritten"] = put_back;
    report["settings"] = done.settings;
    if (host) report["governors"] = host_json(*host);
    fmt::print("{}\n", report.dump(2));
    return;
  }
  fmt::print("{} journaled blocks: {} intact, {} put back; settings as they were\n",
             done.media.intact + put_back, done.media.intact, put_back);
  if (host) fmt::print("{}\n", in_words(*host));
}

}  // namespace

void add_restore(CLI::App& app) {
  auto arguments = std::make_shared<RestoreArguments>();
  auto* command = app.add_subcommand(
      "restore", "put back blocks and settings after a run that a crash or power loss cut off");
  command
      ->add_option("JOURNAL", arguments->journal,
                   "the safety journal of that run, or /run/platter/host.journal")
      ->required();
  CLI::Option* device = command->add_option(
      "--device", arguments->device,
      "the drive's device now, if it has another one than in the run");
  command
      ->add_flag("--yes", arguments->yes,
                 "the device is the journal's drive, although no serial number says so")
      ->needs(device);
  command->add_flag(
      "--overwrite", arguments->overwrite,
      "also put back blocks that can be read and differ: loses what was written there since");
  command->add_flag("--json", arguments->json, "the same for programs");
  command->add_option("--host-root", arguments->host_root, "the tree of another host, for tests")
      ->group("");
  command->callback([arguments] { restore(*arguments); });
}

}  // namespace platter::cli
