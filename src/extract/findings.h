// What is known so far: the model, and what estimates need besides.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/layout_map.h"
#include "extract/cache_findings.h"
#include "model/drive_model.h"

namespace platter::extract {

struct Findings {
  model::DriveModel model;
  model::Rotation rotation;  // as measured first: every experiment reckons by it
  std::shared_ptr<const engine::LayoutMap> map;  // none: the layout is not known
  CacheFindings cache;
  std::optional<std::string> unchecked;  // why the model was not held against the drive

  // For a reader of the model; what happens again in each attempt is said once.
  void note(std::string text) {
    auto& notes = model.provenance.notes;
    if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
  }
};

}  // namespace platter::extract
