// The file of a run's raw samples: JSON lines. The first says what the file is and which drive it
// is of; each other holds one payload under its name, as {"timing": {...}}. What a payload means is
// known to the room that measures it.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/drive_model.h"

namespace platter::samples {

using Json = nlohmann::ordered_json;

// 1: lines without the names of payloads. 2: without facts and stages. 4: written at the end of a
// run, facts and all, without sessions; it is still read.
// 5.1: accesses by VERIFY, of which a reader of 5.0 would think that they were reads.
inline constexpr int kMajorVersion = 5, kMinorVersion = 1, kOldestVersion = 4;

class Writer {
 public:
  // Writes the head.
  Writer(std::ostream& out, const model::Identity& drive);
  // To a file that has one.
  explicit Writer(std::ostream& out) : out_(out) {}
  void add(const char* payload, Json fields);

 private:
  std::ostream& out_;
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
  int version() const { return version_; }             // the major one
  // Hands over every line. What `take` throws of one becomes Error(bad_input) that names the line;
  // payloads that nobody takes are those of a later version.
  void each(const std::function<void(const Line&)>& take);
  // The last line has no end, as after a loss of power, and was left out. Known at the end.
  bool cut() const { return cut_; }

 private:
  std::optional<std::string> whole_line();
  Line line_of(const std::string& text) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::istream& in_;
  std::string name_, drive_, buffer_;
  std::size_t number_ = 0;
  int version_ = 0;
  bool cut_ = false;
};

}  // namespace platter::samples
