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

std::vector<std::string> names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  return names;
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
  if (!option->get_needs().empty())
    more.push_back(fmt::format("with {}", fmt::join(names(option->get_needs()), ", ")));
  if (!option->get_excludes().empty())
    more.push_back(fmt::format("not with {}", fmt::join(names(option->get_excludes()), ", ")));
  const std::string what = option->get_description();
  return more.empty() ? what : fmt::format("{} [{}]", what, fmt::join(more, "; "));
}

}  // namespace platter::cli
