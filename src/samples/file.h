// The file of a run's raw samples: JSON lines, each with its check (model/checked_line.h). The
// first says what the file is and which drive it is of; each other holds one payload under its
// name, as {"timing": {...}}. What a payload means is known to the room that measures it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/drive_model.h"

namespace platter::samples {

using Json = nlohmann::ordered_json;

class Writer {
 public:
  // Writes the head.
  Writer(std::ostream& out, const model::Identity& drive);
  // To a file that has so many lines.
  static Writer going_on(std::ostream& out, std::uint64_t lines) { return Writer(lines, out); }
  void add(const char* payload, Json fields);
  std::uint64_t lines() const { return lines_; }

 private:
  Writer(std::uint64_t lines, std::ostream& out) : out_(out), lines_(lines) {}
  void write(const Json& line);

  std::ostream& out_;
  std::uint64_t lines_ = 0;
};

struct Line {
  std::size_t number = 0;  // from 1, the head's
  std::string payload;
  Json fields;
};

class Reader {
 public:
  // Reads the head. Throws Error(bad_input) for what has none, is of another schema or of another
  // major version. `name` is for sentences.
  Reader(std::istream& in, std::string name);

  const std::string& drive() const { return drive_; }  // identity::drive_mark
  // Hands over every line. What `take` throws of one becomes Error(bad_input) that names the line.
  void each(const std::function<void(const Line&)>& take);
  // For `take`: it does not know this payload, or this member of one ("timing.lbn"). Throws
  // Error(bad_input) unless the file is of a newer minor version, whose own that may be.
  void pass_over(const std::string& member);
  const model::PassedOver& passed_over() const { return passed_over_; }
  // Of the last line a part is missing, as after a loss of power: it was left out. Known at the
  // end.
  bool cut() const { return cut_; }

 private:
  std::optional<std::string> whole_line();
  Line line_of(const std::string& text) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::istream& in_;
  std::string name_, drive_;
  std::size_t number_ = 0;
  bool cut_ = false, is_newer_ = false;
  model::PassedOver passed_over_;
};

}  // namespace platter::samples
