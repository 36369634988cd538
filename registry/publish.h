// A model, and what belongs to it, into the registry: once, for good.
#pragma once

#include <string>
#include <vector>

#include "registry/store.h"

namespace platter::registry {

struct PublishOptions {
  std::vector<std::string> files;  // DiskSim files, the table, a report; layers after the model
  bool hide_serial = false;
};

struct Publication {
  std::string reference;     // DRIVE:vN
  std::string digest;        // of the manifest
  std::string model_digest;  // of the model's canonical JSON
  bool added = false;        // false: it was there already
};

// A model of a drive that the registry knows becomes its next version; what was published before
// keeps its reference and its digest, and is found again if it is published again. Everything is on
// stable storage when this returns; after a crash the version is there whole or not at all. Several
// processes may publish at once. Throws Error(bad_input) for a file that is no valid model.
Publication publish(const Store& store, const std::string& model_path,
                    const PublishOptions& options = {});

}  // namespace platter::registry
