// A study's models: files, published ones, and those that are derived of them.
#pragma once

#include "cli/registry_folder.h"
#include "study/points.h"

namespace platter::cli {

// Throws, when called, Error(bad_input) for what is no model, Error(usage) for a change that cannot
// be made, and Error(bad_input) that names the study for more than a document may ask for. The
// registry may be gone afterwards; `folder` may not. `results`: the study's folder, in which
// calibrated models are kept.
study::LoadModel study_models(const RegistryFolder& folder, const std::string& results,
                              const std::string& study);

}  // namespace platter::cli
