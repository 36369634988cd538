// How fast hits and misses look: reads of blocks that no cache can hold, by which all later probes
// are judged.
#include <cmath>

#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"

namespace platter::cache_probe {

namespace {

// Chosen: six of a kind give a median and a spread; the limits are several times what the noise of
// hosts and arms makes, and far below what a wrong map does (half a revolution).
constexpr int kControls = 6;        // of each kind
constexpr double kEarly_rev = 0.1;  // before the sector arrives
constexpr double kOff_rev = 0.2;    // from the usual time after it arrives
constexpr std::ptrdiff_t kEarlyAtMost = 1, kOffAtMost = 4;

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
  const auto far = [&] {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place) return false;
    prober.refresh_angle();
    prober.probe(Question::miss_control, 0, place->first + place->blocks() / 2, 0);
    return true;
  };
  const auto near = [&] {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place || place->first < place->blocks()) return false;
    prober.refresh_angle();
    // The angle is planned from a read before, elsewhere, as in most tests.
    prober.context().drive.read(place->first + place->blocks() / 2, 1);
    prober.probe(Question::miss_control, 0, place->first - place->blocks() / 2, 0);
    return true;
  };
  for (const bool trusted : {true, false}) {
    if (trusted && !record.setting.map_known) continue;
    record.setting.angles_trusted = trusted;
    std::erase_if(record.observations,
                  [](const Observation& seen) { return seen.question == Question::miss_control; });
    for (int i = 0; i < (trusted ? 1 : 2) * kControls; ++i) {
      far();
      near();
    }
    if (trusted && angles_hold(record)) return;
  }
}

}  // namespace platter::cache_probe
