#include "registry/remote/index_artifact.h"

#include <fmt/core.h>

#include "model/error.h"
#include "model/number_in.h"

namespace platter::registry_remote {
namespace {

using registry::Descriptor;
using registry::Entry;
using registry::Layout;

constexpr const char* kIndexConfigType = "application/vnd.platter.index.config.v1+json";
constexpr const char* kPartType = "application/vnd.platter.index.entries.v1+zstd";
constexpr const char* kNumberKey = "vnd.platter.index.number";
constexpr const char* kEntriesKey = "vnd.platter.index.entries";
constexpr const char* kDateKey = "org.opencontainers.image.created";
constexpr std::uint64_t kLargestLayer = std::uint64_t{64} << 20;

std::uint64_t number_said(const registry::Manifest& manifest, const char* key,
                          const std::string& origin) {
  const auto found = manifest.annotations.find(key);
  if (found != manifest.annotations.end())
    if (const auto number = model::number_in<std::uint64_t>(found->second);
        number && *number <= kLargestNumber)
      return *number;
  throw Error(ExitStatus::bad_input, fmt::format("{}: says no {}", origin, key));
}

}  // namespace

std::string index_name(const Remote& remote) { return remote.name + "/" + kIndexTag; }

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
  index.date = index.manifest.annotations[kDateKey];
  return index;
}

Index put_parts(const WorkingLayout& work, const std::vector<Entry>& entries) {
  Index index{{}, {}, 0, entries.size()};
  index.manifest.artifact_type = kIndexArtifactType;
  index.manifest.config = work.store().put_blob(kIndexTag, kIndexConfigType, registry::kConfig);
  const auto parts = index_parts(entries);
  for (std::size_t digit = 0; digit < kParts; ++digit) {
    Descriptor layer = work.store().put_blob(kIndexTag, kPartType, parts[digit]);
    layer.annotations[registry::kDriveKey] = std::string(1, kHexDigits[digit]);
    index.manifest.layers.push_back(layer);
  }
  return index;
}

void tag_index(const registry::Store& store, const Descriptor& index) {
  store.replace_index(
      kIndexTag,
      registry::index_with("", index, {.tag = kIndexTag, .latest = false, .moves = true}));
}

void finish_index(const WorkingLayout& work, Index& index, std::uint64_t number,
                  const std::string& date) {
  index.number = number;
  index.date = date;
  index.manifest.annotations = {{kNumberKey, std::to_string(number)},
                                {kEntriesKey, std::to_string(index.entries)},
                                {kDateKey, date}};
  index.descriptor = work.store().put_blob(kIndexTag, registry::kManifestType,
                                           registry::manifest_text(index.manifest));
  tag_index(work.store(), index.descriptor);
}

model::ReadBudget budget_of(const Index& index, const Remote& remote) {
  std::uint64_t bytes = 0;
  for (const Descriptor& layer : index.manifest.layers) bytes += layer.size;
  return index_budget(index_name(remote), bytes);
}

std::vector<Entry> entries_of_part(const Layout& layout, const Index& index, std::size_t digit,
                                   const Remote& remote, model::ReadBudget& budget) {
  return entries_in(layout.blob(index.manifest.layers[digit]), digit, remote.name,
                    fmt::format("{} (part {})", index_name(remote), kHexDigits[digit]), budget);
}

std::vector<Entry> entries_of_all(const Layout& layout, const Index& index, const Remote& remote) {
  std::vector<Entry> all;
  model::ReadBudget budget = budget_of(index, remote);
  for (std::size_t digit = 0; digit < kParts; ++digit)
    for (Entry& entry : entries_of_part(layout, index, digit, remote, budget))
      all.push_back(std::move(entry));
  return all;
}

Parts changed_parts(const Index& index, const std::optional<Index>& before) {
  Parts changed;
  for (std::size_t digit = 0; digit < kParts; ++digit)
    if (!before || before->manifest.layers[digit].digest != index.manifest.layers[digit].digest)
      changed.insert(digit);
  return changed;
}

}  // namespace platter::registry_remote
