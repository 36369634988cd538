// How fast hits and misses look, and whether anything is kept at all.
#include <algorithm>
#include <cmath>

#include "cache_probe/facts.h"
#include "cache_probe/read_tests.h"

namespace platter::cache_probe {
namespace {

constexpr int kControls = 6;        // of each kind
constexpr double kEarly_rev = 0.1;  // before the sector arrives
constexpr double kOff_rev = 0.2;    // from the usual time after it arrives
constexpr std::ptrdiff_t kEarlyAtMost = 1, kOffAtMost = 4;
constexpr std::uint32_t kRereads = 4;
constexpr double kGoneBy_rev = 0.05;  // more than a sector, much less than a revolution

// Whether sectors came when the map says.
bool angles_hold(const Record& record) {
  const Responses responses(record);
  std::ptrdiff_t early = 0, off = 0;
  for (const Observation& seen : record.observations) {
    if (seen.question != Question::miss_control) continue;
    const double late = static_cast<double>(seen.response_ns()) / record.setting.period_ns -
                        seen.ahead_rev;
    const double from_usual = late - responses.late_rev();
    early += late < -kEarly_rev ? 1 : 0;
    off += std::abs(from_usual - std::round(from_usual)) > kOff_rev ? 1 : 0;
  }
  return early <= kEarlyAtMost && off <= kOffAtMost;
}

}  // namespace

void test_miss_control(Prober& prober) {
  Record& record = prober.record();
  const auto far = [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place) return false;
    prober.refresh_angle();
    prober.probe(Question::miss_control, x, place->first + place->blocks() / 2, 0);
    return true;
  };
  const auto near = [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place || place->first < place->blocks()) return false;
    prober.refresh_angle();
    // The angle is planned from a read before, elsewhere, as in most tests.
    prober.context().drive.read(place->first + place->blocks() / 2, 1);
    prober.probe(Question::miss_control, x, place->first - place->blocks() / 2, 0);
    return true;
  };
  for (const bool trusted : {true, false}) {
    record.setting.angles_trusted = trusted;
    std::erase_if(record.observations,
                  [](const Observation& seen) { return seen.question == Question::miss_control; });
    for (int i = 0; i < (trusted ? 1 : 2) * kControls; ++i) {
      far(0);
      near(1);
    }
    if (trusted && angles_hold(record)) return;
  }
}

void test_basics(Prober& prober) {
  // "Cache discards block after transferring it": a miss would cost a whole revolution. Once the
  // block is known to stay, it shows how long hits take.
  prober.decide(Question::reread, 0, [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place) return false;
    const std::uint64_t lbn = place->first + place->blocks() / 2;
    prober.read(lbn);
    for (std::uint32_t i = 0; i < kRereads; ++i)
      prober.probe_now(Question::reread, x, lbn, setup_of(*place, lbn, 1), i);
    return true;
  });
  // The next block has just gone by; a drive that has not read it waits a revolution.
  const Verdict at_once = prober.decide(Question::next_block, 0, [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place) return false;
    const std::uint64_t lbn = place->first + place->blocks() / 3;
    prober.read(lbn);
    prober.rest_rev(kGoneBy_rev);
    prober.probe_now(Question::next_block, x, lbn + 1, setup_of(*place, lbn, 1));
    return true;
  });
  if (at_once == Verdict::hit) return;
  if (decide_past(prober, Question::next_block, 1, 1,
                  {.offset = prober.places().track_blocks() / 3}) == Verdict::hit)
    return;
  prober.decide(Question::next_sequential, 0, [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place) return false;
    const std::uint64_t lbn = place->first + place->blocks() / 3;
    prober.read(lbn);
    prober.read(lbn + 1);
    prober.probe(Question::next_sequential, x, lbn + 2, kSettle_rev, setup_of(*place, lbn + 1, 1));
    return true;
  });
}

}  // namespace platter::cache_probe
