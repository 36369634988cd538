// What tests of whole characterizations share: a folder for the journal, options, what a run noted.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "extract/characterize.h"

namespace platter::extract {

// Gone with the test; of this process alone.
struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("platter-runs-" + std::to_string(::getpid()));
};

inline Options options_in(const Folder& folder) {
  Options options;
  options.device_name = "the drive";
  options.journal_folder = folder.path.string();
  return options;
}

inline bool noted(const Run& run, const std::string& what) {
  return std::ranges::any_of(run.model.provenance.notes, [&](const std::string& note) {
    return note.find(what) != std::string::npos;
  });
}

}  // namespace platter::extract
