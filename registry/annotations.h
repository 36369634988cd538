// What a manifest says of its model, so that a registry can be searched without opening models; and
// what names the drive that a model describes.
#pragma once

#include <string>

#include "model/drive_model.h"
#include "registry/oci.h"

namespace platter::registry {

// Of the model's quality (model/quality.h), one word.
inline constexpr const char* kQualityKey = "vnd.platter.quality";

// All of it is taken from the model, nothing from the moment, so that a model always gets the same
// annotations. `tool_version` is that of the program that wrote the model. Keys: docs/registry.md.
Annotations annotations_of(const model::DriveModel& model, const std::string& tool_version);

// What tells the run of a drive without a serial number from all other runs: nobody knows whether
// two of them are of one drive, and so they are entries of their own. Empty for any other model.
std::string run_without_number(const model::DriveModel& model);

// The digest of vendor, product and serial number (of the name, where there is no serial number,
// and of the run): equal for models of one drive, whatever its firmware.
std::string drive_identity(const model::Identity& identity, const std::string& run = "");

// The drive in letters that are allowed in the name of an OCI repository (distribution
// specification, "pulling manifests"): [a-z0-9] and single dashes, at most 100.
std::string drive_name(const model::Identity& identity);

// The same with eight digits of the drive's identity, for the second of two drives of one name.
std::string longer_drive_name(const model::Identity& identity, const std::string& run = "");

bool is_drive_name(const std::string& text);

}  // namespace platter::registry
