// A model is a pure function of what a run kept: from its file it is the same to the last byte.
#include "extract/estimate.h"

#include <cmath>
#include <sstream>

#include "catch.h"
#include "extract/record_file.h"
#include "extract/runs.h"
#include "extract/stages.h"
#include "model/error.h"
#include "model/json.h"
#include "samples/checks.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::extract;

namespace {

std::string text_of(const Record& record) {
  std::ostringstream text;
  write_record(text, record);
  return std::move(text).str();
}

KeptRecord read(const std::string& text) {
  std::istringstream in(text);
  return read_record(in, "kept.jsonl");
}

Run run_on(const std::string& drive, const std::vector<LbnRange>& writable,
           std::optional<double> budget_s = std::nullopt) {
  const Folder folder;
  virtual_drive::VirtualDevice device(drive_named(drive));
  Options options = options_in(folder);
  options.writable = writable;
  options.budget_s = budget_s;
  return characterize(device, options);
}

void check_that_the_file_tells_the_model(const Run& run) {
  const KeptRecord kept = read(text_of(run.record));
  CHECK(kept.ended);
  CHECK_FALSE(kept.cut);
  CHECK(model::to_json_text(extract::estimate(kept.record)) == model::to_json_text(run.model));
  CHECK(text_of(kept.record) == text_of(run.record));
}

std::string refusal(const std::string& text) {
  try {
    extract::estimate(read(text).record);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

// One line of a file with another text in place of its own, as if it had been written so.
std::string with(const std::string& text, const std::string& from, const std::string& to) {
  std::string other = testing::without_checks(text);
  const std::size_t at = other.find(from);
  REQUIRE(at != std::string::npos);
  return testing::with_checks(other.replace(at, from.size(), to));
}

// The same without the part that begins so, up to the first `end` behind it.
std::string without(const std::string& text, const std::string& from, const std::string& end) {
  std::string other = testing::without_checks(text);
  const std::size_t at = other.find(from);
  REQUIRE(at != std::string::npos);
  return testing::with_checks(other.erase(at, other.find(end, at) + end.size() - at));
}

}  // namespace

TEST_CASE("estimate: of five drives the file tells the model to the last byte", "[.long]") {
  const auto [drive, writes, budget_s] =
      GENERATE(table<const char*, bool, double>({{"hp-c2247", true, 0},
                                                 {"cache-base", false, 0},
                                                 {"cache-adaptive-wide", true, 0},
                                                 {"seeks-apart", true, 0},
                                                 {"cache-base", true, 30}}));
  CAPTURE(drive, budget_s);
  std::vector<LbnRange> writable;
  if (writes) writable.push_back({0, 100'000});
  const Run run = run_on(drive, writable, budget_s > 0 ? std::optional(budget_s) : std::nullopt);
  CHECK(run.record.stages.size() == stages_of(false));
  check_that_the_file_tells_the_model(run);
}

TEST_CASE("estimate: a file cut at the end of any stage gives the model of the stages before") {
  const Run run = run_on("cache-base", {});
  const std::string text = text_of(run.record);
  std::size_t at = 0, stages = 0;
  while ((at = text.find("\n{\"stage\":", at)) != std::string::npos) {
    at = text.find('\n', at + 1);
    ++stages;
    const KeptRecord kept = read(text.substr(0, at + 1) + "{\"timing\":{\"exper");
    CHECK(kept.cut);
    CHECK_FALSE(kept.ended);
    REQUIRE(kept.record.stages.size() == stages);
    const model::DriveModel model = extract::estimate(kept.record);
    CHECK_FALSE(model.provenance.complete == (stages < stages_of(false)));
    CHECK(model.provenance.missing.size() == stages_of(false) - stages);
    model::to_json_text(model);  // is valid
    if (stages > stage_named("seeks"))
      CHECK(model.seek.points.size() == run.model.seek.points.size());
  }
  CHECK(stages == stages_of(false));
}

// What later stages would have told apart is in the errors of what they are in.
TEST_CASE(
    "estimate: overheads of a run that was cut off are those of the whole one within errors") {
  const std::string drive = GENERATE("cache-base", "seagate-cheetah9lp");
  const Folder folder;
  virtual_drive::VirtualDevice device(
      virtual_drive::virtual_model("virtual:" + drive + "?imperfections=default&seed=4"));
  const Run run = characterize(device, options_in(folder));
  REQUIRE(run.model.overheads.per_request);
  const std::string text = text_of(run.record);
  std::size_t end = 0;
  for (std::size_t stage = 0; stage <= kCache; ++stage) end = text.find("\n{\"stage\":", end + 1);
  REQUIRE(end != std::string::npos);
  std::vector<model::DriveModel> partial;
  // All was asked, and not estimated; nothing was asked.
  partial.push_back(extract::estimate(read(text.substr(0, end + 1)).record));
  Record without = run.record;
  without.stages.resize(kCache);
  without.ending.finished = false;
  without.facts.cache = {};
  partial.push_back(extract::estimate(without));
  // All was asked, and there is no seek curve by which to estimate it.
  Record broken = run.record;
  broken.stages.resize(kCache + 1);
  broken.ending.finished = false;
  for (estimate::Sample& sample : broken.samples)
    if (sample.experiment == estimate::Experiment::seek ||
        sample.experiment == estimate::Experiment::seek_command)
      sample.experiment = estimate::Experiment::disturbed;
  partial.push_back(extract::estimate(broken));
  for (const model::DriveModel& model : partial) {
    CHECK_FALSE(model.overheads.per_request);
    for (const auto overhead :
         {&model::Overheads::read_hit_after_read, &model::Overheads::read_miss_after_read}) {
      const model::Parameter &ours = model.overheads.*overhead,
                             &whole = run.model.overheads.*overhead;
      if (!ours) continue;
      CAPTURE(drive, *ours.value, *ours.error, *whole.value, *whole.error);
      CHECK(std::abs(*ours.value - *whole.value) <= 2 * std::hypot(*ours.error, *whole.error));
    }
  }
}

TEST_CASE("estimate: what no drive can have shown is refused in one sentence") {
  const Run run = run_on("cache-base", {}, 30);
  const std::string text = text_of(run.record);
  CHECK_THAT(refusal(with(text, "{\"facts\":", "{\"fact\":")),
             Catch::Contains("\"fact\" is no member of version"));
  CHECK_THAT(refusal(without(text, "{\"facts\":", "\n")), Catch::Contains("before the facts"));
  CHECK_THAT(refusal(text.substr(0, text.find('\n') + 1)), Catch::Contains("no line of facts"));
  CHECK_THAT(refusal(without(text, "{\"session\":", "\n")),
             Catch::Contains("does not say under what its run began"));
  CHECK_THAT(refusal(without(text, ",\"so_far\":", "}")), Catch::Contains("so_far"));
  CHECK_THAT(refusal(with(text, "\"experiment\":\"angle\",\"group\":0,\"write\":false,\"lbn\":",
                          "\"experiment\":\"angle\",\"group\":0,\"write\":false,\"lbn\":9999")),
             Catch::Contains("blocks that the drive does not have"));
  CHECK_THAT(refusal(with(text, "\"completed_ns\":", "\"completed_ns\":-")),
             Catch::Contains("at no time of a run"));
  CHECK_THAT(refusal(with(text, "{\"name\":\"seeks\"", "{\"name\":\"seek\"")),
             Catch::Contains("knows no stage 'seek'"));
  CHECK_THAT(refusal(with(text, "{\"name\":\"seeks\"", "{\"name\":\"layout\"")),
             Catch::Contains("the stage 'layout' comes where 'seeks' was to come"));
  CHECK_THAT(refusal(with(text, "{\"part\":{\"notes\":[]}}\n{\"stage\":", "{\"stage\":")),
             Catch::Contains("the stage 'cache' has 2 parts"));
  CHECK_THAT(refusal(testing::with_checks(testing::without_checks(text) + "{\"timing\":{}}\n")),
             Catch::Contains("it comes after the last one"));
}
