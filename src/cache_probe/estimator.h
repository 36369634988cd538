// What the estimates of all properties share: the record, the cache as far as it is known, and the
// words for what is not. A property's estimate writes the fields that it owns (properties.h), and
// may read those of the properties that it needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cache_probe/edge.h"
#include "cache_probe/estimate.h"
#include "model/finding_kinds.h"
#include "model/parameters.h"

namespace platter::cache_probe {

inline constexpr const char* kBlocks = "blocks";
// The error of what is one of two neighbouring values: the other one is within 1.96 errors.
inline constexpr double kOneOff = 1 / 1.95;
inline constexpr const char* kFewProbes = "the few probes that were made";  // a guess's witness
inline constexpr const char* kNotWritten = "writes were not allowed (--allow-writes)";

model::Parameter measured(double value, double error, std::uint64_t samples, std::string method,
                          std::string unit = "");
// What is taken from elsewhere, or a bound: no error can be stated.
model::Parameter without_error(double value, std::uint64_t samples, std::string method,
                               std::string unit = "");
// Of what is counted: a median between two counts is rounded, and the error covers both.
model::Parameter counted(double value, double error, std::uint64_t samples, std::string method,
                         std::string unit = "");

class Estimator {
 public:
  Estimator(const Record& record, Estimate& result) : record_(record), result_(result) {}

  const Record& record() const { return record_; }
  model::Cache& cache() { return result_.cache; }
  void note(model::Noted noted) { result_.notes.push_back(std::move(noted)); }

  Verdict verdict(Question question, std::int64_t x = 0) const {
    return judge(record_, question, x).verdict;
  }
  Judgement next_block() const;  // at once, or else after a pause
  // 1 if the probes hit, 0 if they miss; both sometimes: the share that hits.
  model::Parameter yes_or_no(Question question, std::string method, std::int64_t x = 0,
                             bool hit_means_yes = true);

  // Why a test has no answer although it was due.
  std::string missing() const;
  // The tests had time, and found no place: that says nothing of the cache.
  bool nothing_asked() const;
  // What mode page 08h says of what was not measured, where it says anything and the bounds allow.
  template <typename T>
  void guess_by_page(model::Parameter& figure, T scsi::CachePage::*says) const {
    if (record_.setting.page) guess_as_page_says(figure, (*record_.setting.page).*says);
  }
  // Why properties of cached reads, of read-ahead, and of writes have none; nullopt: they have.
  std::optional<std::string> without_read_cache() const;
  std::string without_read_ahead() const;
  std::optional<std::string> without_writes() const;

 private:
  void guess_as_page_says(model::Parameter& figure, std::uint32_t says) const;

  const Record& record_;
  Estimate& result_;
};

}  // namespace platter::cache_probe
