// The folder of a study's results: a file for each point, under its key, whole or not there.
//
//   points/ab/KEY.json   what the point is, and its result or why it failed
//   results/KEY.csv.zst  every request (--keep-results)
//   models/KEY.json      a model that was calibrated
//   traces/              what is known of traces (trace_facts.h)
//   table.csv, .jsonl    made of the points (table.h)
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "study/points.h"

namespace platter::study {

class Store {
 public:
  explicit Store(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  std::string point_path(const std::string& key) const;
  std::string result_path(const std::string& key) const;

  // null: it is not there, is not this point's, or is not as it was written.
  nlohmann::json point(const std::string& key) const;

  // Removes what processes that were killed left unfinished, but not what others work on.
  void tidy_up() const;

 private:
  std::string folder_;
};

// Whether it holds a result. A failure is kept, to be a row of the table, and is tried again by the
// next run: it may be the machine's, which had no memory, or the file's, which was not there.
bool is_result(const nlohmann::json& point);

// Why points failed: each reason once, however many points it took.
struct Reason {
  std::string sentence{};
  std::size_t first = 0;   // of the points that failed so, by its index
  std::size_t points = 0;  // how many did
};

struct Failures {
  std::size_t points = 0;
  std::vector<Reason> reasons{};  // the most frequent first
};

// Of these points, by index.
Failures failures_of(const Points& points, const Store& store, std::span<const std::size_t> which);

}  // namespace platter::study
