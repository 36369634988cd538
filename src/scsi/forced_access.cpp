#include "scsi/forced_access.h"

#include <optional>
#include <utility>

namespace platter::scsi {
namespace {

constexpr int kMajority = 2;  // of three

// nullopt: there was no such access, so nothing is known.
template <typename Access>
std::optional<bool> most_come_at_once(const Access& access) {
  try {
    int at_once = 0, later = 0;
    while (at_once < kMajority && later < kMajority)
      ++(access().response_ns() < kSoonerThanAnyMedia ? at_once : later);
    return at_once == kMajority;
  } catch (const DriveError& error) {
    if (!error.may_do_elsewhere()) throw;
    return std::nullopt;
  }
}

// With FUA the same blocks that were just accessed without it: where that fails, FUA is refused in
// whatever words.
template <typename AtOnce, typename Force>
Forced forced(const AtOnce& at_once, const Force& force) {
  if (!at_once().value_or(false)) return Forced::not_needed;
  try {
    force(true);
    const std::optional<bool> still = at_once();
    if (still == false) return Forced::obeyed;
    force(false);
    return still ? Forced::ignored : Forced::refused;
  } catch (const DriveError& error) {
    force(false);
    if (!error.refused()) throw;
    return Forced::refused;
  }
}

}  // namespace

std::optional<bool> rereads_come_at_once(Drive& drive, std::uint64_t lbn) {
  bool in_front = true;
  return most_come_at_once([&] {
    if (std::exchange(in_front, false)) drive.read(lbn);
    return drive.read(lbn);
  });
}

// A write right behind another one would wait for that to reach the media; one of a part of a
// physical block for the rest of it.
std::optional<bool> writes_come_at_once(Drive& drive, std::uint64_t lbn,
                                        const std::function<void(std::uint64_t lbn)>& reach) {
  const LbnRange whole = drive.physical_blocks().covering(lbn, 1);
  return most_come_at_once([&] {
    drive.learn_contents(lbn, 1);
    if (reach)
      reach(lbn);
    else
      drive.read(lbn);
    return drive.write(whole.first, static_cast<std::uint32_t>(whole.last - whole.first + 1));
  });
}

Forced force_reads(Drive& drive, std::uint64_t lbn) {
  return forced(
      [&] { return rereads_come_at_once(drive, lbn); },
      [&](bool on) { drive.settings().force_access(on, drive.settings().forces_writes()); });
}

Forced force_writes(Drive& drive, std::uint64_t lbn,
                    const std::function<void(std::uint64_t lbn)>& reach) {
  return forced(
      [&] { return writes_come_at_once(drive, lbn, reach); },
      [&](bool on) { drive.settings().force_access(drive.settings().forces_reads(), on); });
}

}  // namespace platter::scsi
