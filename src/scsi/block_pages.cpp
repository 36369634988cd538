#include "scsi/block_pages.h"

namespace platter::scsi {

std::optional<BlockLimits> decode_block_limits(Bytes reply) {
  const auto page = vpd_page_in(reply, 0xB0);
  if (page.size() < 16) return std::nullopt;
  return BlockLimits{get_be32(&page[8]), get_be32(&page[12])};
}

std::optional<Characteristics> decode_characteristics(Bytes reply) {
  const auto page = vpd_page_in(reply, 0xB1);
  if (page.size() < 8) return std::nullopt;
  Characteristics found;
  found.rotation_rate = get_be16(&page[4]);
  found.product_type = page[6];
  found.after_block_erase = page[7] >> 6;
  found.after_crypto_erase = (page[7] >> 4) & 3;
  found.form_factor = page[7] & 0x0F;
  found.depopulation_time_s = field<std::uint32_t>(page, 12);
  if (page.size() < 9) return found;
  const auto bit = [&](unsigned mask) { return (page[8] & mask) != 0; };
  found.zoned = static_cast<Zoned>((page[8] >> 4) & 3);
  found.reassigned_reads_zeros = bit(0x08);
  found.background_control = bit(0x04);
  found.force_as_in_sbc4 = bit(0x02);
  found.verifies_unmapped = bit(0x01);
  return found;
}

std::optional<Provisioning> decode_provisioning(Bytes reply) {
  const auto page = vpd_page_in(reply, 0xB2);
  if (page.size() < 6) return std::nullopt;
  Provisioning found{(page[5] & 0x80) != 0, (page[5] & 0x40) != 0, (page[5] & 0x20) != 0, {}};
  if (page.size() > 6) found.type = static_cast<std::uint8_t>(page[6] & 0x07);
  return found;
}

}  // namespace platter::scsi
