// Models that a registry has: found, and fetched with their digests checked.
#pragma once

#include <functional>
#include <string>

#include "jobs/outputs.h"
#include "jobs/registry_folder.h"
#include "registry/query.h"
#include "registry/search_index.h"

namespace platter::jobs {

struct PullRun {
  RegistryFolder folder;
  std::string reference;     // also REMOTE/NAME.vN of a remote
  std::string output;        // the model's file; "": none
  std::string files_folder;  // of what went along; "": nothing is written of it
  bool require_signature = false;
  Outputs outputs;
};

// The model as it was published. Says by whom it is signed. Throws Error(refused) where a signature
// is required and no trusted key made one.
std::string pull(const PullRun& run);

// A registry that was named and is not there is an error; one that nobody has put anything into is
// empty.
registry::Found models_in(const RegistryFolder& folder, const registry::Query& query,
                          const std::function<void(const registry::Entry&)>& visit);

}  // namespace platter::jobs
