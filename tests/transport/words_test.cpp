#include "catch.h"
#include "model/error.h"
#include "transport/process.h"

namespace platter::transport {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("words are split as a shell splits them") {
  CHECK(split_words("python3 drive.py --rpm 7200") ==
        Words{"python3", "drive.py", "--rpm", "7200"});
  CHECK(split_words("  a\t b\n") == Words{"a", "b"});
  CHECK(split_words("") == Words{});
  CHECK(split_words("'a b' c") == Words{"a b", "c"});
  CHECK(split_words(R"("a \"b\" \\ \n" c)") == Words{R"(a "b" \ \n)", "c"});
  CHECK(split_words(R"(a\ b \'c \\)") == Words{"a b", "'c", "\\"});
  CHECK(split_words(R"(pre'mid dle'post"more x")") == Words{"premid dlepostmore x"});
  CHECK(split_words(R"('' "")") == Words{"", ""});
  CHECK(split_words(R"('a\b')") == Words{R"(a\b)"});
}

TEST_CASE("nothing of a shell happens to them") {
  CHECK(split_words("echo $HOME *.c > x; y | z & `w`") ==
        Words{"echo", "$HOME", "*.c", ">", "x;", "y", "|", "z", "&", "`w`"});
}

TEST_CASE("an open quote or a last backslash is an error of usage") {
  for (const auto* line : {"'abc", "\"abc", "abc\\", "\"a\\"}) {
    try {
      split_words(line);
      FAIL(line);
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::usage);
    }
  }
}

}  // namespace
}  // namespace platter::transport
