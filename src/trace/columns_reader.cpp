// Text with one request a line and its parts in columns: CSV as people have it, and the collections
// that were published so.
#include <re2/re2.h>

#include <optional>
#include <utility>

#include "trace/clock_times.h"
#include "trace/columns.h"
#include "trace/device_names.h"
#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/number_text.h"
#include "trace/operation.h"
#include "trace/refuse.h"

namespace platter::trace {
namespace {

using Role = Column::Role;

// What a line's fields say, by the columns' roles.
class Fields {
 public:
  explicit Fields(Columns columns) : columns_(std::move(columns)) {
    for (std::size_t i = 0; i < columns_.list.size(); ++i) {
      const Role role = columns_.list[i].role;
      if (role == Role::device)
        devices_.push_back(i);
      else
        at_[static_cast<std::size_t>(role)] = i;
      names_ += i > 0 ? ", " : "";
      names_ += name_of(role);
    }
  }

  const Columns& columns() const { return columns_; }
  const std::string& names() const { return names_; }
  const std::vector<std::size_t>& devices() const { return devices_; }
  bool has(Role role) const { return at_[static_cast<std::size_t>(role)] != kNone; }
  const Column& column(Role role) const {
    return columns_.list[at_[static_cast<std::size_t>(role)]];
  }
  // Which field of the line it is; columns behind `...` count from the end.
  std::size_t field(const Line& line, std::size_t column) const {
    const std::size_t rest = at_[static_cast<std::size_t>(Role::rest)];
    if (rest == kNone || column < rest) return column;
    return std::min(line.count(), Line::kMost) - (columns_.list.size() - column);
  }
  std::size_t field(const Line& line, Role role) const {
    return field(line, at_[static_cast<std::size_t>(role)]);
  }

  bool has_count(const Line& line) const {
    const std::size_t wanted = columns_.list.size();
    return has(Role::rest) ? line.count() + 1 >= wanted && line.count() <= Line::kMost
                           : line.count() == wanted;
  }

  // Valid until the next one.
  std::string_view number(const Line& line, Role role) const {
    return plain_number(line[field(line, role)], columns_.style, column(role).hexadecimal, room_);
  }

  // 'R', 'W', 'X': another operation; 0: none.
  char operation(const Line& line) const {
    if (has(Role::read) && !line[field(line, Role::read)].empty()) return 'R';
    if (has(Role::write) && !line[field(line, Role::write)].empty()) return 'W';
    if (!has(Role::operation)) return 'X';
    const std::string_view text = line[field(line, Role::operation)];
    if (const auto word = columns_.words.find(text); word != columns_.words.end())
      return word->second;
    const char code = column(Role::operation).code;
    if (code == 's') return operation_of_hex_opcode(text);
    if (code == 0) return columns_.words.empty() ? operation_of(text) : word_of(text);
    if (text.size() != 1 || text.front() < '0' || text.front() > '9') return 0;
    if (text.front() > '1') return 'X';  // trims, flushes
    return text.front() == code ? 'R' : 'W';
  }

