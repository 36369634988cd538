#include "cli/value_words.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace platter::cli {
namespace {

// Options that take a text, by their long names.
const std::map<std::string, std::string> kWords = {{"output", "FILE"},
                                                   {"samples", "FILE"},
                                                   {"resume", "FILE"},
                                                   {"report", "FILE"},
                                                   {"log", "FILE"},
                                                   {"check-log", "FILE"},
                                                   {"key", "KEY"},
                                                   {"sign", "KEY"},
                                                   {"plot", "FILE"},
                                                   {"trace", "FILE"},
                                                   {"phase-from", "FILE"},
                                                   {"with", "FILE"},
                                                   {"for", "MODEL"},
                                                   {"kernel", "FILE"},
                                                   {"journal", "DIR"},
                                                   {"registry", "DIR"},
                                                   {"plots", "DIR"},
                                                   {"files", "DIR"},
                                                   {"folder", "DIR"},
                                                   {"results", "DIR"},
                                                   {"host-root", "DIR"},
                                                   {"device", "DEVICE"},
                                                   {"on", "TARGET"},
                                                   {"not-in-use", "DEVICE"},
                                                   {"allow-writes", "LBNS"},
                                                   {"skip", "LBNS"},
                                                   {"within", "LBNS"},
                                                   {"writes-within", "LBNS"},
                                                   {"section", "NAME"},
                                                   {"explain", "PARAMETER"},
                                                   {"set", "PATH=VALUE"},
                                                   {"name", "NAME"},
                                                   {"drive", "NAME"},
                                                   {"workload", "NAME"},
                                                   {"request-kb", "KIB"},
                                                   {"csv-columns", "COLUMNS"},
                                                   {"line-regex", "EXPRESSION"},
                                                   {"device-number", "NUMBER"},
                                                   {"part", "I/N"},
                                                   {"nbd", "SOCKET"},
                                                   {"vhost-user", "SOCKET"},
                                                   {"contents", "CONTENTS"},
                                                   {"keep", "PATTERN"},
                                                   {"share", "DIR"},
                                                   {"date", "DATE"},
                                                   {"scheduler", "NAME"},
                                                   {"vendor", "BEGINNING"},
                                                   {"product", "BEGINNING"},
                                                   {"revision", "BEGINNING"},
                                                   {"form-factor", "BEGINNING"},
                                                   {"method", "NAME"},
                                                   {"capacity", "RANGE"},
                                                   {"rpm", "RANGE"},
                                                   {"block-size", "RANGE"},
                                                   {"demerit", "WORKLOAD:RANGE"},
                                                   {"annotation", "KEY=VALUE"},
                                                   {"disksim", "PROGRAM"},
                                                   {"host-queue", "SETTINGS"},
                                                   {"width", "MM"},
                                                   {"height", "MM"},
                                                   {"title", "WORDS"},
                                                   {"labels", "NAMES"},
                                                   {"lbn", "LBN"},
                                                   {"pbn", "CYLINDER,HEAD,SECTOR"},
                                                   {"command", "COMMAND"}};

std::string kind_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, std::min(type.find(':'), type.find(" in [")));
}

std::string behind_kind(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  return colon == std::string::npos ? "" : type.substr(colon + 1);
}

bool is_word(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0;
  });
}

bool is_number(const std::string& kind) {
  return kind == "INT" || kind == "UINT" || kind == "FLOAT" || kind == "NUMBER";
}

}  // namespace

std::vector<std::string> set_of_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  std::vector<std::string> values;
  if (begin == std::string::npos) return values;
  const std::size_t end = std::min(type.find('}', begin), type.size());
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string value; std::getline(list, value, ',');)
    values.push_back(value.substr(0, value.find("->")));
  return values;
}

std::string range_of_values(const CLI::Option& option) {
  const std::string range = behind_kind(option);
  const bool is_range = !range.empty() && !is_word(range) && range.find('{') == std::string::npos &&
                        is_number(kind_of(option));
  return is_range && range.find(" in [") == std::string::npos &&
                 range.find(" [") == std::string::npos
             ? range
             : "";
}

std::string value_word(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0 || option.get_positional()) return "";
  const std::string kind = kind_of(option), rest = behind_kind(option);
  if (kind != "TEXT" && !is_number(kind)) return kind.empty() ? "NUMBER" : kind;
  if (is_word(rest) && rest != "POSITIVE") return rest;
  if (rest.starts_with("SIZE")) return "BYTES";
  if (is_number(kind)) return "NUMBER";
  for (const std::string& name : option.get_lnames())
    if (const auto found = kWords.find(name); found != kWords.end()) return found->second;
  return set_of_values(option).empty() ? kind : "NAME";
}

}  // namespace platter::cli
