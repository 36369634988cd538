#include "registry/naming.h"

#include <filesystem>
#include <set>

#include "model/error.h"
#include "registry/annotations.h"

namespace platter::registry {

std::string identity_in(const Layout& layout, const Descriptor& descriptor) {
  try {
    return layout.manifest(descriptor).annotations[kDriveKey];
  } catch (const Error&) {
    return "";
  }
}

std::string name_in(const Store& store, const model::Identity& identity, const std::string& run) {
  const std::string name = drive_name(identity);
  const std::string own = drive_identity(identity, run);
  const Layout layout = store.layout(name);
  if (!std::filesystem::exists(layout.index_path())) return name;
  std::set<std::string> seen;
  for (const Descriptor& descriptor : layout.index().manifests) {
    if (!seen.insert(descriptor.digest).second) continue;
    const std::string other = identity_in(layout, descriptor);
    if (!other.empty() && other != own) {
      return longer_drive_name(identity, run);
    }
  }
  return name;
}

}  // namespace platter::registry
