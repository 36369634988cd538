#include "registry/remote/remote_index.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

#include "model/error.h"
#include "model/file.h"
#include "model/interruption.h"
#include "model/leftovers.h"
#include "registry/digest.h"
#include "registry/entry_table.h"
#include "registry/remote/index_lines.h"
#include "registry/remote/skopeo.h"
#include "registry/remote/walk.h"
#include "registry/remote/working_layout.h"
#include "registry/trust/signatures.h"

namespace platter::registry_remote {
namespace {

namespace fs = std::filesystem;
using registry::Descriptor;
using registry::Entry;
using registry::Layout;
using registry::Store;

constexpr const char* kIndexConfigType = "application/vnd.platter.index.config.v1+json";
constexpr const char* kPartType = "application/vnd.platter.index.entries.v1+zstd";
constexpr const char* kNumberKey = "vnd.platter.index.number";
constexpr const char* kEntriesKey = "vnd.platter.index.entries";
constexpr const char* kDateKey = "org.opencontainers.image.created";
constexpr std::uint64_t kLargestLayer = std::uint64_t{64} << 20;

struct Index {
  Descriptor descriptor;
  registry::Manifest manifest;
  std::uint64_t number = 0, entries = 0;
};

std::uint64_t number_said(const registry::Manifest& manifest, const char* key,
                          const std::string& origin) {
  const auto found = manifest.annotations.find(key);
  std::uint64_t number = 0;
  if (found != manifest.annotations.end()) {
    const char* const end = found->second.data() + found->second.size();
    const auto read = std::from_chars(found->second.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end && number <= kLargestNumber) return number;
  }
  throw Error(ExitStatus::bad_input, fmt::format("{}: says no {}", origin, key));
}

Index read_index(const Layout& layout, const std::string& origin) {
  Index index{manifest_tagged(layout, kIndexTag), {}};
  index.manifest = layout.manifest(index.descriptor);
  const auto& layers = index.manifest.layers;
  bool whole = index.manifest.artifact_type == kIndexArtifactType && layers.size() == kParts;
  for (std::size_t i = 0; whole && i < kParts; ++i)
    whole = layers[i].annotation(registry::kDriveKey) == std::string(1, kHexDigits[i]) &&
            layers[i].size <= kLargestLayer;
  if (!whole)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is no index of a remote in 16 parts", origin));
  index.number = number_said(index.manifest, kNumberKey, origin);
  index.entries = number_said(index.manifest, kEntriesKey, origin);
  return index;
}

// What is kept of a remote's index: a layout of its own.
Store kept_store(const Store& store, const Remote& remote) {
  return Store(remote_folder(store, remote.name) + "/index");
}

std::optional<Index> kept_index(const Store& kept, const std::string& origin) {
  if (!fs::exists(kept.layout(kIndexTag).index_path())) return std::nullopt;
  return read_index(kept.layout(kIndexTag), origin);
}

std::string said(const Remote& remote) { return remote.name + "/" + kIndexTag; }

// What is here and whole already need not be fetched.
void offer_kept_blobs(const Store& kept, const std::optional<Index>& index,
                      const WorkingLayout& work) {
  if (!index) return;
  std::vector<Descriptor> blobs = index->manifest.layers;
  blobs.push_back(index->manifest.config);
  for (const Descriptor& one : blobs) {
    const std::string from = kept.layout(kIndexTag).blob_path(one.digest);
    std::error_code ignored;
    if (fs::exists(from) && registry::digest_of_file(from) == one.digest)
      fs::copy_file(from, work.layout().blob_path(one.digest), fs::copy_options::skip_existing,
                    ignored);
  }
}

void require_signed(const Remote& remote, const Index& index, const Skopeo& skopeo,
                    const WorkingLayout& work) {
  const std::string& digest = index.descriptor.digest;
  const std::string tag = registry::signatures_tag(digest);
  std::vector<registry::Signature> signatures;
  if (skopeo.fetch(tag, work.folder(), tag))
    signatures = registry_trust::signatures_in(work.layout(), digest);
  std::erase_if(signatures, [&](const registry::Signature& one) {
    return registry_trust::place_in(one) != remote.place;  // the same curator's, of another remote
  });
  const auto by = registry_trust::signed_by(digest, signatures, remote.key());
  if (by.known()) return;
  throw Error(ExitStatus::refused, fmt::format("{}: is not signed by the key of {} but {}; ask its "
                                               "curator, or add the remote again with "
                                               "the key that is right",
                                               said(remote), remote.name, by.sentence()));
}

void require_newer(const Remote& remote, const Index& fetched, const std::optional<Index>& kept) {
  if (!kept) return;
  if (fetched.number < kept->number)
    throw Error(
        ExitStatus::refused,
        fmt::format(
            "{}: has the number {}, and {} was seen before: an old index is passed off as the "
            "newest; ask its curator",
            said(remote), fetched.number, kept->number));
  if (fetched.number == kept->number && fetched.descriptor.digest != kept->descriptor.digest)
    throw Error(ExitStatus::refused,
                fmt::format("{}: has the number {} that another index had before; ask its curator",
                            said(remote), fetched.number));
}

// The index under the remote's tag, verified, with all its blobs in `work`; nothing where there is
// none.
std::optional<Index> fetch_index(const Skopeo& skopeo, const Remote& remote, const Store& kept,
                                 const std::optional<Index>& known, const WorkingLayout& work) {
  offer_kept_blobs(kept, known, work);
  if (!skopeo.fetch(kIndexTag, work.folder(), kIndexTag)) {
    if (known && known->number > 0)
      throw Error(ExitStatus::refused,
                  fmt::format("{}: is gone, and had the number {} before; ask its curator",
                              said(remote), known->number));
    return std::nullopt;
  }
  Index index = read_index(work.layout(), said(remote));
  if (!remote.key_pem.empty()) require_signed(remote, index, skopeo, work);
  require_newer(remote, index, known);
  return index;
}

// That of whatever index was fetched, also of one that is refused; 0: there is none.
std::uint64_t number_under_tag(const WorkingLayout& work) {
  try {
    return read_index(work.layout(), kIndexTag).number;
  } catch (const Error&) {
    return 0;
  }
}

model::ReadBudget budget_of(const Index& index, const Remote& remote) {
  std::uint64_t bytes = 0;
  for (const Descriptor& layer : index.manifest.layers) bytes += layer.size;
  return index_budget(said(remote), bytes);
}

std::vector<Entry> part_of(const Layout& layout, const Index& index, std::size_t digit,
                           const Remote& remote, model::ReadBudget& budget) {
  return entries_in(layout.blob(index.manifest.layers[digit]), digit, remote.name,
                    fmt::format("{} (part {})", said(remote), kHexDigits[digit]), budget);
}

std::vector<Entry> all_entries(const Layout& layout, const Index& index, const Remote& remote) {
  std::vector<Entry> all;
  model::ReadBudget budget = budget_of(index, remote);
  for (std::size_t digit = 0; digit < kParts; ++digit)
    for (Entry& entry : part_of(layout, index, digit, remote, budget))
      all.push_back(std::move(entry));
  return all;
}

// An index of these entries into a layout, under the tag "index".
Index put_index(const WorkingLayout& work, const std::vector<Entry>& entries, std::uint64_t number,
                const std::string& date) {
  Index index{{}, {}, number, entries.size()};
  index.manifest.artifact_type = kIndexArtifactType;
  index.manifest.config = work.store().put_blob(kIndexTag, kIndexConfigType, registry::kConfig);
  const auto parts = index_parts(entries);
  for (std::size_t digit = 0; digit < kParts; ++digit) {
    Descriptor layer = work.store().put_blob(kIndexTag, kPartType, parts[digit]);
    layer.annotations[registry::kDriveKey] = std::string(1, kHexDigits[digit]);
    index.manifest.layers.push_back(layer);
  }
  index.manifest.annotations = {{kNumberKey, std::to_string(number)},
                                {kEntriesKey, std::to_string(entries.size())},
                                {kDateKey, date}};
  index.descriptor = work.store().put_blob(kIndexTag, registry::kManifestType,
                                           registry::manifest_text(index.manifest));
  work.store().replace_index(
      kIndexTag, registry::index_with("", index.descriptor,
                                      {.tag = kIndexTag, .latest = false, .moves = true}));
  return index;
}

using Parts = std::set<std::size_t>;

Parts changed_parts(const Index& index, const std::optional<Index>& before) {
  Parts changed;
  for (std::size_t digit = 0; digit < kParts; ++digit)
    if (!before || before->manifest.layers[digit].digest != index.manifest.layers[digit].digest)
      changed.insert(digit);
  return changed;
}

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
      parts[digit] = part_of(layout, index, digit, remote, budget);
  };
  read_parts(changed);
  if (changed.size() < kParts && fs::exists(path)) {
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
                                                   said(remote), index.entries, entries));
  fill_anew(path, parts);
}

