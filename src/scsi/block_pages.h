// The vital product data pages that all disks may have (SBC-4, 6.6): limits, characteristics,
// provisioning.
#pragma once

#include <cstdint>
#include <optional>

#include "scsi/bytes.h"
#include "scsi/zones.h"

namespace platter::scsi {

struct BlockLimits {  // VPD page B0h, in logical blocks; 0: not said
  std::uint32_t max_transfer_blocks = 0, optimal_transfer_blocks = 0;
};

// ACS-3, word 217, and SBC-3, Block Device Characteristics, have the same: rpm from 0401h to FFFEh,
// 1: does not rotate. nullopt: not said, or reserved.
inline constexpr std::uint16_t kDoesNotRotate = 1;
std::optional<std::uint16_t> stated_rotation_rate(std::uint16_t word);

// VPD page B1h, Block Device Characteristics (SBC-4, 6.6.2; byte 8 from that edition on). nullopt:
// the page ends before it.
struct Characteristics {
  std::uint16_t rotation_rate = 0;  // rpm; 0: not said, 1: does not rotate
  std::uint8_t form_factor = 0;     // 0: not said, 1: 5.25", 2: 3.5", 3: 2.5", 4: 1.8", 5: smaller
  std::uint8_t product_type = 0;    // 0: not said; the others are memory cards and the like
  // WABEREQ and WACEREQ, by their codes: what blocks read as that nobody wrote since all was
  // erased, or its key was; 0: not said.
  std::uint8_t after_block_erase = 0, after_crypto_erase = 0;
  std::optional<Zoned> zoned;
  std::optional<bool> reassigned_reads_zeros;  // RBWZ
  std::optional<bool> background_control;      // BOCS
  std::optional<bool> force_as_in_sbc4;   // FUAB: what FUA and SYNCHRONIZE CACHE ask for may end in
                                          // a cache that outlives the power; else as in SBC-2
  std::optional<bool> verifies_unmapped;  // VBULS
  std::optional<std::uint32_t> depopulation_time_s;  // 0: not said
};

// VPD page B2h, Logical Block Provisioning (SBC-4, 6.6.6).
struct Provisioning {
  bool unmap = false;                  // LBPU: UNMAP
  bool unmap_by_write_same16 = false;  // LBPWS
  bool unmap_by_write_same10 = false;  // LBPWS10
  std::optional<std::uint8_t> type;    // 0: not said or all of it there, 1: resources, 2: thin

  bool can_be_trimmed() const { return unmap || unmap_by_write_same16 || unmap_by_write_same10; }
};

// nullopt: it is another page, or too short for what is not optional in it.
std::optional<BlockLimits> decode_block_limits(Bytes reply);
std::optional<Characteristics> decode_characteristics(Bytes reply);
std::optional<Provisioning> decode_provisioning(Bytes reply);

}  // namespace platter::scsi
