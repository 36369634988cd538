#include "model/user_folder.h"

#include <cstdlib>

#include "catch.h"

namespace platter::model {

TEST_CASE("a user's folder is the one that its variable names, else below the home") {
  ::unsetenv("PLATTER_TEST_HOME");
  ::setenv("HOME", "/home/someone", 1);
  CHECK(user_folder("PLATTER_TEST_HOME", ".local/share") == "/home/someone/.local/share");
  ::setenv("PLATTER_TEST_HOME", "/elsewhere", 1);
  CHECK(user_folder("PLATTER_TEST_HOME", ".local/share") == "/elsewhere");
  SECTION("a path that is not absolute counts as not set") {
    ::setenv("PLATTER_TEST_HOME", "here", 1);
    CHECK(user_folder("PLATTER_TEST_HOME", ".local/share") == "/home/someone/.local/share");
    ::setenv("HOME", "", 1);
    CHECK_FALSE(user_folder("PLATTER_TEST_HOME", ".local/share"));
  }
}

}  // namespace platter::model
