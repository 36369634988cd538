// What is known so far: the model, and what estimates need besides.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/layout_map.h"
#include "extract/cache_findings.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::extract {

struct Findings {
  model::DriveModel model;
  model::Rotation rotation;  // as measured first: every experiment reckons by it
  std::shared_ptr<const engine::LayoutMap> map;  // none: the layout is not known
  CacheFindings cache;
  std::optional<std::string> unchecked;  // why the model was not held against the drive

  std::string_view stage;  // that is estimated

  // For a reader of the model; what happens again in each attempt is said once.
  void note(const model::Noted& noted) { model::take_note(model.provenance, noted, stage); }
};

}  // namespace platter::extract
