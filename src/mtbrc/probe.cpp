#include "mtbrc/probe.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "estimate/rotation.h"
#include "model/error.h"
#include "mtbrc/context.h"
#include "mtbrc/rotation.h"
#include "scsi/drive_errors.h"

namespace platter::mtbrc {
namespace {

// So many accesses lie by chance about whole revolutions of some speed once in a thousand times.
constexpr int kAccesses = 17;
constexpr double kInPhase = 0.85;  // the length of their mean phase, if so

enum class Reach : std::uint8_t { media, cache, refused };

const char* name_of(Probe probe) {
  switch (probe) {
    case Probe::read:
      return "READ";
    case Probe::forced_read:
      return "READ with FUA";
    case Probe::verify:
      return "VERIFY";
  }
  return "";
}

scsi::Completion access(scsi::Drive& drive, Probe probe, std::uint64_t lbn) {
  return probe == Probe::verify ? drive.verify(lbn)
                                : drive.read(lbn, 1, probe == Probe::forced_read);
}

// Rests of up to twice the slowest revolution come first: what answers from a cache follows them,
// and a platter does not.
Reach reach_of(Context& context, Probe probe, std::uint64_t lbn) {
  std::uniform_real_distribution<double> rest_ns(0, 2 * estimate::kLongestPeriod_ns);
  std::vector<Nanoseconds> completed;
  int at_once = 0;
  for (int tries = 0; completed.size() < kAccesses && tries < 2 * kAccesses; ++tries) {
    try {
      const scsi::Completion done = access(context.drive, probe, lbn);
      const bool again = !completed.empty();
      completed.push_back(done.completed_ns);
      constexpr int kSure = 12;  // one of these a platter answers so soon once in six times
      at_once += again && static_cast<double>(done.response_ns()) < estimate::kShortestPeriod_ns / 6
                     ? 1
                     : 0;
      if (at_once >= kSure) return Reach::cache;
    } catch (const scsi::DriveError& error) {
      if (error.refused()) return Reach::refused;
      if (!error.may_do_elsewhere()) throw;
    }
    context.drive.rest_ns(static_cast<Nanoseconds>(rest_ns(context.random)));
  }
  return completed.size() == kAccesses && whole_revolutions_apart(completed) ? Reach::media
                                                                             : Reach::cache;
}

}  // namespace

scsi::Completion reach_media(Context& context, std::uint64_t lbn) {
  return access(context.drive, context.probe, lbn);
}

bool whole_revolutions_apart(const std::vector<Nanoseconds>& completed) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < completed.size(); ++i)
    gaps.push_back(static_cast<double>(completed[i] - completed[i - 1]));
  if (gaps.empty()) return false;
  // Speeds so close together that the longest gap is a twentieth of a turn off between two.
  const double longest = *std::ranges::max_element(gaps);
  const double step = 1.0 / (10 * longest);
  for (double per_ns = 1 / estimate::kLongestPeriod_ns; per_ns <= 1 / estimate::kShortestPeriod_ns;
       per_ns += step) {
    double sine = 0, cosine = 0;
    for (const double gap : gaps) {
      const double phase = 2 * std::numbers::pi * gap * per_ns;
      sine += std::sin(phase);
      cosine += std::cos(phase);
    }
    if (std::hypot(sine, cosine) > kInPhase * static_cast<double>(gaps.size())) return true;
  }
  return false;
}

WayToMedia find_way_to_media(Context& context, std::uint64_t lbn) {
  WayToMedia way;
  for (const Probe probe : {Probe::read, Probe::forced_read, Probe::verify}) {
    const Reach reach = reach_of(context, probe, lbn);
    if (reach == Reach::media) {
      way.probe = probe;
      return way;
    }
    if (!way.why_not.empty()) way.why_not += ", ";
    way.why_not += name_of(probe);
    way.why_not += reach == Reach::refused ? " is refused" : " is answered by the cache";
  }
  way.reads_once = true;
  return way;
}

bool is_fresh(const Context& context, std::uint64_t lbn, std::uint32_t blocks) {
  const std::uint64_t reach = std::min<std::uint64_t>(context.read_ahead_reach, lbn);
  return !context.drive.was_read(lbn - reach, static_cast<std::uint32_t>(blocks + reach));
}

}  // namespace platter::mtbrc
