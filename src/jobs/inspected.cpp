#include "jobs/inspected.h"

#include <utility>

#include "estimate/passages.h"

namespace platter::jobs {

std::optional<noise::HostDelay> Inspected::delay() const {
  std::vector<double> times_ms;
  for (const Nanoseconds ns : drive.round_trip.times_ns)
    times_ms.push_back(static_cast<double>(ns) * 1e-6);
  return noise::host_delay(std::move(times_ms));
}

std::vector<std::string> Inspected::advice_for_host() const {
  std::vector<std::string> all;
  for (const auto* checks : {&host_checks, &path_checks})
    for (const host::Check& check : *checks)
      if (check.advice) all.push_back(*check.advice);
  const double most_ms = estimate::Passages::kMostPull_rev * period_ms;
  if (const auto host = delay();
      !quiet && host && noise::quietness(*host, period_ms, most_ms) != noise::Quietness::quiet)
    all.emplace_back(
        "this host is noisy: end what else runs on it, or see what platter inspect --quiet-host "
        "makes "
        "of it");
  return all;
}

std::vector<PageValue> page_values(std::uint8_t code, const std::vector<std::uint8_t>& bytes) {
  if (code == 0x08)
    if (const auto page = scsi::decode_cache_page(bytes))
      return {{"write_cache_enabled", page->write_cache_enabled, true},
              {"read_cache_disabled", page->read_cache_disabled, true},
              {"read_ahead_disabled", page->read_ahead_disabled, true},
              {"segments", page->segments},
              {"segment_blocks", page->segment_blocks},
              {"min_prefetch", page->min_prefetch},
              {"max_prefetch", page->max_prefetch},
              {"prefetch_ceiling", page->prefetch_ceiling}};
  if (code == 0x03)
    if (const auto page = scsi::decode_format_page(bytes))
      return {{"tracks_per_zone", page->tracks_per_zone},
              {"sectors_per_track", page->sectors_per_track},
              {"bytes_per_sector", page->bytes_per_sector},
              {"interleave", page->interleave},
              {"track_skew", page->track_skew},
              {"cylinder_skew", page->cylinder_skew}};
  if (code == 0x04)
    if (const auto page = scsi::decode_geometry_page(bytes))
      return {{"cylinders", page->cylinders}, {"heads", page->heads}, {"rpm", page->rpm}};
  return {};
}

std::string in_words(scsi::SeekCommand seek) {
  switch (seek) {
    case scsi::SeekCommand::refused:
      return "no";
    case scsi::SeekCommand::waits_for_arm:
      return "yes, it waits for the arm";
    case scsi::SeekCommand::at_once:
      break;
  }
  return "answered before the arm is there, if it moves at all";
}

std::string in_words(scsi::ReadsReach reach) {
  switch (reach) {
    case scsi::ReadsReach::as_they_are:
      return "as they are: FUA was not needed";
    case scsi::ReadsReach::with_fua:
      return "with FUA, which the drive obeys";
    case scsi::ReadsReach::by_verify:
      return "no: FUA is refused or ignored, VERIFY reaches them";
    case scsi::ReadsReach::nothing:
      return "not seen, by READ, READ with FUA or VERIFY";
    case scsi::ReadsReach::not_tried:
      break;
  }
  return "not tried";
}

}  // namespace platter::jobs
