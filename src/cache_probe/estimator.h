// One record's estimate in the making: the questions of reads and read-ahead, segments, access on
// arrival and writes are answered in a file each; all share what was found so far.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "cache_probe/estimate.h"
#include "cache_probe/facts.h"
#include "model/parameters.h"

namespace platter::cache_probe {

inline constexpr const char* kBlocks = "blocks";

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
  explicit Estimator(const Record& record) : record_(record) {}

  Estimate all();

 private:
  using Parameter = model::Parameter;

  model::Cache& cache() { return result_.cache; }
  Verdict verdict(Question question, std::int64_t x = 0) const {
    return judge(record_, question, x).verdict;
  }
  Judgement next_block() const;  // at once, or else after a pause
  void note(std::string text) { result_.notes.push_back(std::move(text)); }
  std::string missing() const;
  // 1 if the probes hit, 0 if they miss; both sometimes: the share that hits.
  Parameter yes_or_no(Question question, std::string method, std::int64_t x = 0,
                      bool hit_means_yes = true);

  void read_facts();
  void read_ahead();
  model::ReadAhead read_ahead_kind();
  Parameter read_ahead_limit(model::ReadAhead kind);
  Parameter over_requested();
  void segments();
  void count_segments();
  void replacement();
  void adaptivity();
  void window();
  void arrival();
  Parameter on_arrival(Question question, const std::string& method);
  void writes();
  void write_segments();
  void segments_of_writes_alone();
  void destaging();
  void writes_not_allowed();
  void not_observed();
  void mode_page();

  const Record& record_;
  Estimate result_;
};

}  // namespace platter::cache_probe
