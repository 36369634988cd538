#include "replay/result.h"

#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/file.h"
#include "model/json_head.h"

namespace platter::replay {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "platter-replay-result";
constexpr std::string_view kColumns = "part,op,lbn,blocks,due_ns,issue_ns,response_ns,media";

Json header_json(const Result& result) {
  Json json = model::json_head(kSchema);
  json["target"] = result.target == Result::Target::drive ? "drive" : "model";
  json["name"] = result.name;
  json["trace"] = result.trace;
  json["mode"] = result.kind == trace::Kind::open ? "open" : "closed";
  json["depth"] = result.depth;
  json["caches"] = result.caches;
  json["block_bytes"] = result.block_bytes;
  if (result.period_ns) json["period_ns"] = *result.period_ns;
  if (result.block_transfer_ns) json["block_transfer_ns"] = *result.block_transfer_ns;
  if (result.phase_ns) json["phase_ns"] = *result.phase_ns;
  if (result.outside_validity) json["outside_validity"] = result.outside_validity;
  if (result.retries) json["retries"] = result.retries;
  return json;
}

void add_row(std::string& text, const char* part, const Response& row) {
  fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", part, row.write ? 'W' : 'R',
                 row.lbn, row.blocks, row.due_ns, row.issue_ns, row.response_ns,
                 row.media ? (*row.media ? "1" : "0") : "");
}

Result result_from_header(std::string_view text, const std::string& path) {
  Result result;
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != model::json_head(kSchema).at("schema"))
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: its schema is {}, this platter reads {} 1.0; replay again", path,
                              json.at("schema").dump(), kSchema));
    result.target =
        json.at("target") == "model" ? Result::Target::model : Result::Target::drive;
    result.name = json.at("name").get<std::string>();
    result.trace = json.at("trace").get<std::string>();
    result.kind = json.at("mode") == "closed" ? trace::Kind::closed : trace::Kind::open;
    result.depth = json.at("depth").get<std::uint32_t>();
    result.caches = json.at("caches").get<std::string>();
    result.block_bytes = json.at("block_bytes").get<std::uint32_t>();
    if (json.contains("period_ns")) result.period_ns = json["period_ns"].get<double>();
    if (json.contains("block_transfer_ns"))
      result.block_transfer_ns = json["block_transfer_ns"].get<double>();
    if (json.contains("phase_ns")) result.phase_ns = json["phase_ns"].get<double>();
    result.outside_validity = json.value("outside_validity", std::uint64_t{0});
    result.retries = json.value("retries", std::uint64_t{0});
  } catch (const Json::exception& error) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: its first line is not the header of a replay result: {}", path,
                            error.what()));
  }
  if (result.period_ns && !(*result.period_ns > 0))
    throw Error(ExitStatus::bad_input, fmt::format("{}: period_ns is not above 0", path));
  return result;
}

class Row {
 public:
  Row(const std::string& path, std::size_t number, std::string_view text)
      : path_(path), number_(number), rest_(text) {}

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
                fmt::format("{}, line {}: {}; a row is {}", path_, number_, what, kColumns));
  }

  bool ended() const { return ended_; }

 private:
  const std::string& path_;
  std::size_t number_;
  std::string_view rest_;
  bool ended_ = false;
};

void read_row(Row row, Result& result) {
  const std::string_view part = row.text();
  if (part != "reference" && part != "trace") row.fail("the first field is not reference or trace");
  Response response;
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
  if (!row.ended() || (!media.empty() && media != "0" && media != "1"))
    row.fail("the last field is not empty, 0 or 1");
  if (!media.empty()) response.media = media == "1";
  if (response.response_ns < 0) row.fail("a response time below 0 is none");
  (part == "trace" ? result.requests : result.reference).push_back(response);
}

Result result_from_text(const std::string& text, const std::string& path) {
  std::string_view rest = text;
  const auto next_line = [&] {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return line;
  };
  Result result = result_from_header(next_line().substr(1), path);
  if (next_line() != kColumns)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}, line 2: the columns are not {}", path, kColumns));
  for (std::size_t number = 3; !rest.empty(); ++number)
    read_row(Row(path, number, next_line()), result);
  if (result.requests.empty())
    throw Error(ExitStatus::bad_input, fmt::format("{}: holds no request", path));
  return result;
}

}  // namespace

Result load_result(const std::string& path) {
  const std::string text = model::read_file(path);
  if (text.starts_with('#')) return result_from_text(text, path);
  std::istringstream lines(text);
  return result_of_trace(trace::read_trace(lines, path, {.format = trace::Format::validate}));
}

void save_result(const Result& result, const std::string& path) {
  std::string text = fmt::format("# {}\n{}\n", header_json(result).dump(), kColumns);
  for (const Response& row : result.reference) add_row(text, "reference", row);
  for (const Response& row : result.requests) add_row(text, "trace", row);
  model::write_file(path, text);
}

Result result_of_trace(const trace::Trace& trace) {
  Result result;
  result.name = fmt::format("the drive of {}", std::filesystem::path(trace.name).filename().string());
  result.trace = trace.name;
  result.kind = trace::Kind::closed;
  result.caches = "unknown";
  Nanoseconds issue_ns = 0;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const trace::Request& request = trace.requests[i];
    if (trace.kind != trace::Kind::closed || !request.service_ns)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: request {} has no measured service time, so that it is no result "
                              "of a drive; replay it",
                              trace.name, i + 1));
    result.requests.push_back({.lbn = request.lbn,
                               .blocks = request.blocks,
                               .write = request.write,
                               .due_ns = issue_ns,
                               .issue_ns = issue_ns,
                               .response_ns = *request.service_ns});
    issue_ns += *request.service_ns + request.think_ns;
  }
  return result;
}

}  // namespace platter::replay
