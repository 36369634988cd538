// The product, and what a key depends on.
#include "study/points.h"

#include <set>

#include "catch.h"
#include "study_folder.h"

namespace platter::study {
namespace {

std::string only_key(const StudyFolder& folder, const std::string& rest,
                     const Program& program = {"platter 1"},
                     const std::string& digest = "sha256:1") {
  const Study study = folder.study(rest);
  const Points points = folder.points(study, program, digest);
  REQUIRE(points.points.size() == 1);
  return points.points[0].key;
}

const std::string kTrace = R"("traces": ["a.trace"])";

TEST_CASE("points are the product of traces and options, the last option fastest") {
  const StudyFolder folder;
  const Study study = folder.study(
      R"("traces": ["a.trace", {"workload": "random", "requests": 7}],
         "options": {"depth": [1, 4], "scheduler": ["fcfs", "sptf"], "speed": 2})");
  const Points points = folder.points(study);
  REQUIRE(points.points.size() == 8);
  std::set<std::string> keys;
  for (const Point& point : points.points) keys.insert(point.key);
  CHECK(keys.size() == 8);
  CHECK(points.points[0].options->at("scheduler") == "fcfs");
  CHECK(points.points[1].options->at("depth") == 4);
  CHECK(points.points[2].options->at("scheduler") == "sptf");
  for (const Point& point : points.points) CHECK(point.options->at("speed") == 2);
  CHECK(points.points[0].requests == 3);
  CHECK(points.points[7].requests == 7);
}

TEST_CASE("a key is that of what the result depends on, however it is written") {
  const StudyFolder folder;
  const std::string key = only_key(folder, kTrace);
  CHECK(key.size() == 64);
  CHECK(only_key(folder, kTrace + R"(, "options": {"depth": 1, "speed": 1.0})") == key);
  CHECK(only_key(folder, R"("traces": [{"name": "other", "file": "a.trace"}])") == key);
  folder.write("b.trace", model::read_file(folder.path("a.trace")));
  CHECK(only_key(folder, R"("traces": ["b.trace"])") == key);

  CHECK(only_key(folder, kTrace + R"(, "options": {"depth": 2})") != key);
  CHECK(only_key(folder, R"("traces": [{"file": "a.trace", "fit": "wrap"}])") != key);
  CHECK(only_key(folder, kTrace, {"platter 2"}) != key);
  CHECK(only_key(folder, kTrace, {"platter 1"}, "sha256:2") != key);
  folder.write("a.trace", "0.0 0 10 8 1\n5.0 0 99 8 0\n9.6 0 500 8 1\n");
  CHECK(only_key(folder, kTrace) != key);
}

TEST_CASE("a trace that is split has points for each device, by their names") {
  const StudyFolder folder;
  folder.write("two.trace", "0.0 3 10 8 1\n5.0 1 99 8 0\n9.5 3 500 8 1\n");
  const Study study = folder.study(R"("traces": [{"file": "two.trace", "split_by": "device"}])");
  const Points points = folder.points(study);
  REQUIRE(points.points.size() == 2);
  CHECK(points.points[0].device == "1");
  CHECK(points.points[0].requests == 1);
  CHECK(points.points[1].device == "3");
  CHECK(points.points[1].requests == 2);
  const TraceFacts& facts = points.traces[0];
  split_by_device(study.traces[0], facts, 512, folder.path("results"));
  const replay::Subject on{.blocks = 1000, .block_bytes = 512};
  const auto reader = open_trace_of(study.traces[0], facts, "3", on, folder.path("results"));
  std::vector<trace::Request> requests(4);
  REQUIRE(reader->read(requests) == 2);
  CHECK(requests[0].lbn == 10);
  CHECK(requests[1].lbn == 500);
  CHECK(requests[1].arrival_ns - requests[0].arrival_ns == 9'500'000);
}

TEST_CASE("a limit is what a point is estimated by") {
  const StudyFolder folder;
  const Points points =
      folder.points(folder.study(kTrace + R"(, "options": {"limit": [null, 2, 9]})"));
  REQUIRE(points.points.size() == 3);
  CHECK(points.points[0].requests == 3);
  CHECK(points.points[1].requests == 2);
  CHECK(points.points[2].requests == 3);
}

}  // namespace
}  // namespace platter::study
