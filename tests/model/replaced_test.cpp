#include "catch.h"
#include "model/printable.h"

namespace platter::model {
namespace {

TEST_CASE("every text is replaced, and what replaces it is not looked at again") {
  CHECK(replaced("a id=b id=", " id=", " id= id=") == "a id= id=b id= id=");
  CHECK(replaced("aaa", "aa", "b") == "ba");
  CHECK(replaced("", "a", "b").empty());
}

}  // namespace
}  // namespace platter::model
