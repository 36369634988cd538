#include "registry/remote/remote_index.h"

#include <fmt/core.h>

#include <filesystem>

#include "model/error.h"
#include "model/folder.h"
#include "model/interruption.h"
#include "registry/entry_table.h"
#include "registry/remote/fetch_index.h"
#include "registry/remote/walk.h"

namespace platter::registry_remote {
namespace {

namespace fs = std::filesystem;
using registry::Entry;
using registry::Layout;
using registry::Store;

void insert_part(registry::EntryTable& table, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) table.insert(entry);
  stop_if_asked();
}

// Nothing of the table that lies there is touched before all parts were read.
void fill_anew(const std::string& path, const std::vector<std::vector<Entry>>& parts) {
  const std::string beside = path + ".new";
  {
    auto table = registry::EntryTable::create(beside);
    table.begin();
    for (const auto& part : parts) insert_part(table, part);
    table.commit();
    table.optimize();
  }
  std::error_code failed;
  fs::rename(beside, path, failed);
  if (failed)
    throw Error(ExitStatus::output, fmt::format("{}: cannot be made: {}", path, failed.message()));
}

void fill_table(const std::string& path, const Layout& layout, const Index& index,
                const Remote& remote, const Parts& changed) {
  std::vector<std::vector<Entry>> parts(kParts);
  model::ReadBudget budget = budget_of(index, remote);
  const auto read_parts = [&](const auto& digits) {
    for (const std::size_t digit : digits)
      parts[digit] = entries_of_part(layout, index, digit, remote, budget);
  };
  read_parts(changed);
  if (changed.size() < kParts && model::is_there(path)) {
    try {
      auto table = registry::EntryTable::open_for_writing(path);
      table.begin();
      for (const std::size_t digit : changed) {
        table.remove_where_identity_begins(kHexDigits[digit]);
        insert_part(table, parts[digit]);
      }
      if (table.size() == index.entries) return table.commit();
    } catch (const registry::UnusableTable&) {
    }
  }
  Parts rest;
  for (std::size_t digit = 0; digit < kParts; ++digit)
    if (!changed.contains(digit)) rest.insert(digit);
  read_parts(rest);
  std::size_t entries = 0;
  for (const auto& part : parts) entries += part.size();
  if (entries != index.entries)
    throw Error(ExitStatus::bad_input, fmt::format("{}: says that it has {} entries and has {}",
                                                   index_name(remote), index.entries, entries));
  fill_anew(path, parts);
}

bool is_whole(const std::string& path, std::uint64_t entries) {
  if (!model::is_there(path)) return false;
  try {
    return registry::EntryTable::open_for_writing(path).size() == entries;
  } catch (const registry::UnusableTable&) {
    return false;
  }
}

// With a key of the remote nothing is taken but what it signed, at the first contact either.
void require_there(const Remote& remote, const Seen& seen) {
  if (remote.key_pem.empty()) return;
  if (seen.number > 0)
    throw Error(ExitStatus::refused,
                fmt::format("{}: is gone, and had the number {} before; ask its curator",
                            index_name(remote), seen.number));
  throw Error(ExitStatus::refused,
              fmt::format("{}: is not there, and of a remote with a key nothing counts that it "
                          "did not sign; ask its curator to write it (platter registry index {}), "
                          "or add the remote again without a key",
                          index_name(remote), remote.name));
}

// What nobody signed binds nobody; but it is told where it contradicts itself.
std::string contradiction(const Remote& remote, std::uint64_t seen,
                          const std::optional<Index>& index) {
  if (!remote.key_pem.empty() || seen == 0 || (index && index->number >= seen)) return "";
  return fmt::format(
      "{}: {}, and had {} before; nobody signed either: ask its curator for a key, and add the "
      "remote again with it",
      index_name(remote),
      index ? fmt::format("has the number {}", index->number) : std::string("is gone"), seen);
}

// The tags themselves, of a remote without a key and without an index.
Index walked_index(const Skopeo& skopeo, const Remote& remote, const Store& kept,
                   const std::optional<Index>& before, const WorkingLayout& work,
                   const Announce& announce, std::vector<std::string>& problems) {
  Walk walked = walk(
      skopeo, remote,
      before ? entries_of_all(kept.layout(kIndexTag), *before, remote) : std::vector<Entry>{},
      announce);
  problems.insert(problems.end(), walked.problems.begin(), walked.problems.end());
  Index index = put_parts(work, walked.entries);
  finish_index(work, index, 0, "");
  return index;
}

}  // namespace

std::string remote_table_path(const Store& store, const std::string& name) {
  return remote_folder(store, name) + "/search.sqlite";
}

Refreshed refresh(const Store& store, const Remote& remote, const Announce& announce) {
  const Skopeo skopeo(remote);
  const Store kept = kept_store(store, remote);
  const registry::Lock lock(kept);
  const auto before = kept_index(kept, remote);
  const Seen seen = before ? Seen{before->number, before->descriptor.digest} : Seen{};
  const WorkingLayout work(kIndexTag);
  Refreshed done;
  offer_kept_blobs(kept, before, work);
  auto index = fetch_index(skopeo, remote, seen, work);
  done.verified = index && !remote.key_pem.empty();
  for (const std::string& told :
       {contradiction(remote, seen.number, index),
        index ? unusual_step(remote, seen.number, index->number) : std::string()})
    if (!told.empty()) done.problems.push_back(told);
  if (!index) {
    require_there(remote, seen);
    index = walked_index(skopeo, remote, kept, before, work, announce, done.problems);
  }
  const Parts changed = changed_parts(*index, before);
  const std::string table = remote_table_path(store, remote.name);
  if (!changed.empty() || !is_whole(table, index->entries))
    fill_table(table, work.layout(), *index, remote, changed);
  keep_index(kept, *index, work);
  done.number = index->number;
  done.date = index->date;
  done.entries = index->entries;
  done.changed_parts = changed.size();
  for (const std::size_t digit : changed) done.fetched_bytes += index->manifest.layers[digit].size;
  return done;
}

std::string indexed_digest(const Store& store, const Remote& remote, const EntryTag& tag) {
  const Store kept = kept_store(store, remote);
  const auto index = kept_index(kept, remote);
  if (!index) return "";
  model::ReadBudget budget = budget_of(*index, remote);
  for (std::size_t digit = 0; digit < kParts; ++digit)
    for (const Entry& entry :
         entries_of_part(kept.layout(kIndexTag), *index, digit, remote, budget))
      if (entry.drive == tag.drive && entry.tag == tag.version) return entry.digest;
  return "";
}

}  // namespace platter::registry_remote
