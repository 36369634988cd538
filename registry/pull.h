// A published model out of the registry, every byte checked against its digest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "registry/reference.h"

namespace platter::registry {

struct Contents {
  Manifest manifest;
  std::string model_text;  // canonical JSON, as its digest says
  model::DriveModel model;
};

// Throws Error(bad_input) that names what is missing, corrupt or no model.
Contents open(const Published& published);

// Writes every layer but the model into a folder under its title, and returns the paths. Refuses
// titles that are no plain names of files. `before_writing` gets each path and what it will hold
// before the first is written.
using BeforeWriting = std::function<void(const std::string& path, const std::string& content)>;
std::vector<std::string> pull_files(const Published& published, const std::string& folder,
                                    const BeforeWriting& before_writing = {});

}  // namespace platter::registry
