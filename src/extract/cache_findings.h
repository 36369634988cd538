// What the probes of the cache say: the tests' estimate first; then, once the rest of the model is
// there to answer the same requests, what those say of the model.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cache_check/check.h"
#include "cache_probe/record.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::extract {

class CacheFindings {
 public:
  // Once the tests of the cache's stage are done and the rest of the model is there.
  void check(const cache_probe::Record& record, model::DriveModel& model);
  // By the same answers, where the rest of the model is another now; by more answers, where there
  // are some.
  void check_anew(const cache_probe::Record& record, model::DriveModel& model);
  // More requests may show something that the model does not explain.
  bool open() const { return check_.open; }
  std::size_t answers() const { return answers_; }
  const model::Notes& unexplained() const { return check_.notes; }

 private:
  model::Cache as_tested_;   // but for what only the model's answers decide
  std::size_t answers_ = 0;  // that were checked
  cache_check::Check check_;
};

}  // namespace platter::extract
