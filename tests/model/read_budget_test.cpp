// What a document asks for is refused where it is counted, before it is made.
#include "model/read_budget.h"

#include <array>
#include <limits>
#include <sstream>

#include "catch.h"
#include "model/checked_line.h"
#include "model/error.h"

namespace platter::model {
namespace {

TEST_CASE("what is taken adds up to the limit and no further") {
  ReadBudget budget("some.json");
  budget.allow(Cost::points, 10);
  budget.take(Cost::points, 4);
  budget.take(Cost::points, 6);
  CHECK(budget.taken(Cost::points) == 10);
  CHECK_THROWS_WITH(budget.take(Cost::points, 1),
                    "some.json: asks for more than 10 points, and 10 are the most of one document; "
                    "see docs/limits.md");
  CHECK(budget.taken(Cost::points) == 10);
  CHECK_THROWS_WITH(budget.take(Cost::entries, std::numeric_limits<std::uint64_t>::max()),
                    Catch::Contains("asks for 18446744073709551615 entries, and 4096 are"));
}

TEST_CASE("a product is named by its factors, also one that no number here holds") {
  ReadBudget budget("study.json");
  const std::array few = {Factor{"models", 1}, Factor{"traces", 20}, Factor{"depths", 30}};
  budget.take_product(Cost::points, few);
  CHECK(budget.taken(Cost::points) == 600);
  const std::array many = {Factor{"models", 1000}, Factor{"traces", 1},
                           Factor{"depths", 1'000'000}};
  CHECK_THROWS_WITH(
      budget.take_product(Cost::points, many),
      Catch::Contains("study.json: asks for 1000 models x 1000000 depths = 1000000000 "
                      "points"));
  std::array<Factor, 9> most;
  most.fill({"values", std::uint64_t{1} << 60});
  CHECK_THROWS_WITH(budget.take_product(Cost::points, most), Catch::Contains("= 3.6e+162 points"));
  // One that overflows, and of which another factor is 0, is none.
  most.back().many = 0;
  budget.take_product(Cost::points, most);
  CHECK(budget.taken(Cost::points) == 600);
}

TEST_CASE("every cost has its line in the table of limits") {
  std::size_t at = 0;
  for (const CostLimit& limit : cost_limits()) {
    CHECK(static_cast<std::size_t>(limit.cost) == at++);
    CHECK(limits_table().find(limit.counted) != std::string::npos);
  }
  CHECK(at == kCosts);
}

TEST_CASE("a line is read to its end, or no further than it may be long") {
  std::istringstream in("one\n\n" + std::string(50'000, 'x') + "\n" + std::string(50'001, 'y') +
                        "\nlast");
  std::string line;
  CHECK(read_line(in, line, 50'000) == LineRead::whole);
  CHECK(line == "one");
  CHECK(read_line(in, line, 50'000) == LineRead::whole);
  CHECK(line.empty());
  CHECK(read_line(in, line, 50'000) == LineRead::whole);
  CHECK(line.size() == 50'000);
  CHECK(read_line(in, line, 50'000) == LineRead::too_long);
  std::istringstream end("whole\ncut");
  CHECK(read_line(end, line, 10) == LineRead::whole);
  CHECK(read_line(end, line, 10) == LineRead::cut);
  CHECK(line == "cut");
  CHECK(read_line(end, line, 10) == LineRead::none);
  std::istringstream exact(std::string(16383, 'z') + "\n");  // as long as a piece
  CHECK(read_line(exact, line, 1 << 20) == LineRead::whole);
  CHECK(line.size() == 16383);
}

}  // namespace
}  // namespace platter::model
