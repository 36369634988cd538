// A model's result against the drive's: the metrics, overall, by read and write, by size class.
// docs/metrics.md is the reference of every figure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "replay/result.h"

namespace platter::replay {

// Errors are the model's response time less the drive's, of the same request.
struct PairedError {
  double bias_ms = 0;  // their mean
  double mae_ms = 0, rms_ms = 0;
  double p50_ms = 0, p95_ms = 0, p99_ms = 0, max_ms = 0;  // of their absolute values
};

// Of the requests in a class. A share is absent where there is nothing that it is a share of.
struct ClassMetrics {
  std::string name{};  // "all", "read", "write", or a size class in blocks: "1-4"
  std::size_t n_drive = 0, n_model = 0;
  double mean_drive_ms = 0, mean_model_ms = 0;
  double demerit_ms = 0;       // root mean square horizontal distance of the two CDFs
  double demerit_percent = 0;  // of the drive's mean
  std::optional<PairedError> paired{};
  std::size_t drive_hits = 0, drive_misses = 0;
  std::optional<double> hits_agreed_share{};       // requests that are a hit on both or a miss on both
  std::optional<double> hits_as_hits_share{};      // of the drive's hits, those that the model hit
  std::optional<double> misses_as_misses_share{};  // of the drive's misses
  std::size_t phase_n = 0;                       // requests that went to the media on both sides
  std::optional<double> folded_phase_share{};             // phase set once
  std::optional<double> folded_phase_share_reanchored{};  // phase set anew at each completion
};

struct Comparison {
  std::string drive, model, trace;
  std::string not_paired{};                 // why there are no paired errors; empty if there are
  std::optional<double> period_ns{};        // of the model
  std::optional<double> hit_threshold_ns{}; // by which the drive's hits were judged
  std::string phase_from{};                 // "reference reads", "first 100 media accesses", ""
  double phase_ms = 0;                    // the constant that was taken off the errors
  bool same_issue_times = false;          // the model got each request when the drive did
  std::vector<ClassMetrics> classes{};      // all, read, write, then the size classes that occur
};

struct Comparing {
  std::optional<double> hit_threshold_ns{};  // default: a quarter of a revolution
};

Comparison compare(const Result& drive, const Result& model, const Comparing& options = {});

}  // namespace platter::replay