  // Whether a line can be a request of these columns, or an operation to be passed over.
  bool fits(const Line& line) const {
    if (!has_count(line)) return false;
    return is_time(number(line, Role::time)) && operation(line) != 0 &&
           is_whole(number(line, Role::offset)) && is_whole(number(line, Role::size));
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  static const char* name_of(Role role) {
    switch (role) {
      case Role::ignored:
        return "-";
      case Role::rest:
        return "...";
      case Role::time:
        return "time";
      case Role::response:
        return "response";
      case Role::operation:
        return "op";
      case Role::offset:
        return "offset";
      case Role::size:
        return "size";
      case Role::read:
        return "read";
      case Role::write:
        return "write";
      case Role::device:
        return "device";
    }
    return "";
  }

  // Where words are told, the others are operations that neither read nor write, if they are words.
  static char word_of(std::string_view text) { return operation_of(text) == 0 ? char{0} : 'X'; }

  Columns columns_;
  std::size_t at_[10] = {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  std::vector<std::size_t> devices_;  // the columns whose texts together name the device
  std::string names_;
  mutable std::string room_;
};

void cut_line(Line& line, char separator, std::string_view text) {
  if (separator == ' ')
    line.cut_at_blanks(text);
  else
    line.cut_quoted(separator, text);
}

// The lines of a head, but for one that is cut off.
template <class See>
void for_each_line(std::string_view head, bool whole, const See& see) {
  std::uint64_t number = 0;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    if (end == head.npos && !whole && number > 0) return;
    if (!see(++number, head.substr(0, end))) return;
    head.remove_prefix(std::min(end, head.size() - 1) + 1);
  }
}

// As the first line that fits tells; where none does, as the first with any separator.
char separator_of(Input& input, const Fields& fields) {
  constexpr std::size_t kEnough = 16 * 1024;
  if (fields.columns().separator != 0) return fields.columns().separator;
  char separator = 0, otherwise = 0;
  Line line(input);
  const std::string_view head = input.peek(kEnough);
  for_each_line(head, head.size() < kEnough, [&](std::uint64_t number, std::string_view text) {
    if (number < fields.columns().from || text.starts_with('#')) return true;
    for (const char each : kTriedSeparators) {
      cut_line(line, each, text);
      if (fields.fits(line)) {
        separator = each;
        return false;
      }
      if (otherwise == 0 && line.count() > 1) otherwise = each;
    }
    return true;
  });
  return separator != 0 ? separator : otherwise != 0 ? otherwise : ',';
}

class ColumnsReader : public LineReader {
 public:
  ColumnsReader(Input input, char separator, Fields fields)
      : LineReader(std::move(input), Separator::commas),
        separator_(separator),
        fields_(std::move(fields)) {}

  bool in_bytes() const override { return fields_.columns().in_bytes; }
  bool from_clock() const override { return true; }
  std::uint32_t disorder() const override { return 4096; }
  bool has_devices() const override { return !fields_.devices().empty(); }
  std::string device_text(std::uint32_t device) const override { return names_of_.text_of(device); }

  Place place(Part part) const override {
    switch (part) {
      case Part::time:
        return place(Role::time);
      case Part::device:
        return line().place(has_devices() ? fields_.field(line(), fields_.devices().front()) : 0);
      case Part::operation:
        return place(Role::operation);
      case Part::lbn:
        return place(Role::offset);
      case Part::blocks:
        return place(Role::size);
      case Part::service:
        return place(Role::response);
    }
    return line().place(0);
  }

 protected:
  void cut(Line& line, std::string_view text) const override { cut_line(line, separator_, text); }
  const Fields& fields() const { return fields_; }

  bool parse(const Line& line, Record& record) override {
    if (!begun_ && !begins(line)) return false;
    if (!fields_.has(Role::rest))
      line.require_fields(fields_.columns().list.size(), fields_.names().c_str());
    else if (!fields_.has_count(line))
      line.require_at_least(fields_.columns().list.size() - 1, fields_.names().c_str());
    const Nanoseconds arrival_ns = arrival(line);
    const std::optional<bool> write = is_write(line);
    if (!write) return false;
    record.request = {.arrival_ns = arrival_ns, .device = device_of(line), .write = *write};
    record.first = amount(line, Role::offset, "the offset");
    record.count = amount(line, Role::size, "the size");
    if (record.count == 0) {
      skips_.add("requests of no bytes", line.place(fields_.field(line, Role::size)));
      return false;
    }
    if (fields_.has(Role::response)) record.request.service_ns = response(line);
    return true;
  }

 private:
  Place place(Role role) const {
    return fields_.has(role) ? line().place(fields_.field(line(), role)) : line().place(0);
  }

  // Whether the requests begin with this line; else it is counted.
  bool begins(const Line& line) {
    const std::uint64_t from = fields_.columns().from;
    if (from > 0 && line.place(0).number < from) {
      skips_.add_form("lines in front of the one that is named as the first", line.place(0));
      return false;
    }
    if (from > 0 || fields_.fits(line)) return begun_ = true;
    if (!std::exchange(headed_, true) && is_header(line)) {
      skips_.add_form("headers", line.place(0));
      return false;
    }
    if (!fits_later()) return begun_ = true;  // what is wrong with it is told
    skips_.add("lines in front of the first that fits the columns", line.place(0));
    return false;
  }

  // One of the lines behind fits, of those that are at hand.
  bool fits_later() {
    if (known_later_) return true;
    Line other(input_);
    for_each_line(input_.buffered(), true, [&](std::uint64_t, std::string_view text) {
      cut(other, text);
      known_later_ = !other.empty() && !text.starts_with('#') && fields_.fits(other);
      return !known_later_;
    });
    return known_later_;
  }

