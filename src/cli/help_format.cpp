#include "cli/help_format.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "cli/value_words.h"

namespace platter::cli {
namespace {

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
