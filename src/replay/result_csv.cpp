#include "replay/result_csv.h"

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "model/error.h"
#include "model/file.h"
#include "model/strict_json.h"
#include "replay/result_head.h"
#include "replay/temporary_file.h"
#include "trace/compression.h"
#include "trace/line.h"

namespace platter::replay {
namespace {

// A file whose first line is known only when all others are written.
// Compressed if the name ends in .gz or .zst. Throws Error(output).
class HeadedFile {
 public:
  // `room`: bytes that a line leaves the head in a file that is written as it is; the rest is
  // filled with blanks.
  HeadedFile(const std::string& path, std::size_t room);
  ~HeadedFile();

  void write(std::string_view content);
  // `head`: without its line feed.
  void finish(const std::string& head);

 private:
  model::FileWriter file_;
  std::string path_;
  std::size_t room_;
  // Where there is no going back to the beginning, in a pipe or under compression, the rest waits.
  struct Rest;
  std::unique_ptr<Rest> rest_;
};

// Archives may follow one another, so the head is one of its own.
std::string compressed_as(const std::string& path, const std::string& text) {
  std::string bytes;
  const auto sink = trace::compressed(trace::string_sink(bytes), path);
  sink->write(text);
  sink->finish();
  return bytes;
}

// May be longer than memory.
struct HeadedFile::Rest {
  explicit Rest(const std::string& path)
      : sink(trace::compressed(trace::file_sink(file.path()), path)) {}

  void write_to(model::FileWriter& out) {
    sink->finish();
    const std::unique_ptr<trace::ByteSource> bytes = trace::file_source(file.path());
    std::string piece(1 << 16, '\0');
    while (const std::size_t count = bytes->read(piece.data(), piece.size()))
      out.write(std::string_view(piece).substr(0, count));
  }

  TemporaryFile file{"rows"};
  std::unique_ptr<trace::ByteSink> sink;
};

HeadedFile::HeadedFile(const std::string& path, std::size_t room)
    : file_(path), path_(path), room_(room) {
  if (file_.is_stream() || trace::is_compressed_name(path))
    rest_ = std::make_unique<Rest>(path);
  else
    file_.write(std::string(room, ' '));
}
HeadedFile::~HeadedFile() = default;

void HeadedFile::write(std::string_view content) {
  if (rest_)
    rest_->sink->write(content);
  else
    file_.write(content);
}

void HeadedFile::finish(const std::string& head) {
  if (rest_) {
    file_.write(compressed_as(path_, head + '\n'));
    rest_->write_to(file_);
  } else if (head.size() < room_) {
    file_.rewrite_beginning(head + std::string(room_ - 1 - head.size(), ' ') + '\n');
  } else {
    throw Error(ExitStatus::internal, "the head of a result has outgrown the room that it had");
  }
  file_.commit();
}

struct Column {
  enum : std::size_t {
    part,
    op,
    lbn,
    blocks,
    due_ns,
    issue_ns,
    response_ns,
    media,
    waited_ns,
    all
  };
};
constexpr std::string_view kColumnNames =
    "part,op,lbn,blocks,due_ns,issue_ns,response_ns,media,waited_ns";

// `columns`: of the file. A newer one's own are behind those that are known here.
Response response_of(const trace::Line& line, std::size_t columns) {
  if (line.count() != columns)
    line.fail(line.end(), fmt::format("the line has {} fields; a row is {}{}", line.count(),
                                      kColumnNames, columns > Column::all ? " and more" : ""));
  if (line[Column::op] != "R" && line[Column::op] != "W")
    line.fail(Column::op, "op is neither R nor W");
  if (line[Column::media] != "" && line[Column::media] != "0" && line[Column::media] != "1")
    line.fail(Column::media, "media is not empty, 0 or 1");
  Response row{.lbn = line.integer<std::uint64_t>(Column::lbn, "lbn"),
               .blocks = line.integer<std::uint32_t>(Column::blocks, "blocks"),
               .write = line[Column::op] == "W",
               .due_ns = line.integer<Nanoseconds>(Column::due_ns, "due_ns"),
               .issue_ns = line.integer<Nanoseconds>(Column::issue_ns, "issue_ns"),
               .response_ns = line.integer<Nanoseconds>(Column::response_ns, "response_ns"),
               .waited_ns = line.integer<Nanoseconds>(Column::waited_ns, "waited_ns")};
  if (!line[Column::media].empty()) row.media = line[Column::media] == "1";
  if (row.response_ns < 0) line.fail(Column::response_ns, "a response time below 0 is none");
  if (!has_possible_times(row)) line.fail(Column::due_ns, "a time of more than 73 years is none");
  return row;
}

Part part_of(const trace::Line& line) {
  if (line[Column::part] == "trace") return Part::trace;
  if (line[Column::part] != "reference")
    line.fail(Column::part, "part is neither reference nor trace");
  return Part::reference;
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
  CsvReader(std::unique_ptr<trace::ByteSource> bytes, const std::string& path)
      : input_(std::move(bytes), path) {
    const std::string_view head = next_line().value_or("#").substr(1);
    head_ = head_of(head, path);
    told_ = rows_of(head, path);
    take_columns(next_line().value_or(""), path);
    if (head_.passed_over.empty()) head_.passed_over = {};
    model::say_passed_over(head_.passed_over);
  }

  const ResultHead& head() const override { return head_; }

  bool read(Part& its, std::vector<Response>& rows) override {
    constexpr std::size_t kMost = 8192;
    rows.clear();
    if (held_) rows.push_back(*std::exchange(held_, {}));
    its = held_part_;
    while (rows.size() < kMost) {
      const std::optional<std::string_view> text = next_line();
      if (!text) break;
      line_.cut_at(',', *text);
      const Response row = response_of(line_, columns_);
      const Part next = part_of(line_);
      ++rows_;
      if (rows.empty()) its = next;
      if (its != next) {
        held_ = row;
        held_part_ = next;
        return true;
      }
      rows.push_back(row);
    }
    if (rows.empty()) require_all_rows();
    return !rows.empty();
  }

 private:
  void take_columns(std::string_view names, const std::string& path) {
    const bool more = names.starts_with(kColumnNames) &&
                      names.substr(kColumnNames.size()).starts_with(',');
    if (names != kColumnNames && !(more && is_newer(head_)))
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}, line 2: the columns are not {}", path, kColumnNames));
    line_.cut_at(',', names);
    columns_ = line_.count();
    for (std::size_t i = Column::all; i < columns_; ++i)
      pass_over(fmt::format("column {}", line_[i]), path, head_);
  }

