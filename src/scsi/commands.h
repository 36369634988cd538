// Builders of every command that platter sends: pure functions from meaning to CDB and data.
// SPC-4 (INCITS 513) has the commands for all devices, SBC-3 (INCITS 514) those for disks, each in
// a clause of the command's name; what they have dropped is in SCSI-2 (X3.131-1994, clauses 8 and
// 9).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scsi/device.h"

namespace platter::scsi {

// Ten-byte commands have a four-byte block address (SBC-3, READ(10), WRITE(10), VERIFY(10)).
constexpr std::uint64_t kTenByteBlocks = std::uint64_t{1} << 32;

// How page 40h and the defect lists name blocks and places (SBC-3, FORMAT UNIT, address descriptor
// formats; SCSI-2, 9.2.1).
enum class AddressFormat : std::uint8_t {
  block = 0b000,             // 4 bytes
  long_block = 0b011,        // 8 bytes
  bytes_from_index = 0b100,  // 3 bytes of cylinder, 1 of head, 4 of bytes from the index
  physical_sector = 0b101,   // 3 bytes of cylinder, 1 of head, 4 of sector
};

// One place in physical sector format; sector numbers are the drive's own, often from 0 for each
// track. In bytes from index format `sector` holds the bytes.
struct PhysicalAddress {
  std::uint32_t cylinder = 0, head = 0, sector = 0;
  bool operator==(const PhysicalAddress&) const = default;
};

enum class PageControl : std::uint8_t { current = 0, changeable = 1, defaults = 2, saved = 3 };

// How mode pages are asked for and set: the short (6) or the long (10) commands.
enum class ModeForm : std::uint8_t { six, ten };

// Hints for the drive's cache (SBC-3, READ (10)): keep the data with low priority; go to the
// medium.
struct CacheBits {
  bool disable_page_out = false;   // DPO
  bool force_unit_access = false;  // FUA
};

Command test_unit_ready();
Command request_sense(std::uint8_t allocation = 252);
Command inquiry(std::uint16_t allocation = 36);
Command inquiry_vpd(std::uint8_t page, std::uint16_t allocation = 252);  // EVPD = 1
Command report_luns(std::uint32_t allocation = 4096);
Command read_capacity_10();
Command read_capacity_16();
Command get_lba_status(std::uint64_t lbn, std::uint32_t allocation);  // 8 bytes, and 16 a
                                                                      // descriptor

// From this element on, all of them (SBC-4, 5.8; physical_elements.h).
Command get_physical_element_status(std::uint32_t first_element, std::uint32_t allocation);

// From the zone of this block on, as many as there is room for (ZBC-2, 5.6; zones.h).
Command report_zones(std::uint64_t lbn, std::uint32_t allocation);

// Throw std::out_of_range where the address or the length does not fit the form; `block_bytes` is
// the logical block length. READ(6) of 256 blocks is encoded as 0.
Command read_6(std::uint32_t lbn, std::uint32_t blocks, std::uint32_t block_bytes);
Command read_10(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                CacheBits bits = {});
Command read_16(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                CacheBits bits = {});
Command write_6(std::uint32_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data);
Command write_10(std::uint64_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data,
                 CacheBits bits = {});
Command write_16(std::uint64_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data,
                 CacheBits bits = {});

Command seek_10(std::uint64_t lbn);  // SCSI-2, 9.2.15
Command synchronize_cache_10();      // all blocks, waits for the medium
// The drive reads these blocks from its medium and sends nothing (SBC-3, VERIFY, BYTCHK = 0). Throw
// std::out_of_range as reads do.
Command verify_10(std::uint64_t lbn, std::uint32_t blocks);
Command verify_16(std::uint64_t lbn, std::uint32_t blocks);

// `disable_block_descriptors` is DBD.
Command mode_sense(ModeForm form, std::uint8_t page, PageControl control,
                   bool disable_block_descriptors = false, std::uint8_t subpage = 0);
// Sets one whole page for now only (PF = 1, SP = 0, no block descriptor).
Command mode_select(ModeForm form, std::span<const std::uint8_t> page);

// Translate address page 40h, sent with SEND DIAGNOSTIC (PF = 1, no self test) and fetched with
// RECEIVE DIAGNOSTIC RESULTS (SBC-3, translate address pages; SCSI-2, 9.3.1). A block in the short
// format is below 2^32.
Command translate_block(std::uint64_t lbn, AddressFormat block, AddressFormat place);
Command translate_place(const PhysicalAddress& place, AddressFormat from, AddressFormat to);
Command receive_translation();

// Lists in one of the two formats of places. `allocation` in bytes.
Command read_defect_data_10(bool primary, bool grown, AddressFormat format,
                            std::uint16_t allocation);
Command read_defect_data_12(bool primary, bool grown, AddressFormat format,
                            std::uint32_t allocation);

// Reads, writes and verifies of any blocks, in the ten-byte form where they fit it.
// All throw std::out_of_range where the sixteen-byte form does not hold the blocks either.
Command shortest_read(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                      CacheBits bits = {});
Command shortest_write(std::uint64_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data,
                       CacheBits bits = {});
Command shortest_verify(std::uint64_t lbn, std::uint32_t blocks);

}  // namespace platter::scsi
