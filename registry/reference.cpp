#include "registry/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "model/error.h"
#include "model/folder.h"
#include "model/nearest.h"
#include "model/number_in.h"
#include "registry/annotations.h"
#include "registry/search_index.h"

namespace platter::registry {
namespace {

// `meant`: "did you mean ...? "
[[noreturn]] void not_found(const std::string& reference, const std::string& meant = {}) {
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: is not in the registry; {}platter registry list shows what is",
                          reference, meant));
}

const Descriptor* with_tag(const ImageIndex& index, const std::string& tag) {
  for (const Descriptor& descriptor : index.manifests) {
    if (descriptor.annotation(kTagKey) == tag) return &descriptor;
  }
  return nullptr;
}

[[noreturn]] void refuse_several(const std::string& reference,
                                 const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const std::span<const std::string> few(names.data(), std::min(kShown, names.size()));
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: {} begin so, as {}; give more of the name that is meant", reference,
                          names.size(), fmt::join(few, ", ")));
}

// By the whole of it, or its beginning.
const Descriptor* with_digest(const ImageIndex& index, const std::string& digest, Naming naming,
                              const std::string& reference) {
  const Descriptor* found = nullptr;
  for (const Descriptor& descriptor : index.manifests) {
    if (descriptor.digest == digest) return &descriptor;
    if (naming == Naming::whole || !descriptor.digest.starts_with(digest)) continue;
    if (found != nullptr && found->digest != descriptor.digest)
      refuse_several(reference, {found->digest, descriptor.digest});
    found = &descriptor;
  }
  return found;
}

// sha256: and at least as many digits as tell a few thousand apart.
bool is_beginning_of_digest(const std::string& text) {
  constexpr std::string_view kPrefix = "sha256:";
  constexpr std::size_t kLeastDigits = 4, kDigits = 64;
  return text.starts_with(kPrefix) && text.size() >= kPrefix.size() + kLeastDigits &&
         text.size() <= kPrefix.size() + kDigits &&
         text.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string::npos;
}

// The drive of this name, or the only one whose name begins so.
std::string drive_meant(const Store& store, const std::string& drive, const std::string& reference,
                        Naming naming) {
  if (is_drive_name(drive) && model::is_there(store.layout(drive).index_path())) return drive;
  const std::vector<std::string> drives = store.drives();
  std::vector<std::string> begun;
  if (naming == Naming::beginning && !drive.empty())
    std::ranges::copy_if(drives, std::back_inserter(begun),
                         [&](const std::string& name) { return name.starts_with(drive); });
  if (begun.size() > 1) refuse_several(reference, begun);
  if (begun.empty())
    not_found(reference, model::did_you_mean(drive, drives, "", reference.substr(drive.size())));
  return begun.front();
}

// What others copied here may have no tag "latest": then the highest version, or the only one.
const Descriptor* latest(const ImageIndex& index) {
  if (const Descriptor* const named = with_tag(index, kLatest)) return named;
  const auto highest = std::max_element(
      index.manifests.begin(), index.manifests.end(), [](const auto& a, const auto& b) {
        return version_number(a.annotation(kTagKey)) < version_number(b.annotation(kTagKey));
      });
  if (highest == index.manifests.end()) return nullptr;
  const bool sure = version_number(highest->annotation(kTagKey)) > 0 || index.manifests.size() == 1;
  return sure ? &*highest : nullptr;
}

bool is_better_tag(const std::string& tag, const std::string& than) {
  return than.empty() || than == kLatest || version_number(tag) > version_number(than);
}

void require_where_it_was(const ImageIndex& index, const Descriptor& descriptor,
                          const std::string& reference) {
  const auto record = index.annotations.find(tag_record_key(descriptor.annotation(kTagKey)));
  if (record == index.annotations.end() || record->second == descriptor.digest) return;
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: its tag was moved from {} to {}; name the one that is meant by its "
                          "digest",
                          reference, record->second, descriptor.digest));
}

