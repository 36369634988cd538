#include "scsi/identify_device.h"

#include <algorithm>
#include <limits>

#include "scsi/ata.h"
#include "scsi/block_pages.h"
#include "scsi/replies.h"

namespace platter::scsi {
namespace {

std::optional<std::string> said(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

// The first character of each pair is in the upper byte of its word.
std::optional<std::string> ata_text(Bytes data, std::size_t first, std::size_t words) {
  std::vector<std::uint8_t> text;
  for (std::size_t i = first; i < first + words; ++i) {
    text.push_back(data[2 * i + 1]);
    text.push_back(data[2 * i]);
  }
  return said(printable(text));
}

// What commands with so many bits of address can reach; 0: not said.
std::optional<std::uint64_t> number_of_sectors(std::uint64_t sectors, unsigned bits) {
  if (sectors == 0 || (sectors - 1) >> bits != 0) return std::nullopt;
  return sectors;
}

void decode_sectors(Bytes data, AtaIdentity& found) {
  constexpr unsigned kExtended = 1 << 3, kFortyEightBits = 1 << 10;
  found.sectors_28 = number_of_sectors(ata_words(data, 60, 2), 28);
  const auto supported = ata_word(data, 83);
  if (counts(supported) && (supported & kFortyEightBits))
    found.sectors_48 = number_of_sectors(ata_words(data, 100, 4), 48);
  if (ata_word(data, 69) & kExtended)
    found.sectors_64 = number_of_sectors(ata_words(data, 230, 4), 63);
}

// Longer sectors than of 256 words are told by words 117 and 118.
std::optional<std::uint32_t> logical_sector_bytes(Bytes data, std::uint16_t sizes) {
  constexpr unsigned kLonger = 1 << 12;
  if (!(sizes & kLonger)) return 512;
  const auto words = ata_words(data, 117, 2);
  if (words < 256 || words > std::numeric_limits<std::uint32_t>::max() / 2) return std::nullopt;
  return static_cast<std::uint32_t>(2 * words);
}

void decode_sector_sizes(Bytes data, AtaIdentity& found) {
  constexpr unsigned kSeveral = 1 << 13;
  const auto sizes = ata_word(data, 106), alignment = ata_word(data, 209);
  if (!counts(sizes)) return;
  found.sector_bytes = logical_sector_bytes(data, sizes);
  found.physical_exponent = static_cast<std::uint8_t>(sizes & kSeveral ? sizes & 0x0F : 0);
  if (!counts(alignment)) return;
  // The word says where in its physical sector LBN 0 is.
  const auto in_physical = std::uint32_t{1} << *found.physical_exponent;
  const std::uint32_t offset = alignment & 0x3FFF;
  if (offset < in_physical) found.lowest_aligned = (in_physical - offset) % in_physical;
}

// The highest word comes first here.
std::optional<std::uint64_t> world_wide_name(Bytes data) {
  constexpr unsigned kHasName = 1 << 8;
  const auto has = [&](std::size_t word) {
    return counts(ata_word(data, word)) && (ata_word(data, word) & kHasName);
  };
  if (!has(84) && !has(87)) return std::nullopt;
  std::uint64_t name = 0;
  for (std::size_t i = 108; i < 112; ++i) name = name << 16 | ata_word(data, i);
  if (name == 0 || name == ~std::uint64_t{0}) return std::nullopt;
  return name;
}

Checksum checksum_of(Bytes data) {
  if (!has_checksum(data)) return Checksum::absent;
  return is_checksum_right(data) ? Checksum::right : Checksum::wrong;
}

}  // namespace

std::optional<std::uint64_t> AtaIdentity::sectors() const {
  if (sectors_64) return sectors_64;
  return sectors_48 ? sectors_48 : sectors_28;
}

std::optional<AtaIdentity> decode_ata_identity(Bytes data) {
  if (!is_identify_device(data)) return std::nullopt;
  data = data.first(kIdentifyBytes);
  if (std::ranges::all_of(data, [](std::uint8_t byte) { return byte == 0; })) return std::nullopt;
  AtaIdentity found;
  found.incomplete = (ata_word(data, 0) & 0x0004) != 0;
  found.serial = ata_text(data, 10, 10);
  found.firmware = ata_text(data, 23, 4);
  found.model = ata_text(data, 27, 20);
  decode_sectors(data, found);
  decode_sector_sizes(data, found);
  found.rotation_rate = stated_rotation_rate(ata_word(data, 217));
  found.zoned = static_cast<Zoned>(ata_word(data, 69) & 3);
  found.trim = (ata_word(data, 169) & 1) != 0;
  found.world_wide_name = world_wide_name(data);
  found.checksum = checksum_of(data);
  return found;
}

std::optional<AtaInformation> decode_ata_information(Bytes reply) {
  constexpr std::size_t kDataAt = 60;
  const auto page = vpd_page_in(reply, 0x89);
  if (page.size() < kDataAt) return std::nullopt;
  AtaInformation found;
  found.vendor = printable(page.subspan(8, 8));
  found.product = printable(page.subspan(16, 16));
  found.revision = printable(page.subspan(32, 4));
  found.command = page[56];
  std::ranges::copy(page.subspan(36, found.signature.size()), found.signature.begin());
  const auto data = part(page, kDataAt, kIdentifyBytes);
  if (found.command == kIdentifyDevice && data.size() == kIdentifyBytes)
    found.identify_device = std::vector<std::uint8_t>(data.begin(), data.end());
  return found;
}

}  // namespace platter::scsi