bool is_whole(const std::string& path, std::uint64_t entries) {
  if (!fs::exists(path)) return false;
  try {
    return registry::EntryTable::open_for_writing(path).size() == entries;
  } catch (const registry::UnusableTable&) {
    return false;
  }
}

// From now on this is what was seen; blobs that it does not need go.
void keep(const Store& kept, const Index& index, const WorkingLayout& work) {
  const model::SignalsHeld held;
  kept.create_layout(kIndexTag);
  registry::keep_manifest(kept, kIndexTag, work.layout(), index.descriptor);
  kept.replace_index(kIndexTag,
                     registry::index_with("", index.descriptor,
                                          {.tag = kIndexTag, .latest = false, .moves = true}));
  std::set<std::string> needed{std::string(registry::hex_of(index.descriptor.digest)),
                               std::string(registry::hex_of(index.manifest.config.digest))};
  for (const Descriptor& layer : index.manifest.layers)
    needed.insert(std::string(registry::hex_of(layer.digest)));
  std::error_code ignored;
  for (const auto& blob : fs::directory_iterator(kept.blobs_folder(), ignored))
    if (!needed.contains(blob.path().filename().string())) fs::remove(blob.path(), ignored);
}

}  // namespace

std::string remote_table_path(const Store& store, const std::string& name) {
  return remote_folder(store, name) + "/search.sqlite";
}

