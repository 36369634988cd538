#include "cli/help_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>

namespace platter::cli {
namespace {

struct Word {
  const char* word;
  std::string_view options;  // that take a text, by their long names, each between spaces
};
constexpr Word kWords[] = {
    {"FILE", " output samples resume report log check-log plot trace phase-from with kernel "},
    {"KEY", " key sign "},
    {"MODEL", " for "},
    {"DIR", " journal registry plots files folder results host-root share "},
    {"DEVICE", " device not-in-use "},
    {"TARGET", " on "},
    {"LBNS", " allow-writes skip within writes-within "},
    {"NAME", " section name drive workload scheduler method "},
    {"PARAMETER", " explain "},
    {"PATH=VALUE", " set "},
    {"KIB", " request-kb "},
    {"COLUMNS", " csv-columns "},
    {"EXPRESSION", " line-regex "},
    {"NUMBER", " device-number "},
    {"I/N", " part "},
    {"SOCKET", " nbd vhost-user "},
    {"CONTENTS", " contents "},
    {"PATTERN", " keep "},
    {"DATE", " date "},
    {"BEGINNING", " vendor product revision form-factor "},
    {"RANGE", " capacity rpm block-size "},
    {"WORKLOAD:RANGE", " demerit "},
    {"KEY=VALUE", " annotation "},
    {"PROGRAM", " disksim "},
    {"SETTINGS", " host-queue "},
    {"MM", " width height "},
    {"WORDS", " title "},
    {"NAMES", " labels "},
    {"LBN", " lbn "},
    {"CYLINDER,HEAD,SECTOR", " pbn "},
    {"COMMAND", " command "}};

std::string word_of(const std::string& option) {
  for (const auto& [word, options] : kWords)
    if (options.find(" " + option + " ") != std::string_view::npos) return word;
  return "";
}

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

// A set that is as short stands where it is typed: --progress {plain,json,none}.
constexpr std::size_t kShortSet = 18;

std::string set_in_braces(const CLI::Option& option) {
  const std::vector<std::string> values = set_of_values(option);
  const std::string text = fmt::format("{{{}}}", fmt::join(values, ","));
  return !values.empty() && text.size() <= kShortSet ? text : "";
}

// Of those that help shows; they come in the order of their addresses.
std::string names(const std::set<CLI::Option*>& options) {
  std::set<std::string> names;
  for (const CLI::Option* option : options) names.insert(option->get_name());
  names.erase("");
  return fmt::format("{}", fmt::join(names, ", "));
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
    if (const std::string word = word_of(name); !word.empty()) return word;
  return set_of_values(option).empty() ? kind : "NAME";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  std::string text;
  if (option->get_items_expected_max() > 0) {
    const std::string set = option->get_positional() ? "" : set_in_braces(*option);
    const std::string word = set.empty() ? value_word(*option) : set;
    if (!word.empty()) text += " " + word;
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required()) text += " REQUIRED";
  }
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::vector<std::string> more;
  if (const auto values = set_of_values(*option);
      !values.empty() && (set_in_braces(*option).empty() || option->get_positional()))
    more.push_back(fmt::format("one of {}", fmt::join(values, ", ")));
  if (const std::string range = range_of_values(*option); !range.empty()) more.push_back(range);
  if (const std::string standard = option->get_default_str(); !standard.empty())
    more.push_back("else " + standard);
  if (const std::string with = names(option->get_needs()); !with.empty())
    more.push_back("with " + with);
  if (const std::string without = names(option->get_excludes()); !without.empty())
    more.push_back("not with " + without);
  const std::string what = option->get_description();
  return more.empty() ? what : fmt::format("{} [{}]", what, fmt::join(more, "; "));
}

}  // namespace platter::cli
