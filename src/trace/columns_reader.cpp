// Text with one request a line and its parts in columns: CSV as people have it, and the collections
// that were published so.
#include <optional>
#include <utility>

#include "trace/clock_times.h"
#include "trace/device_names.h"
#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/vscsi.h"

namespace platter::trace {
namespace {

using Role = Column::Role;

// As the first line of data tells; one of a header has the same.
Separator separator_of(Input& input) {
  constexpr std::size_t kEnough = 4096;
  std::string_view rest = input.peek(kEnough);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") == line.npos || line.front() == '#') continue;
    if (line.find(',') != line.npos) return Separator::commas;
    if (line.find(';') != line.npos) return Separator::semicolons;
    return Separator::blanks;
  }
  return Separator::commas;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// 'R', 'W'; 'X': another operation; 0: none. In words, or as the flags of Linux' block layer.
char operation_of(std::string_view text) {
  std::string word(text);
  for (char& c : word)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (word == "READ" || word == "WRITE") return word.front();
  if (word.empty() || word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != word.npos) return 0;
  const bool flags = (word.front() == 'R' || word.front() == 'W') &&
                     word.find_first_not_of("SMAFN", 1) == word.npos;
  return flags ? word.front() : 'X';
}

// The same of a SCSI opcode in hexadecimal.
char operation_of_opcode(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  unsigned opcode = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, opcode, 16);
  if (error != std::errc() || rest != end) return 0;
  const ScsiAccess access = access_of(opcode);
  return access == ScsiAccess::read ? 'R' : access == ScsiAccess::write ? 'W' : 'X';
}

class ColumnsReader final : public LineReader {
 public:
  ColumnsReader(Input input, Separator separator, const Columns& columns)
      : LineReader(std::move(input), separator), columns_(columns) {
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

  bool in_bytes() const override { return columns_.in_bytes; }
  bool from_clock() const override { return true; }
  std::uint32_t disorder() const override { return 4096; }
  bool has_devices() const override { return !devices_.empty(); }
  std::string device_text(std::uint32_t device) const override { return names_of_.text_of(device); }

  Place place(Part part) const override {
    switch (part) {
      case Part::time:
        return line().place(at(Role::time));
      case Part::device:
        return line().place(devices_.empty() ? 0 : devices_.front());
      case Part::operation:
        return line().place(at(Role::operation));
      case Part::lbn:
        return line().place(at(Role::offset));
      case Part::blocks:
        return line().place(at(Role::size));
      default:
        return line().place(response_at() ? at(Role::response) : 0);
    }
  }

 private:
  static const char* name_of(Role role) {
    switch (role) {
      case Role::ignored:
        return "-";
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
      default:
        return "device";
    }
  }

  std::size_t at(Role role) const { return at_[static_cast<std::size_t>(role)]; }
  const Column& column(Role role) const { return columns_.list[at(role)]; }
  bool response_at() const { return at(Role::response) != kNone; }

  bool parse(const Line& line, Record& record) override {
    if (line[0].starts_with('#')) return false;
    const bool first = std::exchange(first_, false);
    if (first && is_header(line)) return false;
    line.require_fields(columns_.list.size(), names_.c_str());
    const std::optional<Nanoseconds> arrival_ns = times_.since_first(unquoted(line[at(Role::time)]),
                                                                     column(Role::time).unit_ns);
    if (!arrival_ns) refuse_time(line);
    const std::optional<bool> write = is_write(line);
    if (!write) return false;
    record.request = {.arrival_ns = *arrival_ns, .device = device_of(line), .write = *write};
    record.first = amount(line, Role::offset, "the offset");
    record.count = amount(line, Role::size, "the size");
    if (record.count == 0) {
      skips_.add("requests of no bytes");
      return false;
    }
    if (response_at()) record.request.service_ns = response(line);
    return true;
  }

  // The first line, where it has words in place of a time.
  bool is_header(const Line& line) const {
    if (line.count() <= at(Role::time)) return false;
    const std::string_view time = unquoted(line[at(Role::time)]);
    return time.find_first_of("0123456789") == time.npos;
  }

  [[noreturn]] void refuse_time(const Line& line) const {
    const std::size_t field = at(Role::time);
    const std::string_view text = line[field];
    if (text.find_first_of("eE") != text.npos && text.find_first_of("0123456789") == 0)
      line.fail(field, fmt::format("the time {} is rounded; take the file as it was before a "
                                   "spreadsheet saved it",
                                   shown(text)));
    if (text.find_first_not_of("0123456789.\"") != text.npos || text.empty())
      line.fail(field, fmt::format("the time \"{}\" is no number", shown(text)));
    line.fail(field, fmt::format("the time {} is farther from that of the first request than the "
                                 "104 days that a trace may last; are the times in this unit?",
                                 shown(text)));
  }

  std::optional<bool> is_write(const Line& line) {
    const std::size_t field = at(Role::operation);
    const std::string_view text = unquoted(line[field]);
    const char code = column(Role::operation).code;
    if (code == '0' || code == '1') {
      if (text == "0" || text == "1") return text.front() != code;
      line.fail(field, fmt::format("the operation \"{}\" is neither 0 nor 1", shown(text)));
    }
    const char operation = code == 's' ? operation_of_opcode(text) : operation_of(text);
    if (operation == 0)
      line.fail(field, fmt::format("the operation \"{}\" is none: R, W, Read, Write; digits are "
                                   "told by op:0r1w or op:1r0w, opcodes by op:scsi",
                                   shown(text)));
    if (operation != 'X') return operation == 'W';
    skips_.add("operations that neither read nor write");
    return std::nullopt;
  }

  std::uint32_t device_of(const Line& line) {
    std::string name;
    for (const std::size_t field : devices_) {
      const std::string_view part = unquoted(line[field]);
      if (!DeviceNames::is_plain(part))
        line.fail(field, fmt::format("the device \"{}\" is no name of at most 64 plain characters",
                                     shown(part)));
      if (field != devices_.front()) name += ':';
      name += part;
    }
    return devices_.empty() ? 0 : names_of_.number_of(name);
  }

  std::uint64_t amount(const Line& line, Role role, const char* what) const {
    const std::size_t field = at(role);
    const std::string_view text = unquoted(line[field]);
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range)
      line.fail(field, fmt::format("{} {} lies past the end of any drive", what, shown(text)));
    if (error != std::errc() || rest != end)
      line.fail(field, fmt::format("{} \"{}\" is no whole number", what, shown(text)));
    const std::uint64_t unit = std::max(column(role).unit_bytes, 1u);
    if (value > std::numeric_limits<std::uint64_t>::max() / unit)
      line.fail(field, fmt::format("{} {} lies past the end of any drive", what, shown(text)));
    return value * unit;
  }

  // A request that did not complete has none.
  std::optional<Nanoseconds> response(const Line& line) const {
    const std::size_t field = at(Role::response);
    if (line[field].empty()) return std::nullopt;
    const Nanoseconds time_ns = line.time(field, "the response time",
                                          column(Role::response).unit_ns);
    return time_ns > 0 ? std::optional(time_ns) : std::nullopt;
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  Columns columns_;
  std::size_t at_[7] = {kNone, kNone, kNone, kNone, kNone, kNone, kNone};  // by role
  std::vector<std::size_t> devices_;  // the columns whose texts together name the device
  std::string names_;
  ClockTimes times_;
  DeviceNames names_of_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<RecordReader> columns_reader(Input input, const Columns& columns) {
  const Separator separator = separator_of(input);
  return std::make_unique<ColumnsReader>(std::move(input), separator, columns);
}

}  // namespace platter::trace
