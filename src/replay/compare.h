// A model's result against the drive's: the metrics, overall, by read and write, by size class.
// docs/metrics.md is the reference of every figure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/result.h"
#include "replay/result_source.h"
#include "replay/sorted_times.h"

namespace platter::replay {

// The phase of a model is set by so many accesses of the drive to its media (docs/metrics.md).
constexpr std::size_t kPhaseAccesses = 100;

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
  double demerit_ms = 0;                     // root mean square horizontal distance of the two CDFs
  double demerit_percent = 0;                // of the drive's mean
  std::optional<double> demerit_error_ms{};  // compare_with_error(); one standard error
  std::optional<PairedError> paired{};
  std::size_t drive_hits = 0, drive_misses = 0;
  std::optional<double> hits_agreed_share{};   // requests that are a hit on both or a miss on both
  std::optional<double> hits_as_hits_share{};  // of the drive's hits, those that the model hit
  std::optional<double> misses_as_misses_share{};  // of the drive's misses
  std::size_t phase_n = 0;                         // requests that went to the media on both sides
  std::optional<double> folded_phase_share{};      // phase set once
  std::optional<double> folded_phase_share_reanchored{};  // phase set anew at each completion
};

// How hits are told.
enum class HitsBy : std::uint8_t {
  waiting,   // what did not wait for the media, as far as the result knows; else by the response
             // time less that of the data on the bus (hits.h)
  response,  // on both sides by the response time alone, which is below the threshold
};

// Requests by their numbers, the first is 1; `to` is the last one.
struct Range {
  std::uint64_t from = 1, to = 0;
};
// Which of a class's two shares says whether the model knows the rotational position.
enum class PhaseLead : std::uint8_t {
  once,  // the phase set once
  anew,  // set anew at each completion: set once, it is lost within the trace
};
enum class Half : std::uint8_t { first, second };  // the first of an odd number is the smaller one

struct Comparison {
  std::string drive, model, trace;
  std::string not_paired{};                  // why there are no paired errors; empty if there are
  std::optional<double> period_ns{};         // of the model
  std::optional<double> hit_threshold_ns{};  // by which hits were judged
  HitsBy hits_by = HitsBy::waiting;
  std::optional<Range> range{};  // of requests that the classes are of; else: all
  std::string phase_from{};      // "reference reads", "first 100 media accesses", ""
  double phase_ms = 0;           // the constant that was taken off the errors
  // So far the period's error (one standard error) turns the platter over the trace; absent: not
  // known.
  std::optional<double> phase_drift_rev{};
  PhaseLead phase_lead = PhaseLead::once;
  bool same_issue_times = false;        // the model got each request when the drive did
  std::vector<ClassMetrics> classes{};  // all, read, write, then the size classes that occur
};

struct Comparing {
  std::optional<double> hit_threshold_ns{};  // default: a quarter of a revolution
  HitsBy hits_by = HitsBy::waiting;
  // Only these requests in the classes; the phase is set as for the whole.
  std::optional<std::uint64_t> from{}, to{};
  std::optional<Half> half{};
  std::size_t times_in_memory = SortedTimes::kMostInMemory;  // and so many of each result at most
};

// Throws Error(usage) for a range that the drive's result does not have, or that holds none of the
// model's requests.
Comparison compare(const Result& drive, const Result& model, const Comparing& options = {});

// The same of results of any length, in little memory: each is read twice. Error(output) where
// TMPDIR has no room for sorting.
Comparison compare(const OpenResult& drive, const OpenResult& model, const Comparing& options = {});

// Also the error of the demerit of all requests, where they are paired and the period is known.
Comparison compare_with_error(const Result& drive, const Result& model);

}  // namespace platter::replay
