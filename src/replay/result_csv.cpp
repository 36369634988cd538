#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "model/error.h"
#include "model/json_text.h"
#include "model/strict_json.h"
#include "replay/result_forms.h"

namespace platter::replay {
namespace {

constexpr std::string_view kCsvColumns =
    "part,op,lbn,blocks,due_ns,issue_ns,response_ns,media,waited_ns";
constexpr std::string_view kColumnsNotWaited =
    "part,op,lbn,blocks,due_ns,issue_ns,response_ns,media";
constexpr std::size_t kCsvPiece = 1 << 20;     // bytes, read or written at a time
constexpr std::size_t kLongestLine = 1 << 20;  // bytes; a line that is longer is none of ours

class Row {
 public:
  Row(const std::string& path, std::size_t number, std::string_view columns, std::string_view text)
      : path_(path), number_(number), columns_(columns), rest_(text) {}

  std::string_view text() {
    const std::size_t comma = rest_.find(',');
    const std::string_view field = rest_.substr(0, comma);
    ended_ = comma == std::string_view::npos;
    rest_ = ended_ ? std::string_view{} : rest_.substr(comma + 1);
    return field;
  }

  template <class Integer>
  Integer integer() {
    const std::string_view field = text();
    Integer value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size())
      fail(fmt::format("\"{}\" is no number in range", field));
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}, line {}: {}; a row is {}", path_, number_, what, columns_));
  }

  bool ended() const { return ended_; }

 private:
  const std::string& path_;
  std::size_t number_;
  std::string_view columns_, rest_;
  bool ended_ = false;
};

Part read_row(Row row, bool waited, Response& response) {
  const std::string_view part = row.text();
  if (part != "reference" && part != "trace") row.fail("the first field is not reference or trace");
  const std::string_view op = row.text();
  if (op != "R" && op != "W") row.fail("the second field is neither R nor W");
  response.write = op == "W";
  response.lbn = row.integer<std::uint64_t>();
  response.blocks = row.integer<std::uint32_t>();
  response.due_ns = row.integer<Nanoseconds>();
  response.issue_ns = row.integer<Nanoseconds>();
  response.response_ns = row.integer<Nanoseconds>();
  if (row.ended()) row.fail("the line is cut short");
  const std::string_view media = row.text();
  if (!media.empty() && media != "0" && media != "1") row.fail("media is not empty, 0 or 1");
  if (!media.empty()) response.media = media == "1";
  if (waited && row.ended()) row.fail("the line is cut short");
  if (waited) response.waited_ns = row.integer<Nanoseconds>();
  if (!row.ended()) row.fail("something follows the last field");
  if (response.response_ns < 0) row.fail("a response time below 0 is none");
  if (!has_possible_times(response)) row.fail("a time of more than 73 years is none");
  return part == "trace" ? Part::trace : Part::reference;
}

// Of the file, where its head tells; what other programs write need not.
std::optional<std::uint64_t> rows_of(std::string_view head, const std::string& path) {
  const auto json = model::parse_strictly<nlohmann::json>(head, path);
  if (!json.contains("rows")) return std::nullopt;
  if (!json["rows"].is_number_unsigned())
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: its head's rows are no number of rows", path));
  return json["rows"].get<std::uint64_t>();
}

class CsvReader final : public ResultReader {
 public:
  CsvReader(Bytes bytes, const std::string& path) : bytes_(std::move(bytes)), path_(path) {
    std::string_view line;
    next_line(line);
    head_ = head_of(line.substr(1), path_);
    told_ = rows_of(line.substr(1), path_);
    next_line(line);
    if (line != kCsvColumns && line != kColumnsNotWaited)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}, line 2: the columns are not {}", path_, kCsvColumns));
    waited_ = line == kCsvColumns;
    columns_ = waited_ ? kCsvColumns : kColumnsNotWaited;
  }

  const ResultHead& head() const override { return head_; }

  bool read(Part& part, std::vector<Response>& rows) override {
    constexpr std::size_t kMost = 8192;
    rows.clear();
    if (held_) rows.push_back(*std::exchange(held_, {}));
    if (!rows.empty()) part = held_part_;
    for (std::string_view line; rows.size() < kMost && next_line(line);) {
      Response response;
      const Part its = read_row(Row(path_, number_, columns_, line), waited_, response);
      ++rows_;
      if (rows.empty()) part = its;
      if (its != part) {
        held_ = response;
        held_part_ = its;
        return true;
      }
      rows.push_back(response);
    }
    if (rows.empty() && told_ && *told_ != rows_)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: has {} rows, its head tells of {}; take the whole file", path_,
                              rows_, *told_));
    return !rows.empty();
  }

 private:
  bool next_line(std::string_view& line) {
    std::size_t end = text_.find('\n', at_);
    while (end == std::string::npos) {
      text_.erase(0, at_);
      at_ = 0;
      const std::size_t had = text_.size();
      if (had > kLongestLine)
        throw Error(
            ExitStatus::bad_input,
            fmt::format("{}, line {}: is longer than a line of a result", path_, number_ + 1));
      bytes_.fill(text_, had + kCsvPiece);
      if (text_.size() == had) break;
      end = text_.find('\n', had);
    }
    if (end == std::string::npos && at_ == text_.size()) return false;
    line = std::string_view(text_).substr(at_, end == std::string::npos ? end : end - at_);
    at_ = end == std::string::npos ? text_.size() : end + 1;
    ++number_;
    return true;
  }

  Bytes bytes_;
  std::string path_, text_{};
  std::size_t at_ = 0, number_ = 0;
  std::optional<std::uint64_t> told_{};
  std::uint64_t rows_ = 0;
  ResultHead head_{};
  std::string_view columns_{};
  bool waited_ = false;
  std::optional<Response> held_{};
  Part held_part_ = Part::trace;
};

class CsvWriter final : public ResultWriter {
 public:
  CsvWriter(const std::string& path, const ResultHead& head)
      : file_(path, line_of(head, 0).size() + kRoom), text_(fmt::format("{}\n", kCsvColumns)) {}

  void add(Part part, std::span<const Response> rows) override {
    for (const Response& row : rows)
      fmt::format_to(std::back_inserter(text_), "{},{},{},{},{},{},{},{},{}\n",
                     part == Part::trace ? "trace" : "reference", row.write ? 'W' : 'R', row.lbn,
                     row.blocks, row.due_ns, row.issue_ns, row.response_ns,
                     row.media ? (*row.media ? "1" : "0") : "", row.waited_ns);
    rows_ += rows.size();
    if (text_.size() > kCsvPiece) flush();
  }

  void finish(const ResultHead& head) override {
    flush();
    std::string line = line_of(head, rows_);
    line.resize(file_.head_bytes() - 1, ' ');
    file_.finish(line + '\n');
  }

 private:
  static constexpr std::size_t kRoom = 512;  // for what only the end knows

  static std::string line_of(const ResultHead& head, std::uint64_t rows) {
    return "# " + head_text(head, model::json_text(nlohmann::json{{"rows", rows}}));
  }

  void flush() {
    file_.write(text_);
    text_.clear();
  }

  HeadedFile file_;
  std::string text_{};
  std::uint64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<ResultReader> csv_reader(Bytes bytes, const std::string& path) {
  return std::make_unique<CsvReader>(std::move(bytes), path);
}

std::unique_ptr<ResultWriter> csv_writer(const std::string& path, const ResultHead& head) {
  return std::make_unique<CsvWriter>(path, head);
}

}  // namespace platter::replay
