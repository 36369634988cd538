#include "registry/enter.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/error.h"
#include "model/folder.h"
#include "registry/reference.h"
#include "registry/search_index.h"

namespace platter::registry {
namespace {

struct Index {
  std::string text;
  ImageIndex parsed;
};

Index index_of(const Layout& layout) {
  if (!model::is_there(layout.index_path())) return {};
  const std::string text = layout.index_text();
  return {text, parse_index(text, layout.index_path())};
}

std::uint64_t highest_left(const ImageIndex& index) {
  std::uint64_t highest = 0;
  for (const Descriptor& descriptor : index.manifests)
    highest = std::max(highest, version_number(descriptor.annotation(kTagKey)));
  return highest;
}

// The version that was this manifest before it was taken away; empty: none was.
std::string pruned_version(const ImageIndex& index, const std::string& digest) {
  const std::string prefix = pruned_record_key("");
  for (const auto& [key, pruned] : index.annotations)
    if (key.starts_with(prefix) && pruned == digest) return key.substr(prefix.size());
  return "";
}

// What the tag names, or named before it was taken away; empty for a tag that was never given.
std::string digest_under(const ImageIndex& index, const std::string& tag) {
  const auto record = index.annotations.find(tag_record_key(tag));
  if (record != index.annotations.end()) return record->second;
  for (const Descriptor& descriptor : index.manifests)
    if (descriptor.annotation(kTagKey) == tag) return descriptor.digest;
  return "";
}

// The mark, then the layout, then the index: whoever is stopped in between has lost nothing, and
// the next search sees that there is something to read.
void change(const Store& store, const Lock& lock, const std::string& drive,
            const std::string& index) {
  begin_change(store, lock, drive);
  store.replace_index(drive, index);
  enter_row(store, lock, drive);
}

// What was damaged when it was last read may just have been written anew.
void enter_if_missing(const Store& store, const Lock& lock, const std::string& drive,
                      const std::string& digest) {
  if (!is_entered(store, drive, digest)) enter_row(store, lock, drive);
}

}  // namespace

std::uint64_t highest_version(const ImageIndex& index) {
  std::uint64_t highest = highest_left(index);
  const std::string prefix = tag_record_key("");
  for (const auto& [key, digest] : index.annotations) {
    if (key.starts_with(prefix))
      highest = std::max(highest, version_number(key.substr(prefix.size())));
  }
  return highest;
}

Entered enter_version(const Store& store, const Lock& lock, const std::string& drive,
                      const Descriptor& manifest) {
  const Index index = index_of(store.layout(drive));
  if (const std::string tag = tag_of(index.parsed, manifest.digest); !tag.empty()) {
    enter_if_missing(store, lock, drive, manifest.digest);
    return {tag, false};
  }
  std::string tag = pruned_version(index.parsed, manifest.digest);
  if (!tag.empty()) return enter_as(store, lock, drive, manifest, tag);
  tag = fmt::format("v{}", highest_version(index.parsed) + 1);
  if (version_number(tag) == 0)
    throw Error(ExitStatus::refused,
                fmt::format("{}: has the version v{}, beyond which there is no number; move this "
                            "drive's folder away, and import the models in it that are wanted",
                            store.layout(drive).index_path(), highest_version(index.parsed)));
  change(store, lock, drive, index_with(index.text, manifest, {.tag = tag}));
  return {tag, true};
}

Entered enter_as(const Store& store, const Lock& lock, const std::string& drive,
                 const Descriptor& manifest, const std::string& tag) {
  const Layout layout = store.layout(drive);
  const Index index = index_of(layout);
  const std::string there = digest_under(index.parsed, tag);
  if (!there.empty() && there != manifest.digest) {
    throw Error(ExitStatus::refused,
                fmt::format("{}: the tag {} names {}, and versions never move: {} cannot have it",
                            layout.index_path(), tag, there, manifest.digest));
  }
  if (tag_of(index.parsed, manifest.digest) == tag) {
    enter_if_missing(store, lock, drive, manifest.digest);
    return {tag, false};
  }
  const bool newest = version_number(tag) >= highest_left(index.parsed);
  change(store, lock, drive, index_with(index.text, manifest, {.tag = tag, .latest = newest}));
  return {tag, true};
}

bool is_free(const ImageIndex& index, const std::string& tag, const std::string& digest) {
  const std::string there = digest_under(index, tag);
  return there.empty() || there == digest;
}

void enter_signatures(const Store& store, const Lock& lock, const std::string& drive,
                      const Descriptor& signatures, const std::string& tag) {
  const Index index = index_of(store.layout(drive));
  change(store, lock, drive,
         index_with(index.text, signatures, {.tag = tag, .latest = false, .moves = true}));
}

void take_out(const Store& store, const Lock& lock, const std::string& drive,
              const std::vector<std::string>& tags, const std::string& latest) {
  change(store, lock, drive, index_without(store.layout(drive).index_text(), tags, latest));
}

}  // namespace platter::registry
