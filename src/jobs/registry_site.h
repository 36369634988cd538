// A registry as pages for a browser.
#pragma once

#include <cstddef>
#include <string>

#include "jobs/outputs.h"
#include "jobs/registry_folder.h"

namespace platter::jobs {

struct SiteRun {
  RegistryFolder folder;
  std::string output;  // the folder of the pages
  bool pictures = false;
  Outputs outputs;
};
struct MadeSite {
  std::string first_page;  // its path
  std::size_t models = 0;
};

// None of the pages may lie in the way of anything; nothing is written before that is known.
MadeSite make_site(const SiteRun& run);

}  // namespace platter::jobs
