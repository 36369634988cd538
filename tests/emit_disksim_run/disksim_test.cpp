#include "emit/disksim_run/disksim.h"

#include <cmath>
#include <string>

#include "catch.h"
#include "emit_disksim_run/script.h"
#include "model/error.h"
#include "virtual_drive/open.h"

using namespace platter;
using namespace platter::emit_disksim_run;
using testing::Scripts;

namespace {

// Quantum's, of 10,000 rpm: a revolution of 6 ms (10025 rpm: 5.985 ms).
model::DriveModel drive() { return virtual_drive::virtual_model("quantum-atlas10k"); }

// One that finds every block under the head at the same angle: completions are whole revolutions,
// at least 1 ms behind the arrival.
std::string turning_disksim(double period_ms) {
  return "awk -v period=" + std::to_string(period_ms) +
         R"( '{ t = period * int(($1 + 1) / period + 1)
               printf "Request completion: simtime %.6f, devno 0, blkno %d, time 0\n", t, $3 }')"
         " $4 > executed";
}

}  // namespace

TEST_CASE("DiskSim's platter is set by the reference reads, and by nothing else") {
  const Scripts scripts;
  const model::DriveModel model = drive();
  const replay::Subject subject = replay::subject_of(model);
  const double period_ns = static_cast<double>(model.rotation.numerator_ns) /
                           static_cast<double>(model.rotation.denominator);
  // The drive does the same, its platter 1.9 ms ahead.
  const auto drives = [&](Nanoseconds issue_ns, std::uint64_t lbn) {
    const double begin = static_cast<double>(issue_ns) + 1e6 + 1.9e6;
    const double end = period_ns * (std::floor(begin / period_ns) + 1) - 1.9e6;
    return replay::Response{
        .lbn = lbn, .issue_ns = issue_ns, .response_ns = std::llround(end) - issue_ns};
  };
  replay::Result like;
  like.name = "the drive";
  for (std::int64_t i = 0; i < 16; ++i)
    like.reference.push_back(drives(i * 100'000'000, static_cast<std::uint64_t>(1000 * i)));
  for (std::int64_t i = 0; i < 50; ++i)
    like.requests.push_back(drives(2'000'000'000 + i * 13'700'000, static_cast<std::uint64_t>(i)));
  const replay::Result got = replay_on_disksim(scripts.program(turning_disksim(period_ns / 1e6)),
                                               model, subject, like);
  CHECK(got.name == subject.name + " (DiskSim files, in DiskSim)");
  CHECK(got.target == replay::Result::Target::model);
  REQUIRE(got.reference.size() == 16);
  REQUIRE(got.requests.size() == 50);
  CHECK(std::fabs(*got.phase_ns - 1.9e6) < 2000);
  for (std::size_t i = 0; i < 50; ++i) {
    CHECK(got.requests[i].lbn == like.requests[i].lbn);
    CHECK(got.requests[i].issue_ns == like.requests[i].issue_ns);
    CHECK(std::llabs(got.requests[i].response_ns - like.requests[i].response_ns) < 2000);
  }
}

TEST_CASE("DiskSim gets each request as it was, and what it said stands in the sentence") {
  const Scripts scripts;
  const model::DriveModel model = drive();
  const replay::Subject subject = replay::subject_of(model);
  replay::Result like;
  like.requests = {{.lbn = 5, .blocks = 8, .write = true, .issue_ns = 1'234'567},
                   {.lbn = 9, .blocks = 1, .issue_ns = 20'000'000}};
  const auto failed = [&](const std::string& lines) {
    try {
      replay_on_disksim(scripts.program(lines), model, subject, like);
    } catch (const Failed& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(failed("cat $4; cat $4 >&2; exit 1"),
             Catch::EndsWith("program) ended with status 1; it said: "
                             "60020.000000 0 0 1 1"));
  CHECK_THAT(failed("head -n 1 $4; exit 0"),
             Catch::EndsWith("wrote no execution trace; it said: 1.234567 0 5 8 0"));
  CHECK_THAT(failed("mkfifo executed"), Catch::EndsWith("wrote no execution trace"));
  CHECK_THAT(failed(": > executed; echo 'assertion failed'"),
             Catch::EndsWith("answered 0 of 2 requests; it said: assertion failed"));
  CHECK_THAT(
      failed("test $3 = ascii && grep -q 'Detailed execution trace = executed' $1 || exit 7; "
             "grep -q 'Max queue length = 1,' drive.diskspecs || exit 8; exit 9"),
      Catch::EndsWith("ended with status 9"));
}

TEST_CASE("with the drive's caches off DiskSim's are off") {
  const Scripts scripts;
  const model::DriveModel model = drive();
  const replay::Subject subject = replay::subject_of(model);
  const std::string program =
      scripts.program("grep -q 'Enable caching in buffer = 0' drive.diskspecs && exit 8; exit 9");
  for (const std::string caches : {"default", "off", "forced"}) {
    replay::Result like;
    like.caches = caches;
    like.requests.push_back({});
    CHECK_THROWS_WITH(
        replay_on_disksim(program, model, subject, like),
        Catch::EndsWith("ended with status " + std::string(caches == "default" ? "9" : "8")));
  }
}
