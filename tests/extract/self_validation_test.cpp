// A model is judged, and its constant biases are corrected, by requests of its own run.
#include "extract/self_validation.h"

#include <random>

#include "catch.h"
#include "mtbrc/context.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

struct Measured {
  explicit Measured(model::DriveModel model) : truth(std::move(model)), device(truth) {
    drive.identify();
    REQUIRE(drive.settings().set_cache(false, true, true));
  }
  replay::Result requests(Nanoseconds time_ns) {
    SelfValidationOptions options;
    options.drive_time_ns = time_ns;
    return random_requests(context, truth, options);
  }
  model::DriveModel truth;
  virtual_drive::VirtualDevice device;
  scsi::Guard guard{device, {}};
  scsi::Drive drive{guard, "the drive"};
  mtbrc::Context context{drive, 5};
};

model::DriveModel atlas() {
  const auto* entry = virtual_drive::find_in_catalogue("quantum-atlas10k");
  REQUIRE(entry != nullptr);
  model::DriveModel model = virtual_drive::catalogue_model(*entry);
  model.imperfections = virtual_drive::default_imperfections(8);
  return model;
}

// A third of the requests are writes anywhere; the model is the truth, and nothing varies.
struct Written {
  explicit Written(const char* name) {
    const auto* entry = virtual_drive::find_in_catalogue(name);
    REQUIRE(entry != nullptr);
    truth = virtual_drive::catalogue_model(*entry);
    truth.imperfections = {};
    virtual_drive::VirtualDevice device{truth};
    const LbnRange all{0, truth.identity.blocks - 1};
    scsi::Guard guard{device, {.writes = {all}}};
    scsi::Drive drive{guard, "the drive"};
    drive.identify();
    mtbrc::Context context{drive, 5};
    result = mixed_requests(context, truth, {.writable = {all}});
    notes = judge_mixed(result, truth);
  }
  model::DriveModel truth;
  replay::Result result;
  model::Notes notes;
};

}  // namespace

TEST_CASE("what was read before it is written is among the requests, and judges nothing") {
  for (const char* name : {"quantum-atlas10k", "modern-500gb"}) {
    CAPTURE(name);
    const Written drive(name);
    std::size_t learned = 0, writes = 0;
    for (auto one = drive.result.requests.begin(); one != drive.result.requests.end(); ++one) {
      writes += one->write ? 1 : 0;
      learned += !one->write &&
                 std::any_of(one, drive.result.requests.end(), [&](const auto& later) {
                   return later.write && later.lbn == one->lbn && later.blocks == one->blocks;
                 });
    }
    CHECK(writes > 10);
    CHECK(learned > writes / 2);
    REQUIRE(drive.truth.validity.demerits.size() == 1);
    const model::Demerit& mixed = drive.truth.validity.demerits.front();
    CHECK(mixed.requests <= drive.result.requests.size() - learned);
    CHECK(mixed.hits_agreed_share == 1);
    CHECK(mixed.demerit_percent < 0.5);
  }
}

TEST_CASE("the true model passes its self-validation, in the time that was given for it") {
  Measured drive(atlas());
  const Nanoseconds before_ns = drive.drive.now_ns();
  const replay::Result result = drive.requests(5 * kSecond);
  const double took_s = static_cast<double>(drive.drive.now_ns() - before_ns) * 1e-9;
  CHECK(took_s > 4);
  CHECK(took_s < 6);
  model::DriveModel model = drive.truth;
  validate_by(result, model);
  REQUIRE(model.validity.demerits.size() == 1);
  const model::Demerit& found = model.validity.demerits.front();
  CHECK(found.requests == result.requests.size() - 1);  // nothing was learned from any
  CHECK(found.folded_phase_share > 0.95);
  CHECK(found.demerit_percent < 5);
  CHECK(found.hits_agreed_share == 1);
  CHECK(model.validity.reads);
  CHECK_FALSE(model.validity.writes);
  CHECK(model.validity.last_lbn == model.identity.blocks - 1);
}

TEST_CASE("a constant that is wrong in all positioning times is found and corrected") {
  Measured drive(atlas());
  const replay::Result result = drive.requests(5 * kSecond);
  model::DriveModel model = drive.truth;
  const double right_ms = model.overheads.read_miss_after_read.value.value();
  model.overheads.read_miss_after_read.value = right_ms + 1.5;
  const auto notes = validate_by(result, model);
  REQUIRE(notes.size() == 1);
  CHECK(notes.front().text().find("were corrected") != std::string::npos);
  CHECK(std::abs(model.overheads.read_miss_after_read.value.value() - right_ms) < 0.4);
  CHECK(model.validity.demerits.front().folded_phase_share > 0.95);
}

