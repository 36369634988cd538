// Commands that waited longer than anything that moves explains, and what that costs a prediction.
#include "extract/unexplained.h"

#include <cmath>

#include "catch.h"
#include "estimate/samples.h"
#include "extract/self_validation.h"

namespace platter::extract {
namespace {

model::DriveModel a_drive() {
  model::DriveModel model;
  model.rotation.numerator_ns = 10'000'000;
  model.seek.points = {{1, 1.0, {}, 0}, {999, 12.0, {}, 0}};
  return model;
}

// Reads of 7 ms every 10 ms; of each minute, the first one waits 35 ms more.
estimate::Samples reads(double seconds, double pause_ms, double every_s) {
  estimate::Samples samples;
  double next_s = every_s;
  for (double at_s = 0; at_s < seconds; at_s += 0.01) {
    estimate::Sample sample;
    sample.issued_ns = static_cast<Nanoseconds>(at_s * 1e9);
    double took_ms = 7;
    if (at_s >= next_s) {
      took_ms += pause_ms;
      next_s += every_s;
    }
    sample.completed_ns = sample.issued_ns + from_ms(took_ms);
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

TEST_CASE("pauses are counted, and what they cost is told") {
  const Pauses pauses = pauses_of(reads(130, 35, 60), a_drive());
  CHECK(pauses.paused == 2);
  CHECK(pauses.mean_ms == Approx(35).margin(6));
  REQUIRE(pauses.every_s);
  CHECK(*pauses.every_s == Approx(60).margin(0.1));
  // The root mean square of one large distance among so many: two of 13000 commands, or of the
  // requests of 130 s where those are farther apart.
  CHECK(pauses.demerit_ms(7) == Approx(pauses.mean_ms * std::sqrt(2 / 13000.0)).epsilon(0.01));
  CHECK(pauses.demerit_ms(40) == Approx(pauses.mean_ms * std::sqrt(2 * 0.04 / 130)).epsilon(0.01));
  const auto text = told(pauses, 7, true);
  REQUIRE(text);
  CHECK(text->find("2 of 13000 timed commands") != std::string::npos);
  CHECK(text->find("60.0 s apart") != std::string::npos);
  CHECK(told(pauses, 7, false)->find("nothing tells which") != std::string::npos);
}

TEST_CASE("what a drive does on its own is in the demerits that are stated") {
  const Pauses pauses = pauses_of(reads(130, 35, 60), a_drive());
  model::Validity validity;
  validity.demerits = {{.workload = "random, within the run",
                        .drive_mean_ms = 10,
                        .demerit_ms = 0.1,
                        .demerit_percent = 1,
                        .error_ms = 0.1,
                        .floor_ms = 0.05},
                       {.workload = "mixed, within the run",
                        .drive_mean_ms = 7,
                        .demerit_ms = 0.1,
                        .demerit_percent = 1.4,
                        .error_ms = 0.1,
                        .floor_ms = 0.05}};
  const model::Validity before = validity;
  bear_pauses(pauses, validity);
  const model::Demerit &random = validity.demerits[0], &mixed = validity.demerits[1];
  CHECK(random.demerit_ms == Approx(std::hypot(0.1, pauses.demerit_ms(10.5))));
  CHECK(mixed.demerit_ms == Approx(std::hypot(0.1, pauses.demerit_ms(37))));
  CHECK(mixed.floor_ms == Approx(std::hypot(0.05, pauses.demerit_ms(37))));
  CHECK(mixed.demerit_percent == Approx(100 * mixed.demerit_ms / 7));
  // Two that were seen tell little of how many there are.
  CHECK(*mixed.error_ms > 0.3 * mixed.demerit_ms);
  validity = before;
  bear_pauses(Pauses{}, validity);
  CHECK(validity.demerits[1].demerit_ms == 0.1);
}

TEST_CASE("pauses are counted within the sessions of a run, whose clocks are not the same") {
  estimate::Samples samples = reads(130, 35, 60);
  for (estimate::Sample& sample : reads(130, 35, 60)) {
    sample.session = 1;
    samples.push_back(sample);
  }
  const Pauses pauses = pauses_of(samples, a_drive());
  CHECK(pauses.paused == 4);
  CHECK(pauses.observed_s == Approx(260).margin(0.1));
  CHECK(*pauses.every_s == Approx(60).margin(0.1));
}

TEST_CASE("what a seek and two turns explain is no pause") {
  CHECK(pauses_of(reads(130, 20, 1), a_drive()).paused == 0);
  CHECK_FALSE(told(pauses_of(reads(130, 0, 60), a_drive()), 7, true));
}

TEST_CASE(
    "requests that take longer than anything of the model's are counted, with the caches on") {
  replay::Result drive, model;
  for (int i = 0; i < 100; ++i) {
    drive.requests.push_back({.response_ns = from_ms(i % 5)});
    model.requests.push_back({.response_ns = from_ms(i % 7 + 6)});
  }
  drive.requests[3].response_ns = from_ms(90);   // before those that count
  drive.requests[50].response_ns = from_ms(41);  // 12 ms and three revolutions are 42
  CHECK_FALSE(what_takes_longer(drive, model, 10, 10));
  drive.requests[60].response_ns = drive.requests[70].response_ns = from_ms(150);
  const auto told = what_takes_longer(drive, model, 10, 10);
  REQUIRE(told);
  CHECK(told->find("2 of 90 requests took up to 150 ms") == 0);
  CHECK(told->find("within 12 ms") != std::string::npos);
}

TEST_CASE("the longest seek of either way, and of writes, is no pause") {
  for (const auto curve : {&model::DriveModel::outward_seek, &model::DriveModel::write_seek}) {
    model::DriveModel model = a_drive();
    model.*curve = model.seek;
    (*(model.*curve)).points.back().time_ms = 24;
    CHECK(pauses_of(reads(130, 35, 60), model).paused == 0);
  }
}

}  // namespace platter::extract
