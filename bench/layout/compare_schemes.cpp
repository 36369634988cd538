#include "compare_schemes.h"

#include <regex>
#include <set>

namespace platter::bench {
namespace {

std::set<std::string> units(std::string words, bool one_zone) {
  words = std::regex_replace(words, std::regex("perhaps | in front| that absorb slips"), "");
  words = std::regex_replace(words, std::regex("[0-9]+ (to [0-9]+ )?(sectors|tracks) of"), "$2 of");
  std::set<std::string> found;
  for (std::size_t from = 0; from <= words.size();) {
    const std::size_t end = std::min(words.find(" and ", from), words.size());
    std::string unit = words.substr(from, end - from);
    if (one_zone && (unit.ends_with("of the disk") || unit.ends_with("of each zone")))
      unit = "of the only zone";
    found.insert(unit);
    from = end + 5;
  }
  return found;
}

}  // namespace

bool same_units(const std::string& truth, const std::string& found, bool one_zone) {
  return units(truth, one_zone) == units(found, one_zone);
}

}  // namespace platter::bench
