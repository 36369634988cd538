#include "jobs/restore.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "host/fast_processors.h"
#include "identity/drive_mark.h"
#include "jobs/open_device.h"
#include "model/error.h"
#include "model/lbn_range_json.h"
#include "model/say.h"
#include "safety/restore.h"

namespace platter::jobs {
namespace {

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

nlohmann::ordered_json host_json(const std::vector<host::Governor>& governors) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const host::Governor& governor : governors) json[governor.policy] = governor.name;
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
PutRight restore_host(const Restoration& arguments, const std::string& journal) {
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
  return {"platter-restore-host", in_words(*host), {{"governors", host_json(host->back)}}};
}

PutRight restore_drive(const Restoration& arguments, const std::string& path) {
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
      "platter-restore",
      fmt::format("{} journaled blocks: {} intact, {} put back; settings as they were",
                  done.media.intact + put_back, done.media.intact, put_back),
      {{"intact", done.media.intact}, {"rewritten", put_back}, {"settings", done.settings}}};
  if (!host) return told;
  told.words = fmt::format("{}\n{}", told.words, in_words(*host));
  told.json["governors"] = host_json(host->back);
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
    return {"platter-restore-inspect",
            "this host's governors before the first run: " + host::in_words(journal.found),
            {{"drive", nullptr}, {"governors", host_json(journal.found)}}};
  }
  const safety::JournalContents journal = safety::read_journal(path);
  const model::Identity& drive = journal.identity;
  const std::vector<LbnRange> runs = journal.blocks.runs();
  PutRight told{"platter-restore-inspect"};
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

}  // namespace

PutRight restore_one(const Restoration& arguments, const std::string& journal) {
  if (arguments.inspect) return inspect_one(journal);
  return host::is_host_journal(journal) ? restore_host(arguments, journal)
                                        : restore_drive(arguments, journal);
}

}  // namespace platter::jobs
