#include "registry/remote/import.h"

#include <fmt/core.h>

#include <set>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "registry/trust/signatures.h"

namespace platter::registry_remote {
namespace {

void import_layout(const registry::Store& store, const registry::Lock& lock,
                   const registry::Layout& from, std::vector<registry::TakenIn>& taken) {
  const std::string marker = from.folder() + "/oci-layout";
  registry::check_layout_marker(model::read_file(marker), marker);
  std::set<std::string> seen;
  for (const registry::Descriptor& descriptor : from.index().manifests) {
    if (descriptor.media_type != registry::kManifestType || !seen.insert(descriptor.digest).second)
      continue;
    if (!from.manifest(descriptor).is_model()) continue;
    taken.push_back(registry::take_in(store, lock, from, descriptor));
    registry_trust::add_signatures(store, lock, taken.back().drive, descriptor.digest,
                                   registry_trust::signatures_in(from, descriptor.digest));
  }
}

}  // namespace

std::vector<registry::TakenIn> import_all(const registry::Store& store, const std::string& folder) {
  const registry::Store other(folder);
  const bool registry = model::is_folder(other.drives_folder());
  if (!registry && !model::is_there(folder + "/oci-layout")) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is neither an OCI image layout (it has no oci-layout) nor a "
                            "registry's folder",
                            folder));
  }
  std::vector<registry::TakenIn> taken;
  const registry::Lock lock(store);
  if (!registry) {
    import_layout(store, lock, registry::Layout::elsewhere(folder), taken);
  } else {
    for (const std::string& drive : other.drives())
      import_layout(store, lock, other.layout(drive), taken);
  }
  return taken;
}

}  // namespace platter::registry_remote
