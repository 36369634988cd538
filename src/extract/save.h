// The files of a run.
#pragma once

#include <string>

#include "extract/characterize.h"
#include "model/file.h"

namespace platter::extract {

// The raw samples first: they cost the drive's time, and stay where the model cannot be written.
// `kept`: what they were kept in while the run went, which lacks its last line; nullptr: nothing.
// Throws Error, which then says where they are.
void save(const Run& run, const std::string& model_path, const std::string& samples_path,
          model::GrowingFile* kept = nullptr);

}  // namespace platter::extract
