#include "registry/reference.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "model/error.h"
#include "model/folder.h"
#include "model/nearest.h"
#include "registry/annotations.h"
#include "registry/digest.h"
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

const Descriptor* with_digest(const ImageIndex& index, const std::string& digest) {
  for (const Descriptor& descriptor : index.manifests) {
    if (descriptor.digest == digest) return &descriptor;
  }
  return nullptr;
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

Published found_in(const Layout& layout, const ImageIndex& index, const Descriptor* descriptor,
                   const std::string& reference) {
  if (descriptor == nullptr) not_found(reference);
  const std::string tag = tag_of(index, descriptor->digest);
  const auto record = index.annotations.find(tag_record_key(descriptor->annotation(kTagKey)));
  if (record != index.annotations.end() && record->second != descriptor->digest) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: its tag was moved from {} to {}; name the one that is meant by its "
                    "digest",
                    reference, record->second, descriptor->digest));
  }
  return {layout, *descriptor, tag};
}

Published find_digest(const Store& store, const std::string& digest) {
  for (const Entry& entry : search(store, {.words = {digest}, .only_local = true}).entries) {
    if (entry.digest != digest) continue;
    const Layout layout = store.layout(entry.drive);
    const ImageIndex index = layout.index();
    if (const Descriptor* const found = with_digest(index, digest)) {
      return {layout, *found, tag_of(index, digest)};
    }
  }
  not_found(digest);
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
  std::uint64_t number = 0;
  if (!tag.starts_with('v') || tag.size() > 1 + kMostDigits || tag.starts_with("v0")) return 0;
  const auto end = std::from_chars(tag.data() + 1, tag.data() + tag.size(), number);
  return end.ec == std::errc() && end.ptr == tag.data() + tag.size() ? number : 0;
}

std::string tag_of(const ImageIndex& index, const std::string& digest) {
  std::string best;
  for (const Descriptor& descriptor : index.manifests) {
    if (descriptor.digest != digest) continue;
    const std::string tag = descriptor.annotation(kTagKey);
    if (best.empty() || best == kLatest || version_number(tag) > version_number(best)) best = tag;
  }
  return best;
}

Published find(const Store& store, const std::string& named) {
  store.require();
  const std::string reference = with_colon(store, named);
  if (is_digest(reference)) return find_digest(store, reference);
  const std::size_t at = reference.find('@');
  const std::size_t colon = at == std::string::npos ? reference.find(':') : std::string::npos;
  const std::string drive = reference.substr(0, std::min(at, colon));
  if (drive.find('/') != std::string::npos) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: lies in a remote; platter registry pull {} brings it here", named, named));
  }
  if (!is_drive_name(drive)) not_found(reference);
  const Layout layout = store.layout(drive);
  if (!model::is_there(layout.index_path())) {
    // Not taken for what it begins: another drive may begin like that tomorrow.
    not_found(reference,
              model::did_you_mean(drive, store.drives(), "", reference.substr(drive.size())));
  }
  const ImageIndex index = layout.index();
  if (at != std::string::npos) {
    const std::string digest = reference.substr(at + 1);
    const Descriptor* const found = with_digest(index, digest);
    if (found == nullptr) not_found(reference);
    return {layout, *found, tag_of(index, digest)};
  }
  const std::string tag = colon == std::string::npos ? "" : reference.substr(colon + 1);
  return found_in(layout, index, tag.empty() ? latest(index) : with_tag(index, tag), reference);
}

}  // namespace platter::registry
