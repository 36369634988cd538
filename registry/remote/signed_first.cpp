#include "registry/remote/signed_first.h"

#include <fmt/core.h>

#include "model/error.h"
#include "registry/digest.h"

namespace platter::registry_remote {

namespace {

std::string made(const model::TemporaryFolder& folder) {
  if (folder.path().empty())
    throw Error(ExitStatus::output,
                "no temporary folder can be made for what is transferred; see TMPDIR");
  return folder.path();
}

}  // namespace

WorkingLayout::WorkingLayout(const std::string& drive)
    : folder_(model::temporary_name("platter-registry")), store_(made(folder_)), drive_(drive) {
  store_.create();
  store_.create_layout(drive_);
}

registry::Descriptor manifest_tagged(const registry::Layout& layout, const std::string& tag) {
  for (registry::Descriptor& descriptor : layout.index().manifests) {
    if (descriptor.annotation(registry::kTagKey) != tag) continue;
    descriptor.annotations.clear();
    return descriptor;
  }
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: has no manifest under {}", layout.index_path(), tag));
}

std::optional<std::string> digest_under(const Skopeo& skopeo, const std::string& tag) {
  const auto manifest = skopeo.manifest(tag);
  if (!manifest) return std::nullopt;
  return registry::digest_of(*manifest);
}

std::vector<registry::Signature> fetch_signatures(const Skopeo& skopeo, const WorkingLayout& into,
                                                  const std::string& digest) {
  const std::string tag = registry::signatures_tag(digest);
  if (!skopeo.fetch(tag, into.folder(), tag)) return {};
  return registry_trust::signatures_in(into.layout(), digest);
}

registry::Descriptor fetch_content(const Skopeo& skopeo, const std::string& tag,
                                   const WorkingLayout& into, const std::string& as,
                                   const std::string& digest) {
  if (skopeo.fetch(tag, into.folder(), as)) {
    const registry::Descriptor manifest = manifest_tagged(into.layout(), as);
    if (manifest.digest == digest) return manifest;
  }
  throw Error(ExitStatus::refused,
              fmt::format("{}: was changed there while it was fetched, or is no manifest of one "
                          "content; try again, then ask the remote's curator",
                          skopeo.reference(tag)));
}

}  // namespace platter::registry_remote
