// What a loss of power may leave of a point is none, nor one that somebody edited.
#include "study/store.h"

#include <vector>

#include "../replay/small_drive.h"
#include "catch.h"
#include "damage.h"
#include "model/checked_line.h"
#include "study/run.h"
#include "study_folder.h"

namespace platter::study {
namespace {

TEST_CASE("some of a point's file, zeros in it, or another number, is no point") {
  const StudyFolder folder;
  const Store store(folder.path("results"));
  const std::string key(64, 'a');
  const std::string whole =
      model::checked_file(R"({"schema":{"name":"platter-study-point","version":"1.0"},"key":")" +
                          key + R"(","result":{"requests":3,"mean_ms":1.25}})");
  std::filesystem::create_directories(std::filesystem::path(store.point_path(key)).parent_path());
  const auto left = [&](const std::string& text) {
    model::write_file(store.point_path(key), text);
    return store.point(key);
  };
  CHECK(is_result(left(whole)));
  for (std::size_t kept = 0; kept + 1 < whole.size(); ++kept) {  // but for the line's end
    INFO(kept);
    CHECK(left(whole.substr(0, kept)).is_null());
    CHECK(left(whole.substr(0, kept) + std::string(whole.size() - kept, '\0')).is_null());
  }
  for (std::size_t at = 0; at + 1 < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK(left(changed).is_null());
  }
  std::string edited = whole;
  edited.replace(edited.find("1.25"), 4, "0.99");
  CHECK(left(edited).is_null());
}

// Those of a whole run, so that what is damaged is what a run writes.
TEST_CASE("2,000 damaged points: each is as it was written, or computed anew") {
  const StudyFolder folder;
  const Study study = folder.study(R"("traces": ["a.trace"], "options": {"depth": [1, 2, 4, 8]})");
  Points points = folder.points(study);
  points.models.front().with = [](const nlohmann::json&) {
    return ReplayedOn{.subject = replay::subject_of(replay::testing::drive_model())};
  };
  const Store store(folder.path("results"));
  const auto run = [&] {
    const std::vector<std::size_t> all{0, 1, 2, 3};
    const RunOutcome outcome = run_points(
        study, points, all, {"platter 1"}, store, {}, [](std::uint64_t, double) {},
        [](double, std::uint64_t, std::uint64_t) {});
    CHECK(outcome.failed == 0);
    return outcome.computed;
  };
  REQUIRE(run() == points.points.size());
  std::vector<std::string> whole;
  std::vector<nlohmann::json> results;
  for (const Point& point : points.points) {
    whole.push_back(model::read_file(store.point_path(point.key)));
    results.push_back(store.point(point.key));
    REQUIRE(is_result(results.back()));
  }
  testing::Damage damage(3);
  std::uint64_t anew = 0;
  for (std::size_t i = 0; i < testing::Damage::kMutants; ++i) {
    const std::size_t which = damage() % whole.size();
    const std::string path = store.point_path(points.points[which].key);
    const std::string mutant = damage.of(whole[which]);
    model::write_file(path, mutant);
    INFO(i << ": " << mutant);
    // But for the line's end all of it is there.
    const bool as_written = mutant == whole[which].substr(0, whole[which].size() - 1);
    const std::uint64_t computed = run();
    CHECK(computed == (as_written ? 0 : 1));
    CHECK(store.point(points.points[which].key).at("result") == results[which].at("result"));
    anew += computed;
  }
  CHECK(anew > testing::Damage::kMutants * 9 / 10);
}

}  // namespace
}  // namespace platter::study
