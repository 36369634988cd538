// A model, and what belongs to it, into the registry: once, for good.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/attachments.h"
#include "registry/plausibility.h"
#include "registry/store.h"

namespace platter::registry {

struct PublishOptions {
  std::vector<std::string> files;  // the validation, plots, DiskSim files, the table; layers after
                                   // the model
  bool hide_serial = true;         // a stand-in in the place of the drive's serial number
  std::vector<std::string> other_serials = {};  // of the user's other drives: in no file either
  std::vector<std::string> forced = {};         // refusing rules that may be broken
  std::optional<RotationalDelay> delay = {};    // of the raw samples among the files
  Tables tables = {};                           // empty: tables are files like others
  Annotations annotations = {};                 // more of them, as of source and licence
};

struct Publication {
  std::string reference;                  // DRIVE:vN
  std::string digest;                     // of the manifest
  std::string model_digest;               // of the model's canonical JSON
  bool added = false;                     // false: it was there already
  std::vector<std::string> remarks = {};  // rules by which the model is unusual
  // The reference under which the drive is already there with its serial number, where this is the
  // first version with the stand-in; else empty.
  std::string plain_before = {};
};

// A model of a drive that the registry knows becomes its next version; what was published before
// keeps its reference and its digest, and is found again if it is published again. Everything is on
// stable storage when this returns; after a crash the version is there whole or not at all. Several
// processes may publish at once. Throws Error(bad_input) for a file that is no valid model, or
// breaks a refusing rule that is not forced; Error(usage) for a rule that there is not.
Publication publish(const Store& store, const std::string& model_path,
                    const PublishOptions& options = {});

}  // namespace platter::registry
