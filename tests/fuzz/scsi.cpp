#include "fuzz/targets.h"
#include "scsi/ata.h"
#include "scsi/replies.h"
#include "scsi/sense.h"

namespace platter::fuzz {
namespace {

constexpr std::uint8_t kPages[] = {0x01, 0x03, 0x04, 0x08, 0x1A, 0x1C, 0x3F};

void check_text(const std::string& text) {
  for (const char c : text) require(c >= ' ' && c <= '~', "text of a drive is printable");
}

void pages(scsi::Bytes reply) {
  for (const scsi::ModeForm form : {scsi::ModeForm::six, scsi::ModeForm::ten})
    for (const std::uint8_t code : kPages)
      for (std::uint8_t subpage = 0; subpage < 2; ++subpage) {
        const auto page = scsi::find_mode_page(form, reply, static_cast<std::uint8_t>(code),
                                               static_cast<std::uint8_t>(subpage));
        if (!page) continue;
        require(!page->empty() && ((*page)[0] & 0x3F) == code, "a page has its code");
        scsi::decode_cache_page(*page);
        scsi::with_cache_bits(*page, true, false, true);
        scsi::decode_format_page(*page);
        scsi::decode_geometry_page(*page);
      }
}

void identity(scsi::Bytes reply) {
  if (const auto inquiry = scsi::decode_inquiry(reply))
    for (const std::string& text : {inquiry->vendor, inquiry->product, inquiry->revision})
      check_text(text);
  scsi::decode_vpd_list(reply);
  if (const auto serial = scsi::decode_serial(reply)) check_text(*serial);
  for (const std::string& text : scsi::decode_designators(reply)) check_text(text);
  scsi::decode_block_limits(reply);
  scsi::decode_characteristics(reply);
  scsi::decode_luns(reply);
}

void capacity(scsi::Bytes reply) {
  scsi::decode_capacity_10(reply);
  scsi::decode_capacity_16(reply);
  std::uint64_t next = 0;
  for (const scsi::LbaStatus& status : scsi::decode_lba_status(reply)) {
    require(status.range.first >= next && status.range.last >= status.range.first, "ranges ascend");
    next = status.range.last;
  }
}

void places(scsi::Bytes reply) {
  for (const auto from : {scsi::AddressFormat::block, scsi::AddressFormat::physical_sector})
    for (const auto to : {scsi::AddressFormat::block, scsi::AddressFormat::bytes_from_index})
      scsi::is_translation(reply, from, to);
  scsi::decode_translation(reply);
  scsi::decode_translation_back(reply);
  scsi::defect_list_bytes_10(reply);
  scsi::defect_list_bytes_12(reply);
  for (const auto& list : {scsi::decode_defects_10(reply), scsi::decode_defects_12(reply)})
    if (list) require(list->places.size() <= reply.size() / 8, "no more defects than bytes");
}

void sense(scsi::Bytes reply) {
  if (const auto decoded = scsi::decode_sense(reply)) check_text(decoded->text());
  scsi::decode_power_mode(reply);
  scsi::decode_identify_device(reply);
  scsi::ata_command_of(reply);
}

// Every decoder takes what another command's answer would be as well.
void replies(const std::string& bytes) {
  const scsi::Bytes reply(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  identity(reply);
  capacity(reply);
  pages(reply);
  places(reply);
  sense(reply);
}

}  // namespace

std::vector<Target> scsi_targets() { return {{"scsi", replies}}; }

}  // namespace platter::fuzz