  std::optional<std::string_view> next_line() {
    const std::uint64_t begin = input_.offset();
    std::string_view line;
    if (!input_.line(line)) return std::nullopt;
    whole_ = input_.offset() > begin + line.size();
    return line;
  }

  // What tells its rows ends its lines, too.
  void require_all_rows() const {
    if (told_ && *told_ != rows_)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: has {} rows, its head tells of {}; take the whole file",
                              input_.name(), rows_, *told_));
    if (told_ && !whole_)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}, line {}: its end is missing; take the whole file", input_.name(),
                              input_.line_number()));
  }

  trace::Input input_;
  trace::Line line_{input_};
  bool whole_ = true;  // the line read last has its end
  std::optional<std::uint64_t> told_{};
  std::uint64_t rows_ = 0;
  std::size_t columns_ = Column::all;
  ResultHead head_{};
  std::optional<Response> held_{};  // the first of the next part
  Part held_part_ = Part::trace;
};

// Text that is written by the piece.
class CsvWriter final : public ResultWriter {
 public:
  CsvWriter(const std::string& path, const ResultHead& head)
      : file_(path, line_of(head, 0).size() + kRoom), text_(kPiece, '\0') {
    put(kColumnNames, '\n');
  }

  void add(Part part, std::span<const Response> rows) override {
    const std::string_view name = part == Part::trace ? "trace" : "reference";
    for (const Response& row : rows) {
      if (at_ + kLongestRow > text_.size()) flush();
      put(name, ',');
      put(row.write ? "W" : "R", ',');
      put(row.lbn, ',');
      put(row.blocks, ',');
      put(row.due_ns, ',');
      put(row.issue_ns, ',');
      put(row.response_ns, ',');
      put(row.media ? (*row.media ? "1" : "0") : "", ',');
      put(row.waited_ns, '\n');
    }
    rows_ += rows.size();
  }

  void finish(const ResultHead& head) override {
    flush();
    file_.finish(line_of(head, rows_));
  }

 private:
  static constexpr std::size_t kRoom = 640;  // bytes of the head, for what only the end knows
  static constexpr std::size_t kPiece = 1 << 18, kLongestRow = 256;  // bytes

  static std::string line_of(const ResultHead& head, std::uint64_t rows) {
    return "# " + head_text(head, rows);
  }

  void put(std::string_view field, char end) {
    std::memcpy(text_.data() + at_, field.data(), field.size());
    at_ += field.size();
    text_[at_++] = end;
  }
  void put(std::integral auto number, char end) {
    char* const begin = text_.data();
    at_ = std::to_chars(begin + at_, begin + text_.size(), number).ptr - begin;
    text_[at_++] = end;
  }

  void flush() {
    file_.write({text_.data(), at_});
    at_ = 0;
  }

  HeadedFile file_;
  std::string text_;
  std::size_t at_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace

bool has_possible_times(const Response& row) {
  constexpr Nanoseconds kMost = Nanoseconds{1} << 61;  // 73 years
  const auto possible = [](Nanoseconds time_ns) { return time_ns >= -kMost && time_ns <= kMost; };
  return possible(row.due_ns) && possible(row.issue_ns) && possible(row.waited_ns) &&
         row.response_ns >= 0 && possible(row.response_ns);
}

std::unique_ptr<ResultReader> csv_reader(std::unique_ptr<trace::ByteSource> bytes,
                                         const std::string& path) {
  return std::make_unique<CsvReader>(std::move(bytes), path);
}

std::unique_ptr<ResultWriter> csv_writer(const std::string& path, const ResultHead& head) {
  return std::make_unique<CsvWriter>(path, head);
}

}  // namespace platter::replay
