// What a validation says of a model, at a glance: one table of all workloads and models, and a
// sentence with its grade.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/quality.h"
#include "replay/compare.h"

namespace platter::replay {

struct Judged {
  std::string workload;  // "random", "mixed"
  std::string model;     // what it is called, one name for each
  Comparison comparison;
};

// Of all its requests; nullptr: it was not run.
const ClassMetrics* of_workload(std::span<const Judged> judged, std::string_view workload);

// Of all requests, by the demerit with its error, and by the share in phase; unchecked where no
// access tells a phase.
model::Quality quality_of_demerit(std::string_view workload, const ClassMetrics& all);
model::Quality quality_of_phase(const ClassMetrics& all);

// Of one model, by the demerits of both workloads and the share of media accesses in phase; the
// bounds are in docs/metrics.md. Unchecked at best where one of them was not run.
model::Quality quality_of(std::span<const Judged> judged);

// "QUANTUM ATLAS 10K predicts single requests: median error 6 us, 99.8 % in phase (99.6 to 99.9);
// random 0.1 %, mixed 0.8 % demerit: good". Each model's, a line each.
std::string verdicts(std::span<const Judged> judged);

// A row for each workload and model, with every metric of all requests; bias, mean (absolute), RMS
// and quantiles are those of the paired errors, in ms.
std::string overview(std::span<const Judged> judged);

}  // namespace platter::replay
