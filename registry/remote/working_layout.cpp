#include "registry/remote/working_layout.h"

#include <fmt/core.h>

#include "model/error.h"

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

}  // namespace platter::registry_remote
