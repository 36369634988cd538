// What people write to ask for something: studies, the arrays in them; the points that a folder of
// results holds; how an emulated drive misbehaves.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "episodes/outcome.h"
#include "episodes/read.h"
#include "fuzz/targets.h"
#include "model/leftovers.h"
#include "samples/checks.h"
#include "study/figures.h"
#include "study/plan.h"
#include "study/points.h"
#include "study/store.h"
#include "study/table.h"

namespace platter::fuzz {
namespace {

study::Points points_of(const study::Study& study) {
  return study::points_of(
      study, {"platter"},
      [](const study::ModelSpec&) {
        return study::Model{"sha256:1", {}};
      },
      "/nonexistent", false);
}

// Its points too, where they need no other file.
void study_file(const std::string& bytes) {
  refusing([&] {
    const study::Study study = study::read_study(file_of(bytes));
    const auto is_made = [](const study::TraceSpec& trace) { return trace.workload.has_value(); };
    const auto is_calibrated = [](const study::Dimension& option) {
      return option.option == "calibrate_with";
    };
    if (!std::ranges::all_of(study.traces, is_made) ||
        std::ranges::any_of(study.options, is_calibrated))
      return;
    constexpr std::size_t kFew = 1000;  // the budget has more than a fuzzer has time for
    std::size_t product = study.models.size() * study.traces.size();
    for (const study::Dimension& option : study.options)
      product = std::min(product * option.values.size(), kFew + 1);
    if (product > kFew) return;
    const study::Points points = points_of(study);
    require(points.points.size() == product, "the points are the product");
    study::require_an_end(study, points);
  });
}

// The input stands where an array's own text does.
void array(const std::string& bytes) {
  study_file(
      R"({"schema":{"name":"platter-study","version":"1.0"},"traces":[{"workload":"random"}],)"
      R"("models":[)" +
      bytes + "]}");
}

struct OnePoint {
  OnePoint() : store(folder.path()) {
    const std::string path = folder.file("study.json");
    std::ofstream(path)
        << R"({"schema":{"name":"platter-study","version":"1.0"},"models":["m.json"],)"
           R"("traces":[{"workload":"random","requests":5}],"plots":[{"x":"depth",)"
           R"("y":"mean_ms","series":"error","panel":["model","served_by"]}]})";
    study = study::read_study(path);
    points = points_of(study);
    path_of_point = store.point_path(points.points[0].key);
    std::filesystem::create_directories(std::filesystem::path(path_of_point).parent_path());
  }
  ~OnePoint() { std::filesystem::remove_all(folder.path() + "/points"); }

  model::TemporaryFolder folder{model::temporary_name("platter-fuzz")};
  study::Store store;
  study::Study study;
  study::Points points;
  std::string path_of_point;
};

// "KEY" in the input is the point's.
void point(const std::string& bytes) {
  static OnePoint one;
  std::string with_key = bytes;
  if (const std::size_t at = with_key.find("KEY"); at != std::string::npos)
    with_key.replace(at, 3, one.points.points[0].key);
  for (const std::string& text : testing::as_it_is_and_checked(with_key)) {
    std::ofstream(one.path_of_point, std::ios::binary | std::ios::trunc) << text;
    const study::Table table = study::table_of(one.study, one.points, one.store);
    require(table.rows.size() + table.missing.size() == 1, "a point is there or missing");
    study::csv_of(table);
    study::rows_of_others(study::json_lines_of(table), one.study, one.points);
    study::rows_of_others(text, one.study, one.points);
    const std::size_t which[] = {0};
    study::failures_of(one.points, one.store, which);
    study::figure_of(one.study.plots[0], table);
  }
}

// And what becomes of some requests.
void episodes_file(const std::string& bytes) {
  refusing([&] {
    const episodes::Schedule schedule = episodes::read_schedule(bytes, "e");
    require(schedule.episodes.size() <= episodes::kMostEpisodes, "no more than there may be");
    Nanoseconds arrival_ns = 0;
    for (std::uint64_t ordinal = 1; ordinal < 20; ++ordinal) {
      const episodes::Request request{static_cast<std::uint32_t>(ordinal % 2),
                                      ordinal,
                                      static_cast<episodes::Kind>(ordinal % 3),
                                      ordinal * 1000,
                                      8,
                                      arrival_ns,
                                      arrival_ns + static_cast<Nanoseconds>(ordinal)};
      Nanoseconds last_ns = request.completion_ns;
      episodes::outcome_of(schedule, request, [&](const episodes::Action& action) {
        require(action.due_ns >= last_ns, "no answer comes before the model's");
        require(action.due_ns == episodes::kNever || action.due_ns <= episodes::kLatest,
                "an answer comes, or never");
        last_ns = action.due_ns;
      });
      arrival_ns = 2 * arrival_ns + kSecond;
    }
  });
}

}  // namespace

std::vector<Target> study_targets() {
  return {{"study", study_file}, {"array", array}, {"points", point}, {"episodes", episodes_file}};
}

}  // namespace platter::fuzz