Published find_digest(const Store& store, const std::string& digest, Naming naming) {
  std::map<std::string, std::string> found;  // where its drive is, by the whole digest
  for (const Entry& entry : search(store, {.words = {digest}, .only_local = true}).entries)
    if (entry.digest == digest || (naming == Naming::beginning && entry.digest.starts_with(digest)))
      found.emplace(entry.digest, entry.drive);
  if (found.size() > 1) {
    std::vector<std::string> digests;
    for (const auto& [whole, drive] : found) digests.push_back(whole);
    refuse_several(digest, digests);
  }
  if (found.empty()) not_found(digest);
  const auto& [whole, drive] = *found.begin();
  const Layout layout = store.layout(drive);
  const ImageIndex index = layout.index();
  const Descriptor* const descriptor = with_digest(index, whole, Naming::whole, digest);
  if (descriptor == nullptr) not_found(digest);
  return {layout, *descriptor, tag_of(index, whole)};
}

// "NAME.vN", as remotes call it, is "NAME:vN" unless a drive has that very name.
std::string with_colon(const Store& store, const std::string& reference) {
  const std::size_t dot = reference.rfind('.');
  if (dot == std::string::npos || reference.find_first_of(":@") != std::string::npos ||
      version_number(reference.substr(dot + 1)) == 0 || !is_drive_name(reference) ||
      model::is_there(store.layout(reference).index_path()))
    return reference;
  return reference.substr(0, dot) + ":" + reference.substr(dot + 1);
}

}  // namespace

std::string Published::reference() const {
  return layout.drive() + (tag.empty() ? "@" + descriptor.digest : ":" + tag);
}

std::uint64_t version_number(const std::string& tag) {
  constexpr std::size_t kMostDigits = 9;  // the next one always has a number
  if (!tag.starts_with('v') || tag.size() > 1 + kMostDigits || tag.starts_with("v0")) return 0;
  return model::number_in<std::uint64_t>(std::string_view(tag).substr(1)).value_or(0);
}

std::string tag_of(const ImageIndex& index, const std::string& digest) {
  std::string best;
  for (const Descriptor& descriptor : index.manifests) {
    if (descriptor.digest != digest) continue;
    const std::string tag = descriptor.annotation(kTagKey);
    if (is_better_tag(tag, best)) best = tag;
  }
  return best;
}

Published find(const Store& store, const std::string& named, Naming naming) {
  store.require();
  const std::string reference = with_colon(store, named);
  if (is_beginning_of_digest(reference)) return find_digest(store, reference, naming);
  const std::size_t at = reference.find('@');
  const std::size_t colon = at == std::string::npos ? reference.find(':') : std::string::npos;
  const std::string begun = reference.substr(0, std::min(at, colon));
  if (begun.find('/') != std::string::npos) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: lies in a remote; platter registry pull {} brings it here", named, named));
  }
  const Layout layout = store.layout(drive_meant(store, begun, reference, naming));
  const ImageIndex index = layout.index();
  if (at != std::string::npos) {
    const std::string digest = reference.substr(at + 1);
    if (!is_beginning_of_digest(digest)) not_found(reference);
    const Descriptor* const found = with_digest(index, digest, naming, reference);
    if (found == nullptr) not_found(reference);
    return {layout, *found, tag_of(index, found->digest)};
  }
  const std::string tag = colon == std::string::npos ? "" : reference.substr(colon + 1);
  const Descriptor* const found = tag.empty() ? latest(index) : with_tag(index, tag);
  if (found == nullptr) not_found(reference);
  require_where_it_was(index, *found, reference);
  return {layout, *found, tag_of(index, found->digest)};
}

std::vector<Descriptor> versions_up_to(const ImageIndex& index, std::uint64_t number) {
  const auto version = [](const Descriptor& descriptor) {
    return version_number(descriptor.annotation(kTagKey));
  };
  std::vector<Descriptor> versions;
  for (const Descriptor& descriptor : index.manifests)
    if (const std::uint64_t its = version(descriptor); its > 0 && its <= number)
      versions.push_back(descriptor);
  std::ranges::stable_sort(versions, {}, version);
  return versions;
}

Published version_in(const Layout& layout, const ImageIndex& index, const Descriptor& version) {
  Published found{layout, version, version.annotation(kTagKey)};
  require_where_it_was(index, version, found.reference());
  return found;
}

}  // namespace platter::registry
