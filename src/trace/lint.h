// A trace read to its end for what is wrong with it: every record that cannot be read, and what can
// be but looks as if it was not meant so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/record.h"
#include "trace/stream.h"

namespace platter::trace {

enum class Severity : std::uint8_t {
  error,    // cannot be read with these options
  warning,  // can be read, and is suspicious
};

struct Finding {
  Severity severity = Severity::error;
  Place place{};  // number 0: of the trace as a whole
  std::string what{};
};

// A kind of warning at more places than are shown.
struct Repeated {
  std::string what{};       // "a service time of 0: not measured"
  std::uint64_t count = 0;  // of the places that are not among the findings
};

// A request as it was understood.
struct Understood {
  Place place{};
  Request request{};
  std::string device{};  // empty: the format has none
  Kind kind = Kind::open;
};

struct Lint {
  std::string name{};
  Format format = Format::detect;  // detect: an empty file, or none that is known
  std::uint64_t requests = 0;      // that can be read
  std::uint64_t errors = 0, warnings = 0;
  std::vector<Finding> findings{};  // the first ones
  std::vector<Understood> first{};  // the first three requests
  std::vector<Repeated> repeated{};
  std::vector<Skipped> skipped{};
};

// Keeps `most` findings, of each kind of warning the first few, and counts the others. What is
// wrong with the trace is in the result, never thrown; Error(bad_input, permission) for a file that
// cannot be opened.
Lint lint(const std::string& path, const Reading& reading = {}, std::size_t most = 100);
Lint lint(std::unique_ptr<ByteSource> bytes, const std::string& name, const Reading& reading = {},
          std::size_t most = 100);

std::string to_json(const Lint& lint);
std::string to_text(const Lint& lint);

}  // namespace platter::trace
