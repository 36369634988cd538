#include "registry/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/json.h"
#include "registry/annotations.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"
#include "registry/entry_table.h"
#include "registry/pending.h"
#include "registry/reference.h"
#include "registry/search_index.h"

namespace platter::registry {
namespace {

namespace fs = std::filesystem;

class Verifier {
 public:
  explicit Verifier(const Store& store) : store_(store) {}

  void everything() {
    for (const fs::path& folder : model::paths_in(store_.drives_folder())) check_folder(folder);
    check_shared_blobs();
    compare_with_index();
  }

  void manifest(const Layout& layout, const Descriptor& descriptor) {
    if (!seen_.insert(layout.drive() + descriptor.digest).second) return;
    if (descriptor.media_type != kManifestType) {  // an index of platforms: nothing that platter
                                                   // makes
      check_blob(layout, descriptor);
      return;
    }
    note_use(descriptor.digest);
    const bool whole = guarded([&] {
      const Manifest manifest = layout.manifest(descriptor);
      ++result.blobs;
      if (manifest.is_model()) entries_.emplace(layout.drive(), descriptor.digest);
      check_blob(layout, manifest.config);
      for (const Descriptor& layer : manifest.layers) {
        std::string content;  // of one that was not read before, and is a model
        const bool is_model = manifest.is_model() && layer.media_type == kModelType;
        if (check_blob(layout, layer, is_model ? &content : nullptr) && is_model)
          check_model(layout, layer, manifest, content);
      }
    });
    if (!whole) damaged_.insert(layout.drive());
  }

  Verification result;

 private:
  // What goes wrong becomes a finding; the rest is still looked at.
  template <typename Work>
  bool guarded(Work work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      result.findings.push_back(error.what());
      return false;
    }
  }

  void check_folder(const fs::path& folder) {
    const std::string name = folder.filename().string();
    if (!model::is_folder(folder) || !is_drive_name(name)) {
      result.notices.push_back(fmt::format("{}: is no drive's layout", folder.string()));
      return;
    }
    const Layout layout = store_.layout(name);
    if (!model::is_there(layout.index_path())) {
      result.notices.push_back(
          fmt::format("{}: has no index.json: nothing was published here yet", layout.folder()));
      return;
    }
    ++result.drives;
    const std::string marker = layout.folder() + "/oci-layout";
    guarded([&] { check_layout_marker(model::read_file(marker), marker); });
    const bool whole = guarded([&] {
      const ImageIndex index = layout.index();
      check_tags(layout, index);
      for (const Descriptor& descriptor : index.manifests) manifest(layout, descriptor);
    });
    if (!whole) damaged_.insert(layout.drive());
  }

  // Versions never move: each tag still names the manifest that was recorded for it.
  void check_tags(const Layout& layout, const ImageIndex& index) {
    std::set<std::string> tags;
    std::set<std::pair<std::string, std::string>> tagged;
    for (const Descriptor& descriptor : index.manifests) {
      const std::string tag = descriptor.annotation(kTagKey);
      tagged.emplace(tag, descriptor.digest);
      if (!tag.empty() && !tags.insert(tag).second) {
        result.findings.push_back(
            fmt::format("{}: has the tag {} twice", layout.index_path(), tag));
      }
    }
    const std::string prefix = tag_record_key("");
    for (const auto& [key, digest] : index.annotations) {
      if (!key.starts_with(prefix)) continue;
      const std::string tag = key.substr(prefix.size());
      const bool pruned = index.annotations.contains(pruned_record_key(tag));
      if (!pruned && !tagged.contains({tag, digest})) {
        result.findings.push_back(
            fmt::format("{}: the tag {} no longer names {}, which was published "
                        "under it",
                        layout.index_path(), tag, digest));
      }
    }
  }

  bool check_blob(const Layout& layout, const Descriptor& descriptor,
                  std::string* content = nullptr) {
    note_use(descriptor.digest);
    ++result.blobs;
    // A manifest may name one blob many times; it is read once.
    const auto [known, first] = whole_.try_emplace(
        {layout.drive(), descriptor.digest, descriptor.size}, false);
    if (!first) return known->second;
    known->second = guarded([&] {
      std::string text = layout.blob(descriptor);
      if (content != nullptr) *content = std::move(text);
    });
    return known->second;
  }

