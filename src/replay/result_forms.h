// The two forms of a result file, and the JSON at the head of both.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/file.h"
#include "replay/result_file.h"
#include "trace/bytes.h"

namespace platter::replay {

// The head as one line of JSON, without its end. `more` is JSON's members to come behind it, or
// empty.
std::string head_text(const ResultHead& head, std::string_view more = {});
// Throws Error(bad_input) that begins with `path`.
ResultHead head_of(std::string_view text, const std::string& path);

// Times that sums and differences can be made of; a response is not below 0.
bool has_possible_times(const Response& row);

// Pulls a file's bytes, with the beginning that was looked at in front.
class Bytes {
 public:
  Bytes(std::unique_ptr<trace::ByteSource> source, std::string begin)
      : source_(std::move(source)), held_(std::move(begin)) {}

  // Appends until `out` has so many bytes or the file is at its end.
  void fill(std::string& out, std::size_t bytes);

 private:
  std::unique_ptr<trace::ByteSource> source_;
  std::string held_;
};

std::unique_ptr<ResultReader> csv_reader(Bytes bytes, const std::string& path);
std::unique_ptr<ResultReader> columns_reader(Bytes bytes, const std::string& path);

std::unique_ptr<ResultWriter> csv_writer(const std::string& path, const ResultHead& head);
std::unique_ptr<ResultWriter> columns_writer(const std::string& path, const ResultHead& head);

// A file whose beginning is a head that is written once more at the end, in the room that it
// leaves.
class HeadedFile {
 public:
  HeadedFile(const std::string& path, std::size_t head_bytes);
  ~HeadedFile();

  std::size_t head_bytes() const { return head_bytes_; }
  void write(std::string_view content);
  // `head` has head_bytes(). What is no file gets everything now.
  void finish(std::string_view head);

 private:
  model::FileWriter file_;
  std::size_t head_bytes_;
  struct Held;
  std::unique_ptr<Held> held_;  // what is no file gets it behind the head
};

}  // namespace platter::replay