Refreshed refresh(const Store& store, const Remote& remote, const Announce& announce) {
  const Skopeo skopeo(remote);
  const Store kept = kept_store(store, remote);
  const registry::Lock lock(kept);
  const auto before = kept_index(kept, said(remote));
  const WorkingLayout work(kIndexTag);
  Refreshed done;
  auto index = fetch_index(skopeo, remote, kept, before, work);
  done.verified = index && !remote.key_pem.empty();
  if (!index) {
    Walk walked = walk(
        skopeo, remote,
        before ? all_entries(kept.layout(kIndexTag), *before, remote) : std::vector<Entry>{},
        announce);
    done.problems = std::move(walked.problems);
    index = put_index(work, walked.entries, 0, "");
  }
  const Parts changed = changed_parts(*index, before);
  const std::string table = remote_table_path(store, remote.name);
  if (!changed.empty() || !is_whole(table, index->entries))
    fill_table(table, work.layout(), *index, remote, changed);
  keep(kept, *index, work);
  done.number = index->number;
  done.date = index->manifest.annotations[kDateKey];
  done.entries = index->entries;
  done.changed_parts = changed.size();
  for (const std::size_t digit : changed) done.fetched_bytes += index->manifest.layers[digit].size;
  return done;
}

Indexed write_index(const Store& store, const Remote& remote, const registry_trust::PrivateKey& key,
                    const std::string& date, std::uint64_t least, const Announce& announce) {
  for (const auto& own : remote.key()) {
    if (!(own.key == key.public_key()))
      throw Error(ExitStatus::refused,
                  fmt::format("{}: the key is not that of the remote, and nobody who has the "
                              "remote's would take the "
                              "index; add the remote again with the public key that belongs to it",
                              said(remote)));
  }
  const Skopeo skopeo(remote);
  const Store kept = kept_store(store, remote);
  const registry::Lock lock(kept);
  const auto before = kept_index(kept, said(remote));
  const WorkingLayout last(kIndexTag), next(kIndexTag);
  std::optional<Index> there;
  try {
    there = fetch_index(skopeo, remote, kept, before, last);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::refused && error.status() != ExitStatus::bad_input) throw;
    announce(fmt::format("{}; a new index takes its place", error.what()));
  }
  Walk walked = walk(skopeo, remote,
                     there ? all_entries(last.layout(), *there, remote) : std::vector<Entry>{},
                     announce);
  const Index index = put_index(
      next, walked.entries,
      1 + std::max({number_under_tag(last), before ? before->number : 0, least}), date);
  if (there && least == 0 && changed_parts(index, there).empty())
    return {there->number, there->descriptor.digest,  walked.entries.size(), walked.added,
            walked.gone,   std::move(walked.problems)};
  const std::string& digest = index.descriptor.digest;
  registry_trust::add_signatures(next.store(), registry::Lock(next.store()), kIndexTag, digest,
                                 {registry_trust::signature_of(digest, remote.place, key)});
  const std::string signatures = registry::signatures_tag(digest);
  skopeo.send(next.folder(), signatures, signatures);  // first: an index without it is refused
  skopeo.send(next.folder(), kIndexTag, kIndexTag);
  return {index.number, digest,      walked.entries.size(),
          walked.added, walked.gone, std::move(walked.problems)};
}

std::string indexed_digest(const Store& store, const Remote& remote, const EntryTag& tag) {
  const Store kept = kept_store(store, remote);
  const auto index = kept_index(kept, said(remote));
  if (!index) return "";
  model::ReadBudget budget = budget_of(*index, remote);
  for (std::size_t digit = 0; digit < kParts; ++digit)
    for (const Entry& entry : part_of(kept.layout(kIndexTag), *index, digit, remote, budget))
      if (entry.drive == tag.drive && entry.tag == tag.version) return entry.digest;
  return "";
}

}  // namespace platter::registry_remote