  void check_model(const Layout& layout, const Descriptor& layer, const Manifest& manifest,
                   const std::string& content) {
    const std::string path = layout.blob_path(layer.digest);
    guarded([&] {
      const std::string text = content.empty() ? layout.blob(layer) : content;
      const model::DriveModel model = model::from_json_text(text, path);
      model::say_passed_over(model.passed_over);
      ++result.models;
      if (canonical_json(text, path) != text) {
        throw Error(ExitStatus::bad_input,
                    fmt::format("{}: is a model, but not in canonical form (RFC 8785)", path));
      }
      const Annotations said = annotations_of(model, model::tool_version_in(text));
      for (const auto& [key, value] : said) {  // another version of platter may say more, or less
        const auto found = manifest.annotations.find(key);
        if (found != manifest.annotations.end() && found->second != value) {
          throw Error(ExitStatus::bad_input,
                      fmt::format("{}: the annotation {} is \"{}\", its model says \"{}\"",
                                  layout.drive(), key, found->second, value));
        }
      }
    });
  }

  void note_use(const std::string& digest) { used_.emplace(hex_of(digest)); }

  void check_shared_blobs() {
    for (const fs::path& blob : model::paths_in(store_.blobs_folder())) {
      const std::string path = blob.string(), name = blob.filename().string();
      if (!is_digest("sha256:" + name)) {
        result.notices.push_back(
            fmt::format("{}: is no blob but what a stopped writer left; it may be deleted", path));
      } else if (!used_.contains(name)) {
        check_dangling(path, name);
      }
    }
  }

  void check_dangling(const std::string& path, const std::string& name) {
    guarded([&] {
      if (digest_of_file(path) != "sha256:" + name) {
        throw Error(ExitStatus::bad_input,
                    fmt::format("{}: is corrupt: its content has another digest", path));
      }
      result.notices.push_back(fmt::format("{}: is whole, but nothing refers to it", path));
    });
  }

  // Only the search's index still tells of them.
  void find_lost_layouts(const std::set<std::pair<std::string, std::string>>& known) {
    for (const auto& [drive, digest] : known) {
      const Layout layout = store_.layout(drive);
      if (!model::is_there(layout.folder()) || model::is_there(layout.index_path())) continue;
      if (damaged_.insert(drive).second)
        result.findings.push_back(
            fmt::format("{}: is gone, though models were published here; put it back from a copy, "
                        "or delete the folder and publish them again",
                        layout.index_path()));
    }
  }

  // What others wrote into the folder, or took out of it.
  void compare_with_index() {
    const std::string path = search_index_path(store_);
    try {
      for (const std::string& drive : pending_drives(store_)) damaged_.insert(drive);
      std::set<std::pair<std::string, std::string>> known;
      EntryTable table = EntryTable::open(path);
      for (EntryTable::Hit& hit : table.find({}, std::numeric_limits<std::size_t>::max()))
        known.emplace(std::move(hit.drive), std::move(hit.digest));
      find_lost_layouts(known);
      const auto count_missing = [&](const auto& in, const auto& from) {
        return std::count_if(from.begin(), from.end(), [&](const auto& entry) {
          return !in.contains(entry) && !damaged_.contains(entry.first);
        });
      };
      const auto lacks = count_missing(known, entries_), gone = count_missing(entries_, known);
      if (lacks == 0 && gone == 0) return;
      result.notices.push_back(
          fmt::format("{}: lacks {} models and knows {} that are gone: others changed the folder; "
                      "platter registry rebuild-index makes it anew",
                      path, lacks, gone));
    } catch (const UnusableTable&) {  // the next search makes it anew
    }
  }

  const Store& store_;
  std::set<std::pair<std::string, std::string>> entries_;  // drive and digest of whole models
  std::set<std::string> damaged_;                          // drives of which not all could be read
  std::set<std::string> used_;  // hexadecimal digits of the blobs that something refers to
  std::set<std::string> seen_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, bool> whole_;  // drive, digest,
                                                                               // size
};

}  // namespace

Verification verify(const Store& store) {
  store.require();
  Verifier verifier(store);
  verifier.everything();
  std::sort(verifier.result.findings.begin(), verifier.result.findings.end());
  std::sort(verifier.result.notices.begin(), verifier.result.notices.end());
  return std::move(verifier.result);
}

Verification verify(const Store& store, const std::string& reference) {
  const Published published = find(store, reference);
  Verifier verifier(store);
  verifier.result.drives = 1;
  verifier.manifest(published.layout, published.descriptor);
  return std::move(verifier.result);
}

}  // namespace platter::registry
