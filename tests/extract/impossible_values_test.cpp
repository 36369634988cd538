#include "extract/impossible_values.h"

#include <catch2/catch.hpp>

using namespace platter;

namespace {

model::Parameter ms(double value, double error) {
  model::Parameter result;
  result.value = value;
  result.error = error;
  result.unit = "ms";
  return result;
}

}  // namespace

TEST_CASE("what cannot be is said in words, and stays as measured") {
  model::DriveModel model;
  model.overheads.read_miss_after_read = ms(0.2, 0.004);
  model.write_settle = ms(-0.3, 0.01);  // overlaps: may be
  model.seek.points = {{1, 1.20, 0.01, 20}, {2, 1.19, 0.01, 20}, {3, 1.5, 0.01, 20}};
  CHECK(extract::impossible_values(model).empty());

  model.overheads.read_miss_after_read = ms(-0.003, 0.004);
  model.overheads.write_miss_after_read = ms(-0.1, 0.004);
  model.seek.points.push_back({50, 1.2, 0.01, 20});
  const auto notes = extract::impossible_values(model);
  REQUIRE(notes.size() == 3);
  CHECK(notes[0].find("overheads.read_miss_after_read came out as -0.0030 +- 0.0040 ms") == 0);
  CHECK(notes[0].find("too short to be told from zero") != std::string::npos);
  CHECK(notes[1].find("overlaps with what was taken off") != std::string::npos);
  CHECK(notes[2].find("a seek over 50 cylinders took 1.200 ms, 0.300 ms less than one over 3") == 0);
  CHECK(*model.overheads.write_miss_after_read.value == -0.1);
}
