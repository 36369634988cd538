#include "trace/trace.h"

#include <array>
#include <charconv>
#include <fstream>
#include <istream>
#include <limits>
#include <ostream>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "model/error.h"

namespace platter::trace {
namespace {

// Every flag that DiskSim defines for a request; bit 0 is "read".
constexpr std::uint32_t kReadFlag = 0x1;
constexpr std::uint32_t kKnownFlags = 0xE00001C7;
constexpr double kLongestTime_ns = 9e15;  // doubles hold whole nanoseconds up to 2^53

struct Field {
  std::string_view text;
  std::size_t column = 1;
};

// What a person is shown of a field: a file that is no trace may hold anything.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result(text.substr(0, kMost));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > kMost ? result + "..." : result;
}

// One line cut into its fields, with all that an error has to name.
class Line {
 public:
  Line(const std::string& file, std::size_t number, std::string_view text)
      : file_(file), number_(number), length_(text.size()) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = text.find_first_not_of(" \t\r", at);
      if (begin == std::string_view::npos) break;
      const std::size_t end = std::min(text.find_first_of(" \t\r", begin), text.size());
      if (count_ < fields_.size()) fields_[count_] = {text.substr(begin, end - begin), begin + 1};
      ++count_;
      at = end;
    }
  }

  bool empty() const { return count_ == 0; }
  const Field& operator[](std::size_t index) const { return fields_[index]; }

  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}, line {}, column {}: {}", file_, number_, column, what));
  }

  void require_fields(std::size_t wanted, const char* names) const {
    if (count_ < wanted)
      fail(length_ + 1, fmt::format("the line ends after {} of its {} fields ({}); the trace is cut "
                                    "short or is in another format (see --format)",
                                    count_, wanted, names));
    if (count_ > wanted)
      fail(fields_[wanted].column,
           fmt::format("\"{}\" follows the last of the {} fields ({}); the trace is in another "
                       "format (see --format)",
                       shown(fields_[wanted].text), wanted, names));
  }

  template <class Integer>
  Integer integer(std::size_t index, const char* what, int base = 10) const {
    const Field& field = fields_[index];
    std::string_view digits = field.text;
    if (base == 16 && (digits.starts_with("0x") || digits.starts_with("0X"))) digits.remove_prefix(2);
    Integer value{};
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error == std::errc::result_out_of_range)
      fail(field.column, fmt::format("{} {} is out of range (0 to {})", what, shown(field.text),
                                     std::numeric_limits<Integer>::max()));
    if (error != std::errc() || end != digits.data() + digits.size())
      fail(field.column, fmt::format("{} \"{}\" is no {} number", what, shown(field.text),
                                     base == 16 ? "hexadecimal" : "whole"));
    return value;
  }

  // A time in units of `unit_ns` nanoseconds.
  Nanoseconds time(std::size_t index, const char* what, double unit_ns) const {
    const Field& field = fields_[index];
    double value = 0;
    const char* last = field.text.data() + field.text.size();
    const auto [end, error] = std::from_chars(field.text.data(), last, value);
    if (error == std::errc::invalid_argument || end != last)
      fail(field.column, fmt::format("{} \"{}\" is no number", what, shown(field.text)));
    if (error != std::errc() || !(value >= 0 && value * unit_ns <= kLongestTime_ns))
      fail(field.column, fmt::format("{} {} is out of range (0 to {:.0f})", what, shown(field.text),
                                     kLongestTime_ns / unit_ns));
    return static_cast<Nanoseconds>(std::llround(value * unit_ns));
  }

 private:
  const std::string& file_;
  std::size_t number_, length_;
  std::array<Field, 8> fields_{};
  std::size_t count_ = 0;
};

void check_extent(const Line& line, std::size_t lbn_field, std::size_t blocks_field,
                  const Request& request, const Reading& reading) {
  if (request.blocks == 0) line.fail(line[blocks_field].column, "a request of 0 blocks is none");
  const std::uint64_t capacity =
      reading.blocks.value_or(std::numeric_limits<std::uint64_t>::max());
  if (request.lbn >= capacity || request.blocks > capacity - request.lbn)
    line.fail(line[lbn_field].column,
              fmt::format("LBN {} with {} blocks lies past the end of the drive, which has {} blocks",
                          request.lbn, request.blocks, capacity));
}

Request ascii_request(const Line& line) {
  line.require_fields(5, "time in ms, device, LBN, blocks, flags");
  Request request;
  request.arrival_ns = line.time(0, "the arrival time", 1e6);
  request.device = line.integer<std::uint32_t>(1, "the device number");
  request.lbn = line.integer<std::uint64_t>(2, "the LBN");
  request.blocks = line.integer<std::uint32_t>(3, "the number of blocks");
  const auto flags = line.integer<std::uint32_t>(4, "the flags", 16);
  if (flags & ~kKnownFlags)
    line.fail(line[4].column,
              fmt::format("the flags {} hold bits that no request has", shown(line[4].text)));
  request.write = !(flags & kReadFlag);
  return request;
}

