#include "scsi/sense.h"

#include <fmt/core.h>
#include <scsi/sg_lib.h>

#include <algorithm>
#include <array>

namespace platter::scsi {

std::optional<Sense> decode_sense(Bytes sense) {
  // A copy with zeros behind it: a drive's additional lengths may point past what it sent.
  std::array<std::uint8_t, 512> bytes{};
  const auto size = std::min<std::size_t>(sense.size(), 252);
  std::copy_n(sense.begin(), size, bytes.begin());
  sg_scsi_sense_hdr header{};
  if (size == 0 || !sg_scsi_normalize_sense(bytes.data(), static_cast<int>(size), &header) ||
      header.response_code < 0x70 || header.response_code > 0x73)
    return std::nullopt;
  Sense result;
  result.key = static_cast<SenseKey>(header.sense_key & 0x0F);
  result.asc = header.asc;
  result.ascq = header.ascq;
  result.deferred = header.response_code == 0x71 || header.response_code == 0x73;
  std::uint64_t information = 0;
  if (sg_get_sense_info_fld(bytes.data(), static_cast<int>(size), &information))
    result.information = information;
  return result;
}

std::string Sense::text() const {
  std::array<char, 80> key_text{};
  std::array<char, 160> code_text{};
  sg_get_sense_key_str(static_cast<int>(key), key_text.size(), key_text.data());
  sg_get_asc_ascq_str(asc, ascq, code_text.size(), code_text.data());
  std::string_view code = code_text.data();
  // The library writes "Additional sense: " before the text.
  if (constexpr std::string_view kLead = "Additional sense: "; code.starts_with(kLead))
    code.remove_prefix(kLead.size());
  return fmt::format("{}{}: {} [{:X}/{:02X}/{:02X}]", deferred ? "deferred error, " : "",
                     key_text.data(), code, static_cast<unsigned>(key), asc, ascq);
}

}  // namespace platter::scsi
