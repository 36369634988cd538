// What is no study, in a sentence that names the place.
#include "study/study.h"

#include "catch.h"
#include "model/error.h"
#include "study_folder.h"

namespace platter::study {
namespace {

std::string why_not(const std::string& rest) {
  const StudyFolder folder;
  try {
    folder.study(rest);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "it is one";
}

const std::string kTraces = R"("traces": ["a.trace"])";

TEST_CASE("a study that is read has its paths beside its file") {
  const StudyFolder folder;
  const Study study = folder.study(kTraces + R"(, "plots": [{"x": "depth", "y": "mean_ms",
    "series": "scheduler", "panel": ["model", "trace"]}])");
  CHECK(study.traces[0].path == folder.path("a.trace"));
  CHECK(study.traces[0].given == "a.trace");
  CHECK(study.models[0].name == "m.json");
  CHECK(study.plots[0].panel.size() == 2);
}

TEST_CASE("whole numbers may be written with a point or an exponent") {
  const StudyFolder folder;
  const Study study =
      folder.study(R"("traces": [{"workload": "random", "requests": 2e3, "seed": 7.0}],
    "options": {"depth": [1e1, 4.0], "limit": 1E2, "speed": [0.5, 2.0]})");
  CHECK(study.traces[0].workload->requests == 2000);
  CHECK(study.traces[0].workload->seed == 7);
  CHECK(study.options[0].values[0].dump() == "10");
  CHECK(study.options[0].values[1].dump() == "4");
  CHECK(study.options[1].values[1].dump() == "2");
  CHECK(study.options[2].values[0].dump() == "100");
}

TEST_CASE("a whole number that no key carries is refused with its member") {
  const auto workload = [](const std::string& members) {
    return why_not(R"("traces": [{"workload": "random", )" + members + "}]");
  };
  CHECK(workload(R"("seed": 9007199254740992)") == "it is one");
  CHECK_THAT(workload(R"("seed": 18446744073709551615)"),
             Catch::Contains("trace 1 has the \"seed\" 18446744073709551615, which is no whole "
                             "number from 0 to 9007199254740992"));
  CHECK_THAT(workload(R"("seed": 1.5)"), Catch::Contains("the \"seed\" 1.5, which is no whole"));
  CHECK_THAT(workload(R"("requests": -3)"), Catch::Contains("the \"requests\" -3"));
  CHECK_THAT(workload(R"("streams": 4294967296)"), Catch::Contains("from 0 to 4294967295"));
  CHECK_THAT(why_not(kTraces + R"(, "options": {"delay_seed": 18446744073709551615})"),
             Catch::Contains("a whole number from 0 to 9007199254740992"));
}

TEST_CASE("what is no study is told with its place") {
  CHECK(why_not(kTraces) == "it is one");
  CHECK_THAT(why_not(R"("traces": [])"), Catch::Contains("\"traces\""));
  CHECK_THAT(why_not(R"("traces": [{"file": "a.trace", "fromat": "msr"}])"),
             Catch::Contains("trace 1 has a member \"fromat\""));
  CHECK_THAT(why_not(R"("traces": [{"file": "a.trace", "workload": "random"}])"),
             Catch::Contains("both"));
  CHECK_THAT(why_not(R"("traces": [{"workload": "nonesuch"}])"), Catch::Contains("nonesuch"));
  CHECK_THAT(why_not(R"("traces": ["a.trace", "./a.trace"])"), Catch::Contains("called a.trace"));
  CHECK_THAT(why_not(kTraces + R"(, "options": {"depth": 0})"), Catch::Contains("\"depth\" 0"));
  CHECK_THAT(why_not(kTraces + R"(, "options": {"depth": [2, 2]})"), Catch::Contains("twice"));
  CHECK_THAT(why_not(kTraces + R"(, "options": {"depht": 2})"), Catch::Contains("depht"));
  CHECK_THAT(why_not(kTraces + R"(, "options": {"scheduler": "elevator"})"),
             Catch::Contains("fcfs"));
  CHECK_THAT(why_not(kTraces + R"(, "plots": [{"x": "depth", "y": "mean"}])"),
             Catch::Contains("\"mean\""));
  CHECK_THAT(why_not(kTraces + R"(, "trace": 3)"), Catch::Contains("\"trace\""));
}

}  // namespace
}  // namespace platter::study
