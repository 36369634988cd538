// What the summary of a model says of its map.
#include "report/model_summary.h"

#include "catch.h"
#include "report/one_line.h"

namespace platter::report {
namespace {

TEST_CASE("what is known of a map is said in sentences") {
  model::Layout layout;
  CHECK(layout_standing(layout).empty());
  layout.spares = "2 sectors of each cylinder";
  layout.checks = 600;
  layout.not_understood = {{10, 19, "no rule"}, {30, 30, "no answer"}};
  CHECK(layout_standing(layout) ==
        std::vector<std::string>{
            "spares: 2 sectors of each cylinder",
            "600 blocks drawn at random lie where the map says, by the drive's own numbers: fewer "
            "than 0.5 % lie elsewhere, with 95 % confidence",
            "blocks 10 to 19 are not understood: no rule",
            "blocks 30 to 30 are not understood: no answer"});
  layout.angle.reason = "nothing was timed";
  CHECK(layout_standing(layout)[2] == "rotational positions are not told: nothing was timed");
  layout.not_understood.assign(9, {0, 9, "no rule"});
  CHECK(layout_standing(layout).back() == "90 blocks in 9 stretches are not understood");
}

TEST_CASE("hits and misses that agree stand beside the demerit") {
  model::DriveModel model;
  model.validity.demerits = {
      {.workload = "mixed", .requests = 9, .folded_phase_share = 0.5, .hits_agreed_share = 0.987}};
  CHECK(
      on_one_line(model_as_text(model))
          .find(
              "50.0 % (22.7 to 77.3) in phase, 98.7 % (68.3 to 100.0) of hits and misses agree") !=
      std::string::npos);
}

TEST_CASE("what a note says of a workload stands beside its figures, the rest behind them") {
  model::DriveModel model;
  model.validity.demerits = {{.workload = "random, within the run", .requests = 9},
                             {.workload = "mixed, within the run", .requests = 9}};
  model.validity.note =
      "checked with caches off; of random requests the demerit is far; suspect: seeks; the mixed "
      "workload with the caches on; of mixed requests the demerit may be: 3 took long; a pause";
  const std::string text = on_one_line(model_as_text(model));
  const std::size_t random =
                        text.find("of random requests the demerit is far; suspect: seeks mixed,"),
                    mixed = text.find(
                        "the mixed workload with the caches on; of mixed requests the "
                        "demerit may be: 3 took long checked"),
                    rest = text.find("checked with caches off; a pause");
  CHECK(random < mixed);
  CHECK(mixed < rest);
  REQUIRE(rest != std::string::npos);
  model.validity.demerits.pop_back();  // of a workload without figures nothing is lost
  CHECK(on_one_line(model_as_text(model)).find("off; the mixed workload with the caches on; of") !=
        std::string::npos);
}

TEST_CASE("the kernel's share of a command's time is one line, where it is known") {
  model::DriveModel model;
  CHECK(model_as_text(model).find("dispatch") == std::string::npos);
  model.kernel_share = {0.012, 0.04, 0.05, 0.2, 224};
  CHECK(on_one_line(model_as_text(model))
            .find("of a command without media 0.012 ms above the kernel's dispatch "
                  "(p99 0.040 ms), 0.050 ms behind it (p99 0.200 ms)") != std::string::npos);
  CHECK(model_as_json(model).find("\"behind_p99_ms\": 0.2") != std::string::npos);
}

TEST_CASE("that a host was too noisy stands at the head of the summary") {
  model::DriveModel model;
  const std::string said = "the host is too noisy: of 224 commands, and so on";
  model.provenance.notes = {"something else", "the host is noisy: a little"};
  CHECK(on_one_line(model_as_text(model)).find("noise the host") == std::string::npos);
  model.provenance.notes.push_back(said);
  const std::string text = on_one_line(model_as_text(model));
  CHECK(text.find("noise " + said) < text.find("capacity"));
}

}  // namespace
}  // namespace platter::report
