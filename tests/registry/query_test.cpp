#include "registry/query.h"

#include "catch.h"
#include "model/error.h"

namespace platter::registry {
namespace {

bool holds(Figure figure, const char* range, double value) {
  return parse_range(figure, range, "--x").holds(value);
}

TEST_CASE("ranges are read as people type them") {
  CHECK(holds(Figure::capacity, "4T", 4'000'787'030'016));
  CHECK_FALSE(holds(Figure::capacity, "4T", 4.1e12));
  CHECK_FALSE(holds(Figure::capacity, ">4T", 4'000'787'030'016));
  CHECK(holds(Figure::capacity, ">4T", 6'001'175'126'016));
  CHECK(holds(Figure::capacity, ">=4T", 3.999e12));
  CHECK(holds(Figure::capacity, "<500G", 320'072'933'376));
  CHECK_FALSE(holds(Figure::capacity, "<500G", 499e9));
  CHECK(holds(Figure::capacity, "4T..8T", 8'001'563'222'016));
  CHECK(holds(Figure::capacity, " 4 TB .. ", 1e15));
  CHECK(holds(Figure::capacity, "..4t", 0));
  CHECK(holds(Figure::capacity, "1GiB", 1073741824));
  CHECK_FALSE(holds(Figure::capacity, "1G", 1073741824));
  CHECK(holds(Figure::capacity, "9.1G", 9'100'000'000));
  CHECK(holds(Figure::capacity, "=1e9", 1e9));
  CHECK(holds(Figure::rpm, "7200", 7198.4));
  CHECK_FALSE(holds(Figure::rpm, "7200", 7300));
  CHECK(holds(Figure::rpm, "15k", 15015));
  CHECK(holds(Figure::rpm, "7200 rpm", 7200));
  CHECK(holds(Figure::block_size, "4k", 4096));
  CHECK(holds(Figure::block_size, "512", 512));
  CHECK_FALSE(holds(Figure::block_size, "512", 513));
  CHECK_FALSE(holds(Figure::block_size, ">512", 512));
  CHECK(holds(Figure::percent, "<2%", 1.99));
  CHECK_FALSE(holds(Figure::percent, "<2", 2));
  CHECK(holds(Figure::percent, "<=2", 2));
  CHECK(holds(Figure::percent, "1%..2%", 1));
}

TEST_CASE("what is no range is refused, with what one would write") {
  for (const char* text :
       {"", "x", "4X", ">", "..", "-1", "4T8", "nan", "inf", "1e999", "><4", "4,000"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_range(Figure::capacity, text, "--capacity"),
                      Catch::Contains("--capacity: \"") && Catch::Contains("write 4T"));
  }
  CHECK_THROWS_WITH(parse_range(Figure::capacity, "8T..4T", "--capacity"),
                    Catch::Contains("turn them round"));
  CHECK_THROWS_WITH(parse_range(Figure::rpm, "7G", "--rpm"), Catch::Contains("15k"));
  CHECK_THROWS_WITH(parse_demerit("random:2%", "--demerit"), Catch::Contains("'<2%'"));
  CHECK_THROWS_WITH(parse_demerit("random", "--demerit"), Catch::Contains("random:<2%"));
  CHECK_THROWS_WITH(parse_demerit(":<2", "--demerit"), Catch::Contains("random:<2%"));
  CHECK_THROWS_WITH(parse_annotation("serial", "--annotation"), Catch::Contains("vnd.platter"));
}

TEST_CASE("a date means all that begins so") {
  const auto in = [](const char* dates, const std::string& date) {
    const Dates parsed = parse_dates(dates, "--date");
    return date >= parsed.from && (parsed.before.empty() || date < parsed.before);
  };
  CHECK(in("2026", "2026-12-31T23:59:59Z"));
  CHECK_FALSE(in("2026", "2027-01-01T00:00:00Z"));
  CHECK(in("2026-03..2026-05", "2026-05-31T10:00:00Z"));
  CHECK_FALSE(in(">2026-03", "2026-03-31T10:00:00Z"));
  CHECK(in(">=2026-03-15", "2026-03-15T00:00:00Z"));
  CHECK_FALSE(in("<2026-03", "2026-03-01T00:00:00Z"));
  CHECK(in("<=2026-03", "2026-03-01T00:00:00Z"));
  for (const char* text : {"", "26", "2026-3", "2026/03", "yesterday", "..", "2026-13",
                           "2026-02-30", "2026-01-01T25:00"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_dates(text, "--date"), Catch::Contains("write 2026"));
  }
  CHECK_THROWS_WITH(parse_dates("2027..2026", "--date"), Catch::Contains("turn them round"));
}

TEST_CASE("demerits and annotations are split where one means it") {
  CHECK(parse_demerit("a:b:<2%", "").first == "a:b");
  CHECK(parse_annotation("k=a=b", "") == std::pair<std::string, std::string>("k", "a=b"));
}

}  // namespace
}  // namespace platter::registry
