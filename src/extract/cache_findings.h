// What a run finds of the cache: the tests of its stage first; then, once the model is there to
// answer the same requests, what those say of the model, and further requests while they leave that
// open.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cache_probe/cache_probe.h"
#include "cache_probe/explained.h"
#include "model/drive_model.h"
#include "mtbrc/context.h"

namespace platter::extract {

class CacheFindings {
 public:
  // Fills in the model's cache; notes for its reader. After an attempt that was void: anew.
  std::vector<std::string> probe(mtbrc::Context& context, const std::vector<LbnRange>& writable,
                                 model::DriveModel& model);
  // Settings that a test changed and the drive did not take back.
  const std::optional<std::string>& not_taken_back() const { return not_taken_back_; }

  // The rest of the model must be there.
  void explain(model::DriveModel& model);
  // By the same answers, where the rest of the model is another now.
  void explain_anew(model::DriveModel& model);
  // Nothing where all is told, or the context's time is limited. After an attempt that was void:
  // anew.
  void explain_further(mtbrc::Context& context, model::DriveModel& model);
  const std::vector<std::string>& unexplained() const { return explained_.notes; }

  cache_probe::Record& record() { return record_; }

 private:
  cache_probe::Record record_;
  std::optional<cache_probe::Ground> ground_;
  std::optional<std::string> not_taken_back_;
  std::size_t observed_ = 0;  // by the tests of the cache's stage
  model::Cache as_tested_;    // but for what only the model's answers tell
  cache_probe::Explained explained_;
};

}  // namespace platter::extract
