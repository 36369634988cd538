// Which registry is worked on.
#pragma once

#include <string>

#include "registry/store.h"

namespace platter::jobs {

struct RegistryFolder {
  std::string named;  // "": the user's own

  registry::Store store() const {
    return registry::Store(named.empty() ? registry::default_folder() : named);
  }
};

// A notice on standard error.
void say(const std::string& sentence);

}  // namespace platter::jobs
