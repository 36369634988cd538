// A result that is read several times from its beginning, whatever it comes from.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "replay/result_file.h"

namespace platter::replay {

using OpenResult = std::function<std::unique_ptr<ResultReader>()>;

// A file is opened each time. What can be read only once, a pipe or "-", is kept in a temporary
// file for as long as the opener lives. The readers throw as load_result() does, also for a result
// without requests.
OpenResult result_source(const std::string& path, bool think_in_front = false);
// Of one in memory, which must outlive it and its readers.
OpenResult result_source(const Result& result);

// The requests of a result's trace one by one.
class TraceRows {
 public:
  // The reference reads that it meets go to `reference`.
  explicit TraceRows(ResultReader& reader, std::vector<Response>* reference = nullptr)
      : reader_(reader), reference_(reference) {}

  const Response* next();  // nullptr: there are none left

 private:
  ResultReader& reader_;
  std::vector<Response>* reference_;
  std::vector<Response> rows_{};
  std::size_t at_ = 0;
};

}  // namespace platter::replay
