// A study's models: files, published ones, and those that are derived of them.
#pragma once

#include <string>

#include "jobs/registry_folder.h"
#include "study/points.h"

namespace platter::jobs {

struct StudyPlace {
  std::string study;    // its file, which limits name
  std::string results;  // its folder, in which calibrated models are kept
  std::string program;  // platter's version, under which they are kept
};

// Throws, when called, Error(bad_input) for what is no model, Error(usage) for a change that cannot
// be made, and Error(bad_input) that names the study for more than a document may ask for. The
// registry may be gone afterwards; `folder` may not.
study::LoadModel study_models(const RegistryFolder& folder, const StudyPlace& place);

}  // namespace platter::jobs
