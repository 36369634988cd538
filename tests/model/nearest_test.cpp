#include "model/nearest.h"

#include "catch.h"

namespace platter::model {

TEST_CASE("what was meant by a name that is not there") {
  const std::vector<std::string> verbs{"characterize", "show", "emit", "emulate", "diff", "import"};
  CHECK(nearest("chracterize", verbs) == "characterize");  // a letter is missing
  CHECK(nearest("shwo", verbs) == "show");                 // two are exchanged
  CHECK(nearest("emti", verbs) == "emit");
  CHECK(nearest("emul", verbs) == "emulate");  // begun
  CHECK(nearest("charaterise", verbs) == "characterize");
  CHECK_FALSE(nearest("foo", verbs));
  CHECK_FALSE(nearest("", verbs));
  CHECK_FALSE(nearest("xy", verbs));
  CHECK_FALSE(nearest(std::string(100000, 'a'), verbs));
  CHECK_FALSE(nearest("show", {}));
  CHECK(did_you_mean("shwo", verbs) == "did you mean show? ");
  CHECK(did_you_mean("shwo", verbs, "a:", ":b") == "did you mean a:show:b? ");
  CHECK(did_you_mean("foo", verbs).empty());
}

}  // namespace platter::model
