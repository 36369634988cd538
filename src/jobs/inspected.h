// All that `platter inspect` found out, and how it is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extract/prospects.h"
#include "host/checks.h"
#include "jobs/quiet_host.h"
#include "noise/host_delay.h"
#include "scsi/inspection.h"
#include "transport/host_clock.h"

namespace platter::jobs {

struct Inspected {
  std::string device;
  scsi::Inspection drive;
  std::uint32_t most_outstanding = 1;  // commands that the path takes at once
  transport::HostFitness host;
  std::vector<host::Check> host_checks, path_checks;
  std::optional<extract::ExpectedTime> expected_time;  // not there: it cannot be characterized
  double period_ms = 0;                                // nominal
  bool quiet = false;                                  // by --quiet-host, while it was looked at

  // nullopt: too few round trips were timed.
  std::optional<noise::HostDelay> delay() const;
  // What drive and host lack, and what to do, a sentence each.
  std::vector<std::string> advice_for_host() const;
};

// The value fields that are known of a mode page, by name; none of others.
struct PageValue {
  std::string name;
  std::int64_t value = 0;
  bool is_flag = false;
};
std::vector<PageValue> page_values(std::uint8_t code, const std::vector<std::uint8_t>& bytes);

std::string in_words(scsi::ReadsReach reach);
std::string in_words(scsi::SeekCommand seek);

// Asks the drive and its host. Throws Error: what opening throws, and interrupted.
Inspected inspect(const std::string& device, const QuietHostOption& quiet_host);

// With the raw mode and VPD pages where `raw`.
std::string inspection_text(const Inspected& found, bool raw);
// All of it.
std::string inspection_json(const Inspected& found);

}  // namespace platter::jobs