  // Words in place of a time.
  bool is_header(const Line& line) const {
    if (!fields_.has_count(line)) return false;
    return line[fields_.field(line, Role::time)].find_first_of("0123456789") ==
           std::string_view::npos;
  }

  Nanoseconds arrival(const Line& line) {
    const std::string_view text = fields_.number(line, Role::time);
    const Nanoseconds unit_ns = fields_.column(Role::time).unit_ns;
    if (const auto arrival_ns = times_.since_first(text, unit_ns)) return *arrival_ns;
    refuse_time(line);
  }

  [[noreturn]] void refuse_time(const Line& line) const {
    const std::size_t field = fields_.field(line, Role::time);
    const std::string_view text = line[field];
    if (text.find_first_of("eE") != text.npos && text.find_first_of("0123456789") == 0)
      line.fail(field, fmt::format("the time {} is rounded; take the file as it was before a "
                                   "spreadsheet saved it",
                                   shown(text)));
    if (!is_time(fields_.number(line, Role::time)))
      line.fail(field, fmt::format("the time \"{}\" is no number{}", shown(text),
                                   text.find(',') == text.npos
                                       ? ""
                                       : "; is its comma one of decimals (decimal=comma)?"));
    line.fail(field, fmt::format("the time {} is farther from that of the first request than the "
                                 "104 days that a trace may last; are the times in this unit?",
                                 shown(text)));
  }

  std::optional<bool> is_write(const Line& line) {
    const char operation = fields_.operation(line);
    if (operation == 'R' || operation == 'W') return operation == 'W';
    const std::size_t field = fields_.has(Role::operation) ? fields_.field(line, Role::operation)
                                                           : 0;
    if (operation == 0) refuse_operation(line, field);
    skips_.add("operations that neither read nor write", line.place(field));
    return std::nullopt;
  }

  [[noreturn]] void refuse_operation(const Line& line, std::size_t field) const {
    const char code = fields_.column(Role::operation).code;
    if (code == '0' || code == '1')
      line.fail(field, fmt::format("the operation \"{}\" is no digit", shown(line[field])));
    line.fail(field, fmt::format("the operation \"{}\" is none: R, W, Read, Write; digits are "
                                 "told by op:0r1w or op:1r0w, opcodes by op:scsi, words by "
                                 "op:WORD=R,WORD=W",
                                 shown(line[field])));
  }

  std::uint32_t device_of(const Line& line) {
    std::string name;
    for (const std::size_t column : fields_.devices()) {
      const std::size_t field = fields_.field(line, column);
      if (!DeviceNames::is_plain(line[field]))
        line.fail(field, fmt::format("the device \"{}\" is no name of at most 64 plain characters",
                                     shown(line[field])));
      if (column != fields_.devices().front()) name += ':';
      name += line[field];
    }
    return has_devices() ? names_of_.number_of(name) : 0;
  }

  std::uint64_t amount(const Line& line, Role role, const char* what) const {
    const std::size_t field = fields_.field(line, role);
    const std::string_view text = fields_.number(line, role);
    if (!is_whole(text))
      line.fail(field, fmt::format("{} \"{}\" is no whole number", what, shown(line[field])));
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::uint64_t unit = std::max(fields_.column(role).unit_bytes, 1u);
    if (error != std::errc() || value > std::numeric_limits<std::uint64_t>::max() / unit)
      line.fail(field,
                fmt::format("{} {} lies past the end of any drive", what, shown(line[field])));
    return value * unit;
  }

  // A request that did not complete has none.
  std::optional<Nanoseconds> response(const Line& line) const {
    const std::size_t field = fields_.field(line, Role::response);
    if (line[field].empty()) return std::nullopt;
    const auto time_ns = time_in(fields_.number(line, Role::response),
                                 fields_.column(Role::response).unit_ns);
    if (!time_ns)
      line.fail(field, fmt::format("the response time \"{}\" is no number, or longer than a trace "
                                   "may last",
                                   shown(line[field])));
    return *time_ns > 0 ? time_ns : std::nullopt;
  }

