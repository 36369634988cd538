// Predictions of a model for many kinds of requests, and whether a change of the model changes one.
#pragma once

#include <string>
#include <vector>

#include "engine/request.h"
#include "keys.h"
#include "model/drive_model.h"

namespace platter::bench {

struct Step {
  enum class Kind : std::uint8_t { request, synchronize };
  Kind kind = Kind::request;
  engine::Request request{};
  Nanoseconds pause_ns = 0;  // before it, from the completion in front; of a burst: between
                             // arrivals
};

struct Workload {
  std::string name;
  bool caches = true;
  bool outstanding = false;  // arrivals do not wait for completions
  std::vector<Step> steps{};
};

class Predictions {
 public:
  // Throws Error for a model that predicts nothing.
  explicit Predictions(const model::DriveModel& model);

  // The first workload of which the change changes a completion; empty: none, or what comes out is
  // no possible model.
  std::string changed_by(const Change& change) const;
  std::vector<std::string> workloads() const;

 private:
  model::DriveModel model_;
  std::vector<Workload> workloads_;
  std::vector<std::vector<Nanoseconds>> answers_;
};

}  // namespace platter::bench
