// What a result says in a few figures, gathered while its requests go by, in bounded memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/result.h"
#include "replay/result_file.h"
#include "trace/class_counts.h"

namespace platter::replay {

// Times, and their quantiles: exact up to `most_exact` times, beyond that from classes whose middle
// is within kQuantileError of every time in them. Count, mean and most are exact always.
class Times {
 public:
  static constexpr int kExactBits = 13;  // of the classes
  static constexpr double kQuantileError = 1.0 / (std::uint64_t{1} << kExactBits);  // relative
  static constexpr std::size_t kMostExact = std::size_t{1} << 17;

  explicit Times(std::size_t most_exact = kMostExact) : most_exact_(most_exact) {}

  void add(Nanoseconds time_ns) {  // below 0 counts as 0
    if (time_ns <= 0) {
      ++zeros_;
      return;
    }
    ++more_;
    sum_ns_ += static_cast<std::uint64_t>(time_ns);
    most_ns_ = std::max(most_ns_, time_ns);
    times_.push_back(time_ns);
    if (times_.size() > most_kept()) classify();
  }
  void add(const Times& others);

  std::uint64_t count() const { return zeros_ + more_; }
  bool exact() const { return !classes_; }
  double mean_ms() const;
  double max_ms() const { return to_ms(most_ns_); }
  // Ascending shares between 0 and 1, linear between the places share * (n - 1) of the sorted
  // times.
  std::vector<double> quantiles_ms(std::span<const double> shares) const;

 private:
  // One by one, counts that lie far apart would be waited for.
  static constexpr std::size_t kClassifiedAtOnce = 4096;
  std::size_t most_kept() const { return classes_ ? kClassifiedAtOnce : most_exact_; }
  void classify();

  std::size_t most_exact_;
  std::uint64_t zeros_ = 0, more_ = 0;  // most delays are 0
  std::vector<Nanoseconds> times_{};    // those above 0 that are in no class
  std::optional<trace::ClassCounts> classes_{};
  std::uint64_t sum_ns_ = 0;
  Nanoseconds most_ns_ = 0;
};

struct ResponseTimes {
  std::uint64_t n = 0;
  double mean_ms = 0, p50_ms = 0, p90_ms = 0, p95_ms = 0, p99_ms = 0, p999_ms = 0, max_ms = 0;
};

struct Summary {
  ResponseTimes all{}, read{}, write{};
  std::optional<double> hits_share{};  // of the requests of which it is known, those that did not
                                       // wait for the media
  double seconds = 0;                  // from the first issue to the last completion
  Lateness lateness{};
  double quantile_error = 0;  // relative; 0: exact
};

class Summarizer final : public Rows {
 public:
  explicit Summarizer(std::size_t most_exact = Times::kMostExact);

  void add(Part part, std::span<const Response> rows) override;  // reference reads do not count

  Lateness lateness() const;
  Summary summary() const;
  // Of all response times.
  std::vector<double> quantiles_ms(std::span<const double> shares) const {
    return all().quantiles_ms(shares);
  }

 private:
  Times all() const;

  std::array<Times, 2> responses_;  // of reads, of writes
  Times host_, depth_;
  std::uint64_t count_ = 0;
  std::uint64_t known_ = 0, hits_ = 0;
  Nanoseconds first_issue_ns_ = 0, last_completion_ns_ = 0;
};

Summary summary_of(const Result& result);

// The host's delays blur the response times if a hundredth of the requests lost more than this
// share of the mean response to them.
constexpr double kLateShare = 0.05;
bool is_late(const Summary& summary);

std::string summary_json(const ResultHead& head, const Summary& summary);
std::string summary_text(const ResultHead& head, const Summary& summary);

}  // namespace platter::replay
