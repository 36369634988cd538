#include "emulator/file_systems/name_patterns.h"

#include <fnmatch.h>

#include <algorithm>

namespace platter::emulator {
namespace {

constexpr const char* kAnyDepth = "**";

std::vector<std::string> components_of(const std::string& glob) {
  std::vector<std::string> components;
  for (std::size_t begin = 0; begin <= glob.size();) {
    const std::size_t end = std::min(glob.find('/', begin), glob.size());
    if (end > begin) components.push_back(glob.substr(begin, end - begin));
    begin = end + 1;
  }
  return components;
}

}  // namespace

NamePatterns::NamePatterns(const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) {
    std::vector<std::string> components = components_of(glob);
    // A folder's pattern goes on to what is below, and so does one that ends so.
    while (!components.empty() && components.back() == kAnyDepth) components.pop_back();
    if (components.empty()) components.emplace_back("*");  // the root's
    patterns_.push_back(std::move(components));
  }
}

// Any depth may be none.
void NamePatterns::add(Positions& positions, Position position) const {
  const auto& components = patterns_[position.pattern];
  for (;;) {
    if (std::ranges::find(positions, position) != positions.end()) return;
    positions.push_back(position);
    if (position.component >= components.size() || components[position.component] != kAnyDepth)
      return;
    ++position.component;
  }
}

NamePatterns::Positions NamePatterns::at_root() const {
  Positions positions;
  for (std::uint32_t i = 0; i < patterns_.size(); ++i) add(positions, {i, 0});
  return positions;
}

NamePatterns::Step NamePatterns::into(const Positions& positions, const std::string& name) const {
  Step step;
  for (const Position& at : positions) {
    const auto& components = patterns_[at.pattern];
    if (at.component >= components.size()) {  // below what is named
      step.named = true;
      add(step.positions, at);
    } else if (components[at.component] == kAnyDepth) {
      add(step.positions, at);
    } else if (fnmatch(components[at.component].c_str(), name.c_str(), 0) == 0) {
      step.named |= at.component + 1 == components.size();
      add(step.positions, {at.pattern, at.component + 1});
    }
  }
  return step;
}

}  // namespace platter::emulator
