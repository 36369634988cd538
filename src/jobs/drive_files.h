// Where the files of each of several drives are, in the folder of them all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/named_drives.h"

namespace platter::jobs {

// PRODUCT-MARK.json for each: MARK tells drives of one product apart without telling their serial
// numbers, and is the same in every run. Of a drive that tells no serial number it is made of the
// device's name. Empty for a drive that did not tell who it is.
std::vector<std::string> model_files(const std::string& folder,
                                     const std::vector<NamedDrive>& drives);

// The same file under another ending: DRIVE.partial.json, DRIVE.samples.jsonl.
std::string beside(const std::string& model_file, const std::string& ending);

// Whether a run that was to write this model had come to its end, whole or with nothing left to go
// on with.
bool is_done(const std::string& model_file);
// The samples of one that was cut off.
std::optional<std::string> samples_to_go_on_with(const std::string& model_file);

}  // namespace platter::jobs
