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
  model.validity.demerits = {{.workload = "mixed",
                              .requests = 9,
                              .folded_phase_share = 0.5,
                              .hits_agreed_share = 0.987,
                              .phase_requests = 9}};
  CHECK(
      on_one_line(model_as_text(model))
          .find(
              "50.0 % (22.7 to 77.3) in phase, 98.7 % (68.3 to 100.0) of hits and misses agree") !=
      std::string::npos);
}

TEST_CASE("findings stand in front of the notes, with their weight") {
  model::DriveModel model;
  model.provenance.notes = {"a remark"};
  model.provenance.findings = {
      {.code = "mixed-above-floor", .weight = "doubt", .text = "of mixed requests it is far"}};
  const std::string text = on_one_line(model_as_text(model));
  const std::size_t found =
      text.find("Findings mixed-above-floor (doubt): of mixed requests it is far");
  REQUIRE(found != std::string::npos);
  CHECK(found < text.find("Notes a remark"));
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
  const auto noise = [&model](const char* code, const std::string& text) {
    model.provenance.findings.push_back({.code = code, .weight = "doubt", .text = text});
  };
  noise("host-noisy", "the host is noisy: a little");
  CHECK(on_one_line(model_as_text(model)).find("noise the host") == std::string::npos);
  noise("host-too-noisy", said);
  const std::string text = on_one_line(model_as_text(model));
  CHECK(text.find("noise " + said) < text.find("capacity"));
}

}  // namespace
}  // namespace platter::report
