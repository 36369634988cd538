// What tests of whole characterizations share: drives, a folder for the journal, options, what a
// run noted.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

#include "catch.h"
#include "extract/characterize.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"

namespace platter::extract {

// Gone with the test; of this process alone.
struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("platter-runs-" + std::to_string(::getpid()));
};

// The samples as a run keeps them.
struct KeptLines final : SamplesKeeper {
  bool due() override { return ++commands % 300 == 0; }
  void keep(std::string_view lines) override { text += lines; }
  void synchronize() override {
    CHECK(text.ends_with("\n"));
    synchronized = text.size();
  }
  void throw_away() override { text.clear(); }
  // With the run's last line.
  std::string whole(const Run& run) const {
    std::ostringstream end;
    write_end(end, run.record, static_cast<std::uint64_t>(std::ranges::count(text, '\n')));
    return text + end.str();
  }

  std::string text;
  std::size_t synchronized = 0;
  int commands = 0;
};

inline KeptRecord read_lines(const std::string& text) {
  std::istringstream in(text);
  return read_record(in, "kept.jsonl");
}

inline Options options_in(const Folder& folder) {
  Options options;
  options.device_name = "the drive";
  options.journal_folder = folder.path.string();
  return options;
}

inline model::DriveModel drive_named(const std::string& name) {
  const auto* entry = virtual_drive::find_in_catalogue(name);
  REQUIRE(entry != nullptr);
  return virtual_drive::catalogue_model(*entry);
}

// It scans its media and goes to rest whenever nothing comes for a while.
inline model::DriveModel restless_drive() {
  model::DriveModel model = drive_named("hp-c2247");
  model.imperfections = virtual_drive::default_imperfections(3);
  model.imperfections->background_scan_idle_ms = 50;
  model.imperfections->background_scan_step_ms = 25;
  model.imperfections->idle_condition_s = 0.2;
  model.imperfections->idle_condition_ms = 400;
  if (!model.firmware) model.firmware.emplace();
  return model;
}

// The texts of notes and of findings.
inline std::vector<std::string> all_that_was_noted(const Run& run) {
  std::vector<std::string> all = run.model.provenance.notes;
  for (const model::Finding& finding : run.model.provenance.findings) all.push_back(finding.text);
  return all;
}

inline bool noted(const Run& run, const std::string& what) {
  return std::ranges::any_of(all_that_was_noted(run), [&](const std::string& note) {
    return note.find(what) != std::string::npos;
  });
}

}  // namespace platter::extract
