#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/json_text.h"
#include "trace/lint.h"

namespace platter::trace {
namespace {

const char* name_of(Severity severity) { return severity == Severity::error ? "error" : "warning"; }

std::uint64_t left_out(const Lint& lint) {
  return lint.errors + lint.warnings - lint.findings.size();
}

std::uint64_t repeated(const Lint& lint) {
  std::uint64_t count = 0;
  for (const Repeated& each : lint.repeated) count += each.count;
  return count;
}

void add_place(nlohmann::ordered_json& entry, const Place& place) {
  entry[place.binary ? "record" : "line"] = place.number;
  entry[place.binary ? "byte" : "column"] = place.column;
}

// Times in ms; of a closed trace the think time in place of the arrival.
nlohmann::ordered_json json_of(const Understood& understood) {
  const Request& request = understood.request;
  nlohmann::ordered_json entry;
  add_place(entry, understood.place);
  entry["operation"] = request.write ? "write" : "read";
  entry["lbn"] = request.lbn;
  entry["blocks"] = request.blocks;
  if (understood.kind == Kind::open)
    entry["arrival_ms"] = to_ms(request.arrival_ns);
  else
    entry["think_ms"] = to_ms(request.think_ns);
  entry["service_ms"] = nullptr;
  if (request.service_ns) entry["service_ms"] = to_ms(*request.service_ns);
  entry["device"] = nullptr;
  if (!understood.device.empty()) entry["device"] = understood.device;
  return entry;
}

std::string understood_text(const Understood& understood) {
  const Request& request = understood.request;
  std::string text = fmt::format("{}: a {} of LBN {}, {} block{}", to_text(understood.place),
                                 request.write ? "write" : "read", request.lbn, request.blocks,
                                 request.blocks == 1 ? "" : "s");
  text += understood.kind == Kind::open
              ? fmt::format(", at {} ms", to_ms(request.arrival_ns))
              : fmt::format(", then {} ms of thinking", to_ms(request.think_ns));
  if (request.service_ns) text += fmt::format(", took {} ms", to_ms(*request.service_ns));
  if (!understood.device.empty()) text += fmt::format(", device {}", understood.device);
  return text;
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string to_json(const Lint& lint) {
  nlohmann::ordered_json json = model::json_head("platter-trace-lint");
  json["name"] = lint.name;
  if (lint.format == Format::detect)
    json["format"] = nullptr;
  else
    json["format"] = name_of(lint.format);
  json["requests"] = lint.requests;
  json["errors"] = lint.errors;
  json["warnings"] = lint.warnings;
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : lint.findings) {
    nlohmann::ordered_json entry;
    entry["severity"] = name_of(finding.severity);
    if (finding.place.number > 0) add_place(entry, finding.place);
    entry["finding"] = finding.what;
    json["findings"].push_back(entry);
  }
  json["findings_left_out"] = left_out(lint);
  json["warnings_repeated"] = nlohmann::ordered_json::object();
  for (const Repeated& each : lint.repeated) json["warnings_repeated"][each.what] = each.count;
  json["first_requests"] = nlohmann::ordered_json::array();
  for (const Understood& each : lint.first) json["first_requests"].push_back(json_of(each));
  json["skipped"] = nlohmann::ordered_json::array();
  for (const Skipped& skipped : lint.skipped) {
    nlohmann::ordered_json entry;
    entry["what"] = skipped.what;
    entry["count"] = skipped.count;
    entry["of_the_format"] = skipped.kind == Skipped::Kind::form;
    add_place(entry, skipped.first);
    json["skipped"].push_back(entry);
  }
  return model::pretty(json);
}

std::string to_text(const Lint& lint) {
  std::string text;
  for (const Understood& each : lint.first) text += fmt::format("  {}\n", understood_text(each));
  for (const Finding& finding : lint.findings)
    text += finding.place.number > 0
                ? fmt::format("{}, {}: {}: {}\n", lint.name, to_text(finding.place),
                              name_of(finding.severity), finding.what)
                : fmt::format("{}: {}: {}\n", lint.name, name_of(finding.severity), finding.what);
  for (const Repeated& each : lint.repeated)
    text += fmt::format("{}: warning: at {}: {}\n", lint.name, counted(each.count, "more place"),
                        each.what);
  if (const std::uint64_t more = left_out(lint) - repeated(lint))
    text += fmt::format("and {} more\n", more);
  text += lint.name;
  if (lint.format != Format::detect) text += fmt::format(" ({})", name_of(lint.format));
  text += fmt::format(": {}, {}, {}", counted(lint.requests, "request"),
                      counted(lint.errors, "error"), counted(lint.warnings, "warning"));
  for (const Skipped& skipped : lint.skipped)
    text += fmt::format("\n  {}: {} {} (the first in {})",
                        skipped.kind == Skipped::Kind::form ? "of the format" : "passed over",
                        skipped.count, skipped.what, to_text(skipped.first));
  return text + "\n";
}

}  // namespace platter::trace
