// Models and their signatures from a folder of somebody else's: what skopeo wrote, what lies on a
// stick, another registry.
#pragma once

#include <string>
#include <vector>

#include "registry/take_in.h"

namespace platter::registry_remote {

// All models of an OCI image layout, or of all layouts of a registry's folder. What is no model of
// a drive is left alone. Throws Error(bad_input) where `folder` is neither, or something is
// damaged; what came in before stays.
std::vector<registry::TakenIn> import_all(const registry::Store& store, const std::string& folder);

}  // namespace platter::registry_remote
