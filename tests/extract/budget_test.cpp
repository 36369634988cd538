// A budget holds whatever the drive, and leaves a model that is one; or the run says before it
// begins that it is too short. Drives that are too small for any model say so, too.
#include <algorithm>

#include "catch.h"
#include "extract/runs.h"
#include "model/error.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

model::DriveModel noisy_drive(const char* name) {
  model::DriveModel model = drive_named(name);
  model.imperfections = virtual_drive::default_imperfections(5);
  return model;
}

Run run_on(const model::DriveModel& model, std::optional<double> budget_s, bool writes = false) {
  const Folder folder;
  virtual_drive::VirtualDevice device(model);
  Options options = options_in(folder);
  options.budget_s = budget_s;
  if (writes) options.writable = {{0, model.identity.blocks - 1}};
  return characterize(device, options);
}

// The largest step from one distance of the curve to the next, as a factor.
double widest_step(const model::Seek& seek) {
  double widest = 1;
  for (std::size_t i = 1; i < seek.points.size(); ++i)
    widest = std::max(widest, static_cast<double>(seek.points[i].cylinders) /
                                  static_cast<double>(seek.points[i - 1].cylinders));
  return widest;
}

struct Case {
  const char* drive;
  double budget_s;
  bool writes;
  double most_percent = 4;
};

}  // namespace

TEST_CASE("a budget holds, and the model that it leaves predicts", "[.long]") {
  for (const Case& c : {Case{"maxtor-atlas10k4", 30, false, 12},  // too short, and a note says so
                        Case{"maxtor-atlas10k4", 45, false}, Case{"quantum-atlas10k", 30, true},
                        Case{"quantum-atlas10k", 50, true}, Case{"ibm-ultrastar18es", 36, false},
                        Case{"hp-c2247", 45, true}, Case{"seagate-barracuda4lp", 40, false}}) {
    INFO(c.drive << ", " << c.budget_s << " s" << (c.writes ? ", writes" : ""));
    const model::DriveModel truth = noisy_drive(c.drive);
    const Run run = run_on(truth, c.budget_s, c.writes);
    CHECK(run.model.provenance.drive_seconds < c.budget_s + 0.5);
    CHECK(noted(run, "more than the budget") == (run.model.provenance.drive_seconds > c.budget_s));
    const auto& points = run.model.seek.points;
    REQUIRE(points.size() >= 12);
    CHECK(points.front().cylinders == 1);
    CHECK(points.back().cylinders > 0.99 * (truth.identity.cylinders - 1) - 20);
    CHECK(widest_step(run.model.seek) <= 10);
    REQUIRE_FALSE(run.model.validity.demerits.empty());
    CHECK(run.model.validity.demerits.front().demerit_percent < c.most_percent);
  }
}

TEST_CASE("a short budget leaves a check of the cache, and a long one is spent on it") {
  const auto [drive, budget_s, most_error] = GENERATE(table<const char*, double, double>(
      {{"hp-c2247", 30, 0.15}, {"quantum-atlas10k", 45, 0.1}, {"hp-c2247", 80, 0.03}}));
  CAPTURE(drive, budget_s);
  const Run run = run_on(noisy_drive(drive), budget_s);
  CHECK(run.model.provenance.drive_seconds < budget_s + 0.5);
  REQUIRE(run.model.validity.demerits.size() == 2);
  const model::Demerit& mixed = run.model.validity.demerits.back();
  CHECK(mixed.error_ms.value() < most_error * mixed.drive_mean_ms);
}

TEST_CASE(
    "a budget that is too short for a model is refused, and the sentence says what is enough") {
  const model::DriveModel truth = noisy_drive("quantum-atlas10k");
  double enough_s = 0;
  try {
    run_on(truth, 5);
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    const std::string sentence = error.what();
    const std::string before = "give it ";
    const auto at = sentence.find(before);
    REQUIRE(at != std::string::npos);
    enough_s = std::stod(sentence.substr(at + before.size()));
  }
  const Run run = run_on(truth, enough_s);
  CHECK(run.model.provenance.drive_seconds < enough_s + 0.5);
  CHECK(widest_step(run.model.seek) <= 10);
}

TEST_CASE("a drive of a few blocks is refused in one sentence, before anything is measured") {
  model::DriveModel tiny = noisy_drive("hp-c2247");
  for (const std::uint32_t cylinders : {4u, 6u, 20u}) {
    model::LayoutNode tracks;
    tracks.count = 2;
    tracks.head_step = 1;
    tracks.angle_step_rev = 0.15;
    tracks.sectors = 20;
    model::LayoutNode zone;
    zone.count = cylinders;
    zone.cylinder_step = 1;
    zone.angle_step_rev = 0.3;
    zone.children = {tracks};
    tiny.layout.zones = {zone};
    tiny.layout.skips.clear();
    tiny.layout.remaps.clear();
    tiny.identity.blocks = 40 * cylinders;
    tiny.identity.heads = 2;
    tiny.identity.cylinders = cylinders;
    INFO(tiny.identity.blocks << " blocks");
    try {
      run_on(tiny, std::nullopt);
      FAIL("not refused");
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::unsupported);
      CHECK(std::string(error.what()).find(std::to_string(tiny.identity.blocks) + " blocks") !=
            std::string::npos);
    }
  }
}

}  // namespace platter::extract
