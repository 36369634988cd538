#include "safety/displacement.h"

#include <algorithm>
#include <cmath>

#include "scsi/drive_errors.h"
#include "scsi/forced_access.h"

namespace platter::safety {
namespace {

constexpr std::uint64_t kStretches = 64;  // chosen: old caches have up to 32 segments
constexpr std::uint64_t kAtOnce = 256;

}  // namespace

double Displacement::next_place() {
  constexpr double kGolden = 0.6180339887;  // its multiples lie nowhere near one another
  return place_ = std::fmod(place_ + kGolden, 1.0);
}

void Displacement::read_elsewhere(std::uint64_t bytes) {
  const std::uint64_t blocks = drive_.blocks(), apart = blocks / kStretches;
  const std::uint64_t each = std::min(bytes / drive_.block_bytes() / kStretches, apart);
  const std::uint64_t most = std::min<std::uint64_t>(kAtOnce, drive_.most_blocks());
  const double place = next_place();
  for (std::uint64_t i = 0; i < kStretches; ++i) {
    const std::uint64_t first =
        i * apart + static_cast<std::uint64_t>(place * static_cast<double>(apart - each));
    try {
      for (std::uint64_t at = 0; at < each; at += most)
        drive_.read(first + at, static_cast<std::uint32_t>(std::min(most, each - at)));
    } catch (const scsi::DriveError&) {
      // a bad place
    }
  }
}

// From afar the arm takes longer than any data that are at hand.
void Displacement::go_away(std::uint64_t lbn) {
  const auto all = static_cast<double>(drive_.blocks());
  const auto away = static_cast<std::uint64_t>((0.3 + 0.4 * next_place()) * all);
  try {
    drive_.read((lbn + away) % drive_.blocks());
  } catch (const scsi::DriveError&) {
    // it was there all the same
  }
}

bool Displacement::waits_for_media(std::uint64_t lbn, std::uint32_t blocks) {
  go_away(lbn);
  const Nanoseconds first = drive_.read(lbn, blocks).response_ns();
  return first - drive_.read(lbn, blocks).response_ns() > scsi::kSoonerThanAnyMedia;
}

}  // namespace platter::safety
