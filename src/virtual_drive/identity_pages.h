// Who the drive says it is: INQUIRY data and vital product data (SPC-4 clauses 6.6 and 7.8, SBC-3
// clause 6.5).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scsi/device.h"
#include "virtual_drive/personality.h"
#include "virtual_drive/sense_data.h"

namespace platter::virtual_drive {

// Standard INQUIRY data of logical unit `lun`; any but 0 is said not to be there.
std::vector<std::uint8_t> inquiry_data(const Personality& drive, std::uint8_t lun);

// A page with its header of four bytes.
std::vector<std::uint8_t> vpd_page(std::uint8_t page, const std::vector<std::uint8_t>& payload);

// nullopt: a drive of its age does not have that page. 00h, 80h and 83h are on all, B0h and B1h
// from SPC-3 on, 8Ah where power conditions, B9h where several arms are; 89h is the ATA side's.
std::optional<std::vector<std::uint8_t>> vital_product_data(const Personality& drive,
                                                            std::uint8_t page);

// LOG SENSE (SPC-4 clauses 6.8 and 7.3): the list of pages, temperature, start-stop cycles. No
// figure of a page can be set or saved.
struct LogFigures {
  std::uint32_t start_stop_cycles = 0;
};

Reply log_data(const LogFigures& figures, const scsi::Command& command);

}  // namespace platter::virtual_drive
