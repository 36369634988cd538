#include "emulator/file_systems/name_patterns.h"

#include <sstream>

#include "catch.h"

using namespace platter::emulator;

namespace {

// Whether a path is named, followed from the root as a file system is.
bool names(const std::vector<std::string>& globs, const std::string& path) {
  const NamePatterns patterns(globs);
  NamePatterns::Positions positions = patterns.at_root();
  std::istringstream components(path);
  bool named = false;
  for (std::string component; std::getline(components, component, '/');) {
    const NamePatterns::Step step = patterns.into(positions, component);
    positions = step.positions;
    named = step.named;
  }
  return named;
}

// Whether anything below could be.
bool leads_on(const std::string& glob, const std::string& folder) {
  const NamePatterns patterns({glob});
  return !patterns.into(patterns.at_root(), folder).positions.empty();
}

}  // namespace

TEST_CASE("patterns name paths from the root", "[names]") {
  CHECK(names({"/etc/passwd"}, "etc/passwd"));
  CHECK(names({"etc/passwd"}, "etc/passwd"));
  CHECK_FALSE(names({"etc/passwd"}, "etc"));
  CHECK_FALSE(names({"etc/passwd"}, "passwd"));
  CHECK_FALSE(names({"etc/passwd"}, "a/etc/passwd"));
  CHECK(names({"*.db"}, "x.db"));
  CHECK_FALSE(names({"*.db"}, "a/x.db"));
  CHECK(names({"a?c/[x-z]*"}, "abc/yes"));
  CHECK_FALSE(names({"a?c/[x-z]*"}, "abc/no"));
}

TEST_CASE("a folder's pattern names all that is below", "[names]") {
  for (const char* const glob : {"a/b", "a/b/", "a/b/**", "/a//b/**/**"}) {
    INFO(glob);
    CHECK(names({glob}, "a/b/c"));
    CHECK(names({glob}, "a/b/c/d/e"));
    CHECK_FALSE(names({glob}, "a/c/b"));
    CHECK(leads_on(glob, "a"));
    CHECK_FALSE(leads_on(glob, "b"));
  }
  for (const char* const glob : {"", "/", "**", "*"}) CHECK(names({glob}, "any/thing"));
}

TEST_CASE("two stars are any depth, none too", "[names]") {
  CHECK(names({"**/*.db"}, "x.db"));
  CHECK(names({"**/*.db"}, "a/b/c/x.db"));
  CHECK_FALSE(names({"**/*.db"}, "a/b/x.txt"));
  CHECK(names({"a/**/z"}, "a/z"));
  CHECK(names({"a/**/z"}, "a/b/z/c"));
  CHECK_FALSE(names({"a/**/z"}, "b/z"));
  CHECK(names({"no", "**/p/**/q"}, "1/p/2/3/q"));
  CHECK_FALSE(names({}, "a"));
}
