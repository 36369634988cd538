// The files of a run.
#pragma once

#include <optional>
#include <string>

#include "extract/characterize.h"
#include "model/file.h"

namespace platter::extract {

// The raw samples and the model, each also where the other one cannot be written.
// `kept`: what they were kept in while the run went, which lacks its last line; nullptr: nothing.
// Throws Error, which then says where they are. Why what they were kept in is still there, where it
// should not be.
[[nodiscard]] std::optional<std::string> save(const Run& run, const std::string& model_path,
                                              const std::string& samples_path,
                                              model::GrowingFile* kept = nullptr);

}  // namespace platter::extract
