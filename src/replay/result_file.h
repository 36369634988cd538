// Result files as streams, so that a result may be longer than memory: written in the order of the
// trace while the replay runs, read piece by piece. docs/metrics.md tells their bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "replay/result.h"

namespace platter::replay {

enum class Part : std::uint8_t { reference, trace };

// Takes the requests of a replay as they are complete, in the order of the trace, reference reads
// first.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual void add(Part part, std::span<const Response> rows) = 0;
};

// Into a result in memory.
class IntoResult final : public Rows {
 public:
  explicit IntoResult(Result& result) : result_(result) {}

  void add(Part part, std::span<const Response> rows) override {
    std::vector<Response>& all = part == Part::trace ? result_.requests : result_.reference;
    all.insert(all.end(), rows.begin(), rows.end());
  }

 private:
  Result& result_;
};

class ResultWriter : public Rows {
 public:
  // Makes it the file of that name; without, nothing is left of what was added. The head may say
  // more than the one that the writer was made with. Throws Error(output).
  virtual void finish(const ResultHead& head) = 0;
};

// A result's file is CSV, compressed if its name ends in .gz or .zst. Throws Error(usage) for a
// name with an ending that says something else, as .json and .csv.zip; what is no file (a pipe) may
// have it.
void require_result_name(const std::string& path);

// Compressed as the name says. Throws as require_result_name(), and Error(output) for what cannot
// be written.
std::unique_ptr<ResultWriter> create_result(const std::string& path, const ResultHead& head);

class ResultReader {
 public:
  virtual ~ResultReader() = default;
  virtual const ResultHead& head() const = 0;
  // Replaces `rows` by the next ones, all of one part; false: there are none left.
  virtual bool read(Part& part, std::vector<Response>& rows) = 0;
};

// By its content: CSV or a trace with service times, compressed or not. Throws as load_result().
std::unique_ptr<ResultReader> open_result(const std::string& path, bool think_in_front = false);

}  // namespace platter::replay