  char separator_;
  Fields fields_;
  ClockTimes times_;
  DeviceNames names_of_;
  bool begun_ = false, headed_ = false, known_later_ = false;
};

// Lines whose parts an expression finds.
class RegexReader final : public ColumnsReader {
 public:
  RegexReader(Input input, std::unique_ptr<re2::RE2> expression, std::vector<int> groups,
              Fields fields)
      : ColumnsReader(std::move(input), ',', std::move(fields)),
        expression_(std::move(expression)),
        groups_(std::move(groups)),
        found_(static_cast<std::size_t>(expression_->NumberOfCapturingGroups()) + 1) {}

 private:
  void cut(Line& line, std::string_view text) const override {
    if (text.ends_with('\r')) text.remove_suffix(1);
    const re2::StringPiece whole(text.data(), text.size());
    matches_ = expression_->Match(whole, 0, text.size(), re2::RE2::UNANCHORED, found_.data(),
                                  static_cast<int>(found_.size()));
    std::vector<std::string_view> parts;
    for (const int group : groups_) {
      const re2::StringPiece& part = found_[static_cast<std::size_t>(group)];
      const bool there = matches_ && part.data() != nullptr;
      parts.push_back(there ? std::string_view(part.data(), part.size()) : text.substr(0, 0));
    }
    if (text.find_first_not_of(" \t") == text.npos) parts.clear();
    line.set(text, parts);
  }

  bool has_remarks_of_its_own() const override { return true; }
  bool parse(const Line& line, Record& record) override {
    if (matches_) return ColumnsReader::parse(line, record);
    skips_.add("lines that the expression does not match", line.place(0));
    return false;
  }

  std::unique_ptr<re2::RE2> expression_;
  std::vector<int> groups_;  // of the columns, in their order
  mutable std::vector<re2::StringPiece> found_;
  mutable bool matches_ = false;
};

// Of Python's and Perl's ways to name a group RE2 knows the first alone.
std::string with_python_groups(std::string text) {
  for (std::size_t at = 0; (at = text.find("(?<", at)) != text.npos; at += 3)
    if (at + 3 < text.size() && text[at + 3] != '=' && text[at + 3] != '!')
      text.insert(at + 2, "P");
  return text;
}

std::unique_ptr<RecordReader> csv_reader(std::vector<Input> inputs, const Reading& reading) {
  if (!reading.line_regex.empty())
    return regex_reader(std::move(inputs.front()), reading.line_regex);
  if (reading.columns.empty())
    refuse(
        "a csv trace needs its columns named: --csv-columns "
        "time:us,op,offset:bytes,size:bytes,device");
  return columns_reader(std::move(inputs.front()), columns_of(reading.columns));
}

}  // namespace

std::unique_ptr<RecordReader> columns_reader(Input input, const Columns& columns) {
  Fields fields(columns);
  const char separator = separator_of(input, fields);
  return std::make_unique<ColumnsReader>(std::move(input), separator, std::move(fields));
}

std::unique_ptr<RecordReader> regex_reader(Input input, const std::string& expression) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // bytes, whatever the file holds
  auto compiled = std::make_unique<re2::RE2>(with_python_groups(expression), options);
  if (!compiled->ok()) refuse("--line-regex is no expression: {}", shown(compiled->error()));
  Columns columns;
  std::vector<int> groups;
  for (const auto& [group, name] : compiled->CapturingGroupNames()) {
    add_group(columns, name);
    groups.push_back(group);
  }
  require_whole(columns);
  return std::make_unique<RegexReader>(std::move(input), std::move(compiled), std::move(groups),
                                       Fields(columns));
}

FittingLines lines_that_fit(std::string_view head, const Input& input, const Columns& columns) {
  const Fields fields(columns);
  FittingLines best;
  for (const char separator : kTriedSeparators) {
    if (columns.separator != 0 && separator != columns.separator) continue;
    FittingLines fit;
    Line line(input);
    for_each_line(head, false, [&](std::uint64_t number, std::string_view text) {
      cut_line(line, separator, text);
      if (line.empty() || line[0].starts_with('#')) return true;
      if (fields.fits(line))
        fit.first = fit.fit++ == 0 ? number : fit.first;
      else if (fit.fit > 0)
        ++fit.others;
      return true;
    });
    if (fit.fit > best.fit) best = fit;
  }
  return best;
}

const FormatRow kCsv = {
    .format = Format::csv,
    .name = "csv",
    .reader = csv_reader,
};

}  // namespace platter::trace
