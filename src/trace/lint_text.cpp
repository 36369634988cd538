#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/json_head.h"
#include "model/pretty.h"
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
    if (finding.place.number > 0) {
      entry[finding.place.binary ? "record" : "line"] = finding.place.number;
      entry[finding.place.binary ? "byte" : "column"] = finding.place.column;
    }
    entry["finding"] = finding.what;
    json["findings"].push_back(entry);
  }
  json["findings_left_out"] = left_out(lint);
  json["warnings_repeated"] = nlohmann::ordered_json::object();
  for (const Repeated& each : lint.repeated) json["warnings_repeated"][each.what] = each.count;
  json["skipped"] = nlohmann::ordered_json::object();
  for (const Skipped& skipped : lint.skipped) json["skipped"][skipped.what] = skipped.count;
  return model::pretty(json);
}

std::string to_text(const Lint& lint) {
  std::string text;
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
    text += fmt::format("; passed over: {} {}", skipped.count, skipped.what);
  return text + "\n";
}

}  // namespace platter::trace
