#include "identity/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace platter::identity {
namespace {

using enum Subject;

constexpr std::array kTable = {
    ClaimRow{capacity, "capacity",
             "READ CAPACITY(10), READ CAPACITY(16), IDENTIFY DEVICE, a read of the last block",
             "the larger one whose last block can be read is taken; where neither can, the drive "
             "is refused"},
    ClaimRow{block_length, "logical block", "READ CAPACITY(10), READ CAPACITY(16), IDENTIFY DEVICE",
             "READ CAPACITY is taken, for a bridge may make other blocks of the disk's; of its two "
             "forms the one that a read of the last block confirms"},
    ClaimRow{physical_block, "physical block", "READ CAPACITY(16), IDENTIFY DEVICE",
             "the longer one is taken, so that no write endangers a block beside it"},
    ClaimRow{name, "name", "INQUIRY, IDENTIFY DEVICE, VPD page 89h",
             "the disk's name is taken, the other one is its bridge's"},
    ClaimRow{serial_number, "serial number", "VPD page 80h, IDENTIFY DEVICE, VPD page 89h",
             "the disk's own is taken where ATA PASS-THROUGH is shown to reach this disk, or VPD "
             "page 89h does not contradict the rest; else VPD page 80h, and no ATA setting is "
             "changed"},
    ClaimRow{world_wide_name, "world wide name", "VPD page 83h, IDENTIFY DEVICE",
             "whose disk answers is open unless numbers tell, and no ATA setting is changed"},
    ClaimRow{rotation, "rotation", "VPD page B1h, IDENTIFY DEVICE, mode page 04h",
             "VPD page B1h is taken for the time that a run needs; the period is measured"},
    ClaimRow{zones, "zones", "the device type, VPD page B1h, VPD page B6h, IDENTIFY DEVICE",
             "the drive counts as zoned"},
    ClaimRow{trim, "TRIM", "VPD page B2h, IDENTIFY DEVICE", "the drive counts as one that trims"},
    ClaimRow{positioning_ranges, "positioning ranges", "VPD page B9h, the capacity",
             "the page counts as not there"},
    ClaimRow{logical_units, "logical units", "REPORT LUNS", ""},
    ClaimRow{power_timers, "power timers", "mode page 1Ah", ""},
    ClaimRow{depopulated, "elements out of use", "GET PHYSICAL ELEMENT STATUS", ""},
    ClaimRow{write_cache, "write cache", "mode page 08h, IDENTIFY DEVICE",
             "what is set is judged by its effect"},
    ClaimRow{vpd_pages, "VPD pages", "VPD page 00h, INQUIRY of each",
             "pages that do not come as a whole count as not there"},
};

}  // namespace

std::span<const ClaimRow> claim_table() { return kTable; }

const ClaimRow& row_of(Subject subject) {
  return *std::ranges::find(kTable, subject, &ClaimRow::subject);
}

bool Claim::contradicted() const {
  return std::ranges::any_of(
      witnesses, [&](const Witness& witness) { return witness.says != witnesses.front().says; });
}

std::string Claim::doubt() const {
  std::vector<std::string> said;
  for (const Witness& witness : witnesses)
    said.push_back(fmt::format("{} says {}", witness.by, witness.says));
  return fmt::format("{}: {}; {}", row_of(subject).what, fmt::join(said, ", "),
                     row_of(subject).if_they_disagree);
}

}  // namespace platter::identity