TEST_CASE("zones that are turned are turned back, as far as there were requests in them") {
  Measured drive(atlas());
  const replay::Result result = drive.requests(5 * kSecond);
  model::DriveModel model = drive.truth;
  std::vector<double> right;
  for (const model::LayoutNode& zone : model.layout.zones) right.push_back(zone.angle_rev);
  model.layout.zones[0].angle_rev += 0.05;
  model.layout.zones[3].angle_rev -= 0.04;
  validate_by(result, model);
  for (const std::size_t z : {std::size_t{0}, std::size_t{3}})
    CHECK(std::abs(std::remainder(model.layout.zones[z].angle_rev - right[z], 1.0)) < 0.004);
  CHECK(model.validity.demerits.front().folded_phase_share > 0.95);
}

// What makes a zone's requests late is then something else (a bus slower than some zones' media).
TEST_CASE("an angle that is known is not turned") {
  Measured drive(atlas());
  const replay::Result result = drive.requests(5 * kSecond);
  model::DriveModel model = drive.truth;
  for (model::LayoutNode& zone : model.layout.zones) zone.angle_error_rev = 0.0003;
  const double angle_rev = model.layout.zones[0].angle_rev += 0.05;
  validate_by(result, model);
  CHECK(model.layout.zones[0].angle_rev == angle_rev);
}

TEST_CASE("a model that cannot predict says why") {
  model::DriveModel model = atlas();
  CHECK_FALSE(what_prevents_prediction(model));
  model.seek.points.clear();
  REQUIRE(what_prevents_prediction(model));
  CHECK(what_prevents_prediction(model)->find("seek curve") != std::string::npos);
}

TEST_CASE("a constant that no overhead can lack is not believed") {
  Measured drive(atlas());
  const replay::Result result = drive.requests(5 * kSecond);
  model::DriveModel model = drive.truth;
  for (model::SeekPoint& point : model.seek.points)
    point.time_ms += 1.2;  // what is wrong is elsewhere
  const double overhead_ms = model.overheads.read_miss_after_read.value.value();
  validate_by(result, model);
  CHECK(model.overheads.read_miss_after_read.value.value() >= 0);
  CHECK(model.overheads.read_miss_after_read.value.value() == Approx(overhead_ms));
}

TEST_CASE("a constant that leaves most requests out of phase is not believed") {
  Measured drive(atlas());
  const replay::Result result = drive.requests(5 * kSecond);
  model::DriveModel model = drive.truth;
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> anywhere(0, 1);
  for (model::LayoutNode& zone : model.layout.zones) {
    zone.angle_error_rev = 0.0003;
    for (model::LayoutNode& track : zone.children) track.angle_step_rev = anywhere(random);
  }
  model.overheads.read_miss_after_read.value = *model.overheads.read_miss_after_read.value + 1.0;
  const double overhead_ms = *model.overheads.read_miss_after_read.value;
  validate_by(result, model);
  CHECK(*model.overheads.read_miss_after_read.value == overhead_ms);
}

TEST_CASE("what is written is read before from the drive's beginning to its end, all else judges") {
  const Written drive("quantum-atlas10k");
  std::vector<std::uint64_t> read;
  for (const replay::Response& one : drive.result.requests) {
    if (std::ranges::none_of(drive.result.requests, [&](const replay::Response& later) {
          return later.write && later.lbn == one.lbn && later.issue_ns > one.issue_ns;
        }))
      break;
    read.push_back(one.lbn);
  }
  CHECK(read.size() > 10);
  CHECK(std::ranges::is_sorted(read));
}

TEST_CASE("where no requests would show that a model is good few are sent") {
  Measured drive(atlas());
  for (model::SeekPoint& point : drive.truth.seek.points) point.time_ms += 2.5;
  drive.context.precision = mtbrc::Precision::enough;
  const replay::Result result = drive.requests(kSecond);
  CHECK(result.requests.size() < 2 * kFewestValidationRequests);
}

TEST_CASE("a model with wrong skews says so") {
  Measured drive(atlas());
  const replay::Result result = drive.requests(5 * kSecond);
  model::DriveModel model = drive.truth;
  for (model::LayoutNode& zone : model.layout.zones)
    if (!zone.children.empty()) zone.children.front().angle_step_rev += 0.21;
  validate_by(result, model);
  CHECK(model.validity.demerits.front().folded_phase_share < 0.7);
}

TEST_CASE("requests on sectors that cannot be read are left out") {
  auto truth = atlas();
  for (std::uint64_t lbn = 0; lbn < truth.identity.blocks; lbn += truth.identity.blocks / 2000)
    for (std::uint64_t i = 0; i < 200; ++i) truth.imperfections->medium_errors.push_back(lbn + i);
  Measured drive(truth);
  const replay::Result result = drive.requests(3 * kSecond);
  CHECK(result.requests.size() > 200);
  model::DriveModel model = truth;
  validate_by(result, model);
  CHECK(model.validity.demerits.front().folded_phase_share > 0.95);
}

}  // namespace platter::extract