Request validate_request(const Line& line) {
  line.require_fields(6, "R or W, tag, LBN, blocks, service time in us, think time in us");
  Request request;
  if (line[0].text != "R" && line[0].text != "W")
    line.fail(line[0].column, fmt::format("\"{}\" is neither R nor W", shown(line[0].text)));
  request.write = line[0].text == "W";
  request.tag = line[1].text;
  request.lbn = line.integer<std::uint64_t>(2, "the LBN");
  request.blocks = line.integer<std::uint32_t>(3, "the number of blocks");
  if (const Nanoseconds service_ns = line.time(4, "the service time", 1e3); service_ns > 0)
    request.service_ns = service_ns;
  request.think_ns = line.time(5, "the time to the next issue", 1e3);
  return request;
}

Format detected(const Line& line) {
  if (line[0].text == "R" || line[0].text == "W") return Format::validate;
  const char first = line[0].text.front();
  if ((first >= '0' && first <= '9') || first == '.') return Format::ascii;
  line.fail(line[0].column,
            fmt::format("\"{}\" begins neither a validate trace (R or W) nor an ascii trace (a time)",
                        shown(line[0].text)));
}

std::string listed(const std::set<std::uint32_t>& devices) {
  std::string list;
  for (const std::uint32_t device : devices) {
    if (list.size() > 100) return list + ", ...";
    list += fmt::format("{}{}", list.empty() ? "" : ", ", device);
  }
  return list;
}

void check_devices(const std::string& name, const std::set<std::uint32_t>& devices,
                   const Reading& reading) {
  if (reading.device && !devices.contains(*reading.device))
    throw Error(ExitStatus::bad_input, fmt::format("{} has no request for device {}; it has devices {}",
                                                   name, *reading.device, listed(devices)));
  if (!reading.device && devices.size() > 1)
    throw Error(ExitStatus::bad_input,
                fmt::format("{} holds requests for several devices ({}): choose one with "
                            "--device-number N",
                            name, listed(devices)));
}

}  // namespace

Trace read_trace(std::istream& in, const std::string& name, const Reading& reading) {
  Trace trace;
  trace.name = name;
  Format format = reading.format;
  std::set<std::uint32_t> devices;
  Nanoseconds latest_ns = 0;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    const Line line(name, number, text);
    if (line.empty()) continue;
    if (format == Format::detect) format = detected(line);
    const bool ascii = format == Format::ascii;
    Request request = ascii ? ascii_request(line) : validate_request(line);
    if (request.arrival_ns < latest_ns)
      line.fail(line[0].column, fmt::format("the arrival time {} ms is before that of the line above",
                                            line[0].text));
    latest_ns = request.arrival_ns;
    devices.insert(request.device);
    if (ascii && reading.device && request.device != *reading.device) continue;
    check_extent(line, 2, 3, request, reading);
    trace.requests.push_back(std::move(request));
  }
  if (in.bad())
    throw Error(ExitStatus::bad_input, fmt::format("{} cannot be read to its end", name));
  if (devices.empty()) throw Error(ExitStatus::bad_input, fmt::format("{} holds no request", name));
  trace.kind = format == Format::ascii ? Kind::open : Kind::closed;
  if (format == Format::ascii) check_devices(name, devices, reading);
  return trace;
}

Trace read_trace_file(const std::string& path, const Reading& reading) {
  std::ifstream in(path);
  if (!in)
    throw Error(ExitStatus::bad_input, fmt::format("{} cannot be opened; is its name right?", path));
  return read_trace(in, path, reading);
}

void require_within(const Trace& trace, std::uint64_t blocks) {
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const Request& request = trace.requests[i];
    if (request.lbn >= blocks || request.blocks > blocks - request.lbn)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: request {} (LBN {}, {} blocks) lies past the end of the drive, "
                              "which has {} blocks; make a trace for this drive",
                              trace.name, i + 1, request.lbn, request.blocks, blocks));
  }
}

Trace converted(const Trace& trace, Kind kind) {
  Trace result = trace;
  if (trace.kind == kind) return result;
  result.kind = kind;
  std::vector<Request>& requests = result.requests;
  if (kind == Kind::closed) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const bool last = i + 1 == requests.size();
      requests[i].think_ns = last ? 0 : requests[i + 1].arrival_ns - requests[i].arrival_ns;
    }
    for (Request& request : requests) request.arrival_ns = 0;
    return result;
  }
  Nanoseconds now_ns = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].service_ns && i + 1 < requests.size())
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: request {} has no measured service time, so that the arrival of "
                              "the next one is not known; replay it on a drive first",
                              trace.name, i + 1));
    requests[i].arrival_ns = now_ns;
    now_ns += requests[i].service_ns.value_or(0) + requests[i].think_ns;
    requests[i].think_ns = 0;
  }
  return result;
}

void write_trace(std::ostream& out, const Trace& trace, Format format) {
  if (format == Format::validate) {
    for (const Request& request : converted(trace, Kind::closed).requests)
      out << fmt::format("{} {} {} {} {:.3f} {:.3f}\n", request.write ? 'W' : 'R',
                         request.tag.empty() ? "Hit" : request.tag, request.lbn, request.blocks,
                         static_cast<double>(request.service_ns.value_or(0)) / 1e3,
                         static_cast<double>(request.think_ns) / 1e3);
    return;
  }
  for (const Request& request : converted(trace, Kind::open).requests)
    out << fmt::format("{:.6f} {} {} {} {:x}\n", to_ms(request.arrival_ns), request.device,
                       request.lbn, request.blocks, request.write ? 0u : kReadFlag);
}

}  // namespace platter::trace
