// What the probes of the cache say: the tests' estimate first; then, once the rest of the model is
// there to answer the same requests, what those say of the model.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cache_probe/explained.h"
#include "cache_probe/record.h"
#include "model/drive_model.h"

namespace platter::extract {

class CacheFindings {
 public:
  // Once the tests of the cache's stage are done and the rest of the model is there.
  void explain(const cache_probe::Record& record, model::DriveModel& model);
  // By the same answers, where the rest of the model is another now; by more answers, where there
  // are some.
  void explain_anew(const cache_probe::Record& record, model::DriveModel& model);
  // More answers would tell.
  bool open() const { return explained_.open; }
  std::size_t answers() const { return answers_; }
  const std::vector<std::string>& unexplained() const { return explained_.notes; }

 private:
  model::Cache as_tested_;   // but for what only the model's answers tell
  std::size_t answers_ = 0;  // that were explained
  cache_probe::Explained explained_;
};

}  // namespace platter::extract
