#include "registry/prune.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <set>

#include "model/error.h"
#include "model/folder.h"
#include "registry/annotations.h"
#include "registry/digest.h"
#include "registry/enter.h"
#include "registry/reference.h"
#include "registry/search_index.h"

namespace platter::registry {
namespace {

namespace fs = std::filesystem;

using DigestsByDrive = std::map<std::string, std::set<std::string>>;

std::vector<Pruned> take_away(const Store& store, const Lock& lock, const DigestsByDrive& unwanted,
                              Doing doing) {
  std::vector<Pruned> pruned;
  for (const auto& [drive, digests] : unwanted) {
    const Layout layout = store.layout(drive);
    const ImageIndex index = layout.index();
    std::vector<std::string> tags;
    std::string latest;
    for (const Descriptor& descriptor : index.manifests) {
      const std::string tag = descriptor.annotation(kTagKey);
      if (digests.contains(descriptor.digest)) {
        tags.push_back(tag);
      } else if (version_number(tag) > version_number(latest)) {
        latest = tag;
      }
    }
    for (const std::string& digest : digests) {
      pruned.push_back(
          {Published{layout, {{}, digest, 0, {}}, tag_of(index, digest)}.reference(), digest});
      tags.push_back(signatures_tag(digest));
    }
    if (doing == Doing::done) take_out(store, lock, drive, tags, latest);
  }
  return pruned;
}

// All that an image index reaches, as hexadecimal digits.
void add_reached(const Layout& layout, std::set<std::string>& reached) {
  for (const Descriptor& descriptor : layout.index().manifests) {
    if (!reached.emplace(hex_of(descriptor.digest)).second) continue;
    if (descriptor.media_type != kManifestType) {
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: names {} of type {}, which may refer to more",
                              layout.index_path(), descriptor.digest, descriptor.media_type));
    }
    const Manifest manifest = layout.manifest(descriptor);
    reached.emplace(hex_of(manifest.config.digest));
    for (const Descriptor& layer : manifest.layers) reached.emplace(hex_of(layer.digest));
  }
}

// What lies there that no image index tells of: its blobs may be needed all the same.
void require_understood(const Store& store) {
  std::set<std::string> known;  // of drives that were published
  search(store, {.only_local = true}, [&](const Entry& entry) { known.insert(entry.drive); });
  for (const std::string& drive : store.drives()) known.erase(drive);
  if (!known.empty()) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: has no index.json any more, though models were published there",
                            store.layout(*known.begin()).folder()));
  }
  for (const fs::path& path : model::paths_in(store.drives_folder())) {
    if (is_drive_name(path.filename().string())) continue;
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: is no drive's layout (names have small letters), and may share the "
                    "blobs; move it away, or take its models in by platter registry import",
                    path.string()));
  }
}

std::set<std::string> reached_blobs(const Store& store) {
  std::set<std::string> reached;
  for (const std::string& drive : store.drives()) add_reached(store.layout(drive), reached);
  return reached;
}

// What `work` throws, and that it is the reason why nothing was deleted.
template <typename Work>
auto or_delete_nothing(Work work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(
        error.status(),
        fmt::format("{}; nothing was deleted, since nobody knows what it refers to: mend it "
                    "first (platter registry verify)",
                    error.what()));
  }
}

}  // namespace

std::vector<Pruned> prune(const Store& store, const std::vector<std::string>& references,
                          Doing doing) {
  store.require();
  const Lock lock(store);
  DigestsByDrive unwanted;
  for (const std::string& reference : references) {
    const Published published = find(store, reference, Naming::whole);
    unwanted[published.layout.drive()].insert(published.descriptor.digest);
  }
  return take_away(store, lock, unwanted, doing);
}

std::vector<Pruned> prune_older(const Store& store, const std::vector<std::string>& drives,
                                std::size_t keep, Doing doing) {
  store.require();
  const Lock lock(store);
  DigestsByDrive unwanted;
  for (const std::string& drive : drives.empty() ? store.drives() : drives) {
    if (!drives.empty()) static_cast<void>(find(store, drive, Naming::whole));  // it is there
    std::map<std::uint64_t, std::string> versions;
    for (const Descriptor& descriptor : store.layout(drive).index().manifests) {
      const std::uint64_t version = version_number(descriptor.annotation(kTagKey));
      if (version > 0) versions[version] = descriptor.digest;
    }
    for (std::size_t left = versions.size(); left > keep; --left) {
      unwanted[drive].insert(versions.begin()->second);
      versions.erase(versions.begin());
    }
  }
  return take_away(store, lock, unwanted, doing);
}

std::vector<Garbage> collect_garbage(const Store& store, Doing doing) {
  store.require();
  or_delete_nothing([&] { require_understood(store); });  // a search may want the lock
  const Lock lock(store);
  const std::set<std::string> reached = or_delete_nothing([&] { return reached_blobs(store); });
  std::vector<Garbage> garbage;
  std::error_code none;
  for (const fs::path& path : model::paths_in(store.blobs_folder())) {
    if (reached.contains(path.filename().string()) || !fs::is_regular_file(path, none)) continue;
    garbage.push_back({path.string(), fs::file_size(path, none)});
  }
  if (doing == Doing::only_told) return garbage;
  for (const Garbage& file : garbage) {
    std::error_code failed;
    fs::remove(file.path, failed);
    if (failed) {
      throw Error(ExitStatus::output,
                  fmt::format("{}: cannot be deleted: {}", file.path, failed.message()));
    }
  }
  return garbage;
}

}  // namespace platter::registry
