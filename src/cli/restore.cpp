#include "safety/restore.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/open_device.h"
#include "cli/subcommands.h"
#include "host/fast_processors.h"
#include "identity/drive_mark.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/json_head.h"
#include "model/json_text.h"
#include "model/lbn_range_json.h"
#include "model/printable.h"
#include "model/say.h"

namespace platter::cli {
namespace {

struct RestoreArguments {
  std::vector<std::string> journals{}, not_in_use{};
  std::string device{}, host_root{};
  bool overwrite = false, yes = false, inspect = false, json = false;
};

// What became of one journal, in words and for programs.
struct PutRight {
  nlohmann::ordered_json head{};
  std::string words{};
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  std::string doubt{};  // why this is no success, although it was done
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
  for (const std::string& trouble : host.troubles()) model::say("platter: {}\n", trouble);
}

std::string in_words(const host::PutBack& host) {
  return host.back.empty() ? "this host's governors need nothing"
                           : "this host's governor is " + host::in_words(host.back) + " again";
}

void require_all_well(const host::PutBack& host, const std::string& journal) {
  if (!host.failed.empty())
    throw Error(ExitStatus::permission,
                fmt::format("{}; {} is kept: run this as root", host.failed.front(), journal));
  if (host.journal_stays)
    throw Error(ExitStatus::output, fmt::format("{}, but {}", in_words(host), *host.journal_stays));
}

// Beside a drive, which is in order by then.
std::optional<host::PutBack> host_put_back_too(const std::string& root) {
  try {
    auto host = host::put_back_what_was_left(root);
    if (host) tell_host(*host);
    return host;
  } catch (const Error& error) {
    model::say("platter: {}\n", error.what());
    return std::nullopt;
  }
}

// The journal of what --quiet-host changed: it is one for all runs, and belongs to no drive.
PutRight restore_host(const RestoreArguments& arguments, const std::string& journal) {
  if (!arguments.device.empty() || arguments.overwrite || arguments.yes)
    throw Error(ExitStatus::usage,
                journal +
                    " is this host's journal and of no drive; leave out --device, "
                    "--yes and --overwrite");
  host::read_host_journal(journal);
  const auto host = host::put_back_what_was_left(arguments.host_root);
  if (!host)
    throw Error(ExitStatus::refused,
                journal +
                    " is of runs that still go on, or not in its place; the last "
                    "of them puts all back when it ends");
  require_all_well(*host, journal);
  tell_host(*host);
  return {
      model::json_head("platter-restore-host"), in_words(*host), {{"governors", host_json(*host)}}};
}

PutRight restore_drive(const RestoreArguments& arguments, const std::string& path) {
  const safety::JournalContents journal = safety::read_journal(path);
  if (safety::in_use(path))
    throw Error(ExitStatus::refused,
                path + " is the journal of a run that still goes on; wait for its end, or end it");
  const auto device = open_device(
      arguments.device.empty() ? device_named_by(journal, path) : arguments.device,
      {.not_in_use = arguments.not_in_use});
  const safety::Restored done = safety::put_right(
      *device, {path, journal}, {.overwrite = arguments.overwrite, .is_the_drive = arguments.yes});
  const std::uint64_t put_back = safety::blocks_of(done.media.put_back);
  const auto host = host_put_back_too(arguments.host_root);
  PutRight told{
      model::json_head("platter-restore"),
      fmt::format("{} journaled blocks: {} intact, {} put back; settings as they were",
                  done.media.intact + put_back, done.media.intact, put_back),
      {{"intact", done.media.intact}, {"rewritten", put_back}, {"settings", done.settings}}};
  if (!host) return told;
  told.words += "\n" + in_words(*host);
  told.json["governors"] = host_json(*host);
  return told;
}

nlohmann::ordered_json damage_json(const std::vector<safety::DamagedLines>& damaged) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const safety::DamagedLines& lines : damaged)
    list.push_back({{"first_line", lines.first},
                    {"last_line", lines.last},
                    {"lbn", lines.lbn ? nlohmann::ordered_json(*lines.lbn) : nullptr}});
  return list;
}

