#include "layout/byte_translation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "layout/cannot_map.h"

namespace platter::layout {

namespace {

// Bytes from the index to a block, where it lies in the place that its number gives it.
std::optional<scsi::PhysicalAddress> place_of(scsi::Drive& drive, std::uint64_t lbn) {
  if (lbn >= drive.blocks()) return std::nullopt;
  const auto found = drive.addresses().translate(lbn);
  if (!found || found->remapped || found->alternate_track) return std::nullopt;
  return found->places.front();
}

// Bytes from one block to another behind it on the same track, the index not between them.
std::optional<double> bytes_between(const scsi::PhysicalAddress& a,
                                    const std::optional<scsi::PhysicalAddress>& b) {
  if (!b || a.cylinder != b->cylinder || a.head != b->head || b->sector <= a.sector)
    return std::nullopt;
  return static_cast<double>(b->sector - a.sector);
}

}  // namespace

ByteTranslation::ByteTranslation(scsi::Drive& drive, std::string name)
    : drive_(drive), name_(std::move(name)) {}

// The least distance of neighbours (others have a slipped sector between them), made sharper by
// blocks further and further behind on the track.
std::optional<double> ByteTranslation::pitch_near(std::uint64_t lbn) {
  constexpr std::uint64_t kNeighbours = 6, kFarthest = 1U << 12;
  std::optional<scsi::PhysicalAddress> first;
  std::uint64_t first_lbn = 0;
  double pitch = 0;
  auto before = place_of(drive_, lbn);
  for (const std::uint64_t end = lbn + kNeighbours; lbn < end; ++lbn) {
    const auto next = place_of(drive_, lbn + 1);
    const auto bytes = before ? bytes_between(*before, next) : std::nullopt;
    if (bytes && (pitch == 0 || *bytes < pitch)) {
      first = before;
      first_lbn = lbn;
      pitch = *bytes;
    }
    before = next;
  }
  if (!first) return std::nullopt;
  for (std::uint64_t behind = 2; behind < kFarthest; behind *= 2) {
    const auto bytes = bytes_between(*first, place_of(drive_, first_lbn + behind));
    if (!bytes) break;
    const double sectors = std::round(*bytes / pitch);
    if (std::abs(*bytes / pitch - sectors) > 0.25) break;
    pitch = *bytes / sectors;
  }
  return pitch;
}

double ByteTranslation::pitch() {
  if (pitch_ > 0) return pitch_;
  constexpr std::uint64_t kPlaces = 17;
  std::vector<double> found;
  for (std::uint64_t i = 0; i < kPlaces; ++i)
    if (const auto pitch = pitch_near((drive_.blocks() - 1) / kPlaces * i)) found.push_back(*pitch);
  if (found.size() < kPlaces / 2)
    throw CannotMap(
        ExitStatus::unsupported,
        fmt::format("{} gives places in bytes from the index, but no two blocks lie side by "
                    "side on a track; its address translation cannot be used",
                    name_));
  std::sort(found.begin(), found.end());
  const double middle = found[found.size() / 2];
  if (found.back() - found.front() > 1)
    throw CannotMap(
        ExitStatus::unsupported,
        fmt::format("{} gives places in bytes from the index, {:.0f} to {:.0f} of them for "
                    "one sector; its address translation cannot be used",
                    name_, found.front(), found.back()));
  const bool whole = std::abs(middle - std::round(middle)) < 0.05;
  pitch_ = whole ? std::round(middle) : middle;
  return pitch_;
}

scsi::PhysicalAddress ByteTranslation::in_sectors(const scsi::PhysicalAddress& bytes) {
  // Bytes of a pitch that is no whole number were cut down to whole ones.
  const double cut = pitch() == std::round(pitch()) ? 0.0 : 1.0;
  scsi::PhysicalAddress place = bytes;
  place.sector = static_cast<std::uint32_t>((bytes.sector + cut) / pitch());
  return place;
}

scsi::PhysicalAddress ByteTranslation::in_bytes(const scsi::PhysicalAddress& sectors) {
  scsi::PhysicalAddress place = sectors;
  place.sector = static_cast<std::uint32_t>(std::ceil((sectors.sector + 1.0) * pitch())) - 1;
  return place;
}

}  // namespace platter::layout