// What a journal holds; no drive is asked.
PutRight inspect_one(const std::string& path) {
  if (host::is_host_journal(path)) {
    const host::Journal journal = host::read_host_journal(path);
    return {model::json_head("platter-restore-inspect"),
            "this host's governors before the first run: " + host::in_words(journal.found),
            {{"drive", nullptr}, {"governors", host_json({.back = journal.found})}}};
  }
  const safety::JournalContents journal = safety::read_journal(path);
  const model::Identity& drive = journal.identity;
  const std::vector<LbnRange> runs = journal.blocks.runs();
  PutRight told{model::json_head("platter-restore-inspect")};
  told.words = fmt::format(
      "of {} {}, {}, {} blocks of {} bytes, at {}\nblocks: {}{}\nsettings: {} mode pages{}",
      drive.vendor, drive.product, identity::serial_in_words(drive), drive.blocks,
      drive.block_bytes, journal.device, journal.blocks.size(),
      runs.empty() ? "" : ", " + safety::in_words(runs), journal.settings.pages.size(),
      journal.settings.ata ? " and ATA features" : "");
  if (const std::string damage = safety::damage_in_words(journal); !damage.empty())
    told.doubt = fmt::format("{}: {}", path, damage);
  told.json = {{"drive",
                {{"vendor", drive.vendor},
                 {"product", drive.product},
                 {"serial", drive.serial},
                 {"blocks", drive.blocks},
                 {"block_bytes", drive.block_bytes},
                 {"device", journal.device}}},
               {"in_use", safety::in_use(path)},
               {"journaled_blocks", journal.blocks.size()},
               {"ranges", json_of(runs)},
               {"damaged", damage_json(journal.damaged)}};
  told.json.update(safety::json_of(journal.settings));
  return told;
}

PutRight restore_one(const RestoreArguments& arguments, const std::string& journal) {
  if (arguments.inspect) return inspect_one(journal);
  return host::is_host_journal(journal) ? restore_host(arguments, journal)
                                        : restore_drive(arguments, journal);
}

void print_json(nlohmann::ordered_json report, const nlohmann::ordered_json& told) {
  report.update(told);
  fmt::print("{}\n", model::json_text(report, model::JsonForm::indented));
}

void restore_alone(const RestoreArguments& arguments) {
  const PutRight done = restore_one(arguments, arguments.journals.front());
  if (arguments.json) {
    print_json(done.head, done.json);
  } else {
    std::string lines;
    model::append_printable_lines(lines, done.words);
    fmt::print("{}\n", lines);
  }
  if (!done.doubt.empty()) throw Error(ExitStatus::bad_input, done.doubt);
}

// Each for itself: what fails keeps its journal, and the next one is tried.
void restore_each(const RestoreArguments& arguments) {
  if (arguments.yes)
    throw Error(ExitStatus::usage,
                "--yes is of one journal, and several are given; restore that one by itself");
  if (arguments.inspect)
    throw Error(ExitStatus::usage,
                "--inspect is of one journal, and several are given; look at each by itself");
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::vector<std::string> failed;
  for (const std::string& journal : arguments.journals) {
    nlohmann::ordered_json told = {{"journal", journal}, {"status", 0}, {"error", nullptr}};
    std::string words;
    try {
      const PutRight done = restore_one(arguments, journal);
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
    print_json(model::json_head("platter-restore-list"),
               {{"not_done", failed.size()}, {"journals", std::move(all)}});
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
      "--device", arguments->device,
      "the drive's device now, if it has another one than in the run");
  command
      ->add_flag("--yes", arguments->yes,
                 "the device is the journal's drive, although no serial number says so")
      ->needs(device);
  command->add_flag(
      "--overwrite", arguments->overwrite,
      "also put back blocks that can be read and differ: loses what was written there since");
  command
      ->add_flag("--inspect", arguments->inspect,
                 "only say what the journals hold, and which of their lines are damaged")
      ->excludes("--overwrite")
      ->excludes(device);
  add_not_in_use_option(*command, arguments->not_in_use);
  command->add_flag("--json", arguments->json, "the same for programs");
  command->add_option("--host-root", arguments->host_root, "the tree of another host, for tests")
      ->group("");
  command->callback([arguments] {
    arguments->journals.size() == 1 ? restore_alone(*arguments) : restore_each(*arguments);
  });
}

}  // namespace platter::cli
