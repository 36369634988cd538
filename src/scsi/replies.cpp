#include "scsi/replies.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scsi/bytes.h"

namespace platter::scsi {
namespace {

// One that names places, not blocks.
bool is_place(AddressFormat format) {
  return format == AddressFormat::physical_sector || format == AddressFormat::bytes_from_index;
}

// What a VPD page carries behind its header, as far as it came; empty if it is another page.
Bytes vpd_body(Bytes reply, std::uint8_t page) {
  return part(vpd_page_in(reply, page), 4, reply.size());
}

// A text of a reply; empty if not all of it came.
std::string text_at(Bytes reply, std::size_t at, std::size_t count) {
  const auto text = part(reply, at, count);
  return text.size() == count ? printable(text) : std::string();
}

PhysicalAddress place_at(const std::uint8_t* bytes) {
  return {static_cast<std::uint32_t>(get_be(bytes, 3)), bytes[3], get_be32(bytes + 4)};
}

std::vector<PhysicalAddress> places_in(Bytes list) {
  std::vector<PhysicalAddress> places;
  places.reserve(list.size() / 8);
  for (std::size_t at = 0; at + 8 <= list.size(); at += 8) places.push_back(place_at(&list[at]));
  return places;
}

// The addresses of a translate address page that goes from one format to another.
struct TranslatePage {
  AddressFormat supplied, translated;
  std::uint8_t flags;
  Bytes addresses;
};

std::optional<TranslatePage> translate_page(Bytes reply) {
  if (reply.size() < 6 || reply[0] != 0x40) return std::nullopt;
  const auto length = get_be16(&reply[2]);
  if (length < 2) return std::nullopt;
  return TranslatePage{static_cast<AddressFormat>(reply[4] & 7),
                       static_cast<AddressFormat>(reply[5] & 7), reply[5],
                       part(reply, 6, length - 2U)};
}

std::optional<DefectList> decode_defects(Bytes reply, std::size_t header,
                                         std::optional<std::uint32_t> length) {
  if (!length || !is_place(static_cast<AddressFormat>(reply[1] & 7))) return std::nullopt;
  if (reply.size() < header + *length) return std::nullopt;  // a list that is not whole is none
  return DefectList{places_in(part(reply, header, *length)), (reply[1] & 0x10) != 0,
                    (reply[1] & 0x08) != 0, static_cast<AddressFormat>(reply[1] & 7)};
}

std::uint16_t word(Bytes page, std::size_t at) {
  return at + 2 <= page.size() ? get_be16(&page[at]) : std::uint16_t{0};
}

bool is_page(Bytes page, std::uint8_t code) {
  return page.size() >= 2 && (page[0] & 0x3F) == code && !(page[0] & 0x40);
}

}  // namespace

std::string printable(Bytes text) {
  std::string result;
  for (const auto byte : text) {
    if (byte == 0) break;
    result += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '?';
  }
  result.erase(result.find_last_not_of(' ') + 1);
  result.erase(0, result.find_first_not_of(' '));
  return result;
}

std::optional<Inquiry> decode_inquiry(Bytes reply) {
  if (reply.size() < 5) return std::nullopt;
  Inquiry inquiry;
  inquiry.qualifier = static_cast<std::uint8_t>(reply[0] >> 5);
  inquiry.device_type = reply[0] & 0x1F;
  inquiry.removable = (reply[1] & 0x80) != 0;
  inquiry.version = reply[2];
  inquiry.vendor = text_at(reply, 8, 8);
  inquiry.product = text_at(reply, 16, 16);
  inquiry.revision = text_at(reply, 32, 4);
  return inquiry;
}

bool is_standard_inquiry(Bytes reply, Bytes standard) {
  constexpr std::size_t kLeast = 5;
  const auto common = std::min(reply.size(), standard.size());
  return common >= kLeast && std::ranges::equal(reply.first(common), standard.first(common));
}

std::vector<std::uint8_t> decode_vpd_list(Bytes reply) {
  // There are 256 pages. Where more are told of these are standard data, whose byte 2 is a version.
  constexpr std::size_t kMostPages = 256;
  const auto body = vpd_body(reply, 0x00);
  if (body.empty() || get_be16(&reply[2]) > kMostPages) return {};
  std::set<std::uint8_t> pages(body.begin(), body.end());
  pages.insert(0x00);
  return {pages.begin(), pages.end()};
}

std::optional<std::string> decode_serial(Bytes reply) {
  const auto page = vpd_page_in(reply, 0x80);
  // Zeros in it are no text: a bridge has filled up what did not come.
  const bool is_text = is_whole_vpd_page(page) &&
                       std::ranges::find(page.subspan(4), 0) == page.end();
  auto text = is_text ? printable(page.subspan(4)) : std::string();
  if (text.empty()) return std::nullopt;
  return text;
}

std::vector<std::string> decode_designators(Bytes reply) {
  static constexpr const char* kTypes[] = {"vendor", "t10", "eui", "naa"};
  std::vector<std::string> names;
  auto body = vpd_body(reply, 0x83);
  while (body.size() >= 4) {
    const auto association = (body[1] >> 4) & 3;
    const auto type = body[1] & 0x0F;
    const auto code_set = body[0] & 0x0F;
    const auto designator = part(body, 4, body[3]);
    const bool is_whole = !designator.empty() && designator.size() == body[3];
    if (association == 0 && type < 4 && is_whole)  // of the logical unit
      names.push_back(fmt::format("{}.{}", kTypes[type],
                                  code_set == 1 ? fmt::format("{:02x}", fmt::join(designator, ""))
                                                : printable(designator)));
    body = part(body, 4U + body[3], body.size());
  }
  return names;
}

std::optional<Capacity> decode_capacity_10(Bytes reply) {
  if (reply.size() < 8) return std::nullopt;
  const auto last = get_be32(&reply[0]);
  const auto bytes = get_be32(&reply[4]);
  if (last == 0xFFFFFFFF) return std::nullopt;
  return Capacity{std::uint64_t{last} + 1, bytes, bytes, 0};
}

bool says_too_large(Bytes reply) { return reply.size() >= 8 && get_be32(&reply[0]) == 0xFFFFFFFF; }

// SBC-2 has 12 bytes of it, SBC-3 32.
std::optional<Capacity> decode_capacity_16(Bytes reply) {
  if (reply.size() != 12 && reply.size() < 16) return std::nullopt;
  const auto last = get_be(&reply[0], 8);
  const auto bytes = get_be32(&reply[8]);
  if (last == ~std::uint64_t{0}) return std::nullopt;
  const unsigned exponent = reply.size() > 13 ? reply[13] & 0x0FU : 0;
  const auto physical = std::uint64_t{bytes} << exponent;
  Capacity capacity{
      last + 1, bytes, physical <= 0xFFFFFFFF ? static_cast<std::uint32_t>(physical) : bytes,
      static_cast<std::uint32_t>(reply.size() > 15 ? get_be16(&reply[14]) & 0x3FFF : 0)};
  const bool protection = reply.size() > 12 && (reply[12] & 0x01);  // PROT_EN; P_TYPE counts from 0
  if (protection) capacity.protection_type = static_cast<std::uint8_t>(((reply[12] >> 1) & 7) + 1);
  capacity.provisioned = reply.size() > 14 && (reply[14] & 0x80);
  return capacity;
}

// SBC-3, GET LBA STATUS parameter data; provisioning status 1h is deallocated, 2h anchored.
std::vector<LbaStatus> decode_lba_status(Bytes reply) {
  std::vector<LbaStatus> found;
  if (reply.size() < 8) return found;
  constexpr std::size_t kHeader = 8, kDescriptor = 16;
  const auto length = std::max<std::size_t>(get_be32(&reply[0]), 4) - 4;
  auto rest = part(reply, kHeader, length);
  for (; rest.size() >= kDescriptor; rest = rest.subspan(kDescriptor)) {
    const std::uint64_t first = get_be(&rest[0], 8), blocks = get_be32(&rest[8]);
    const bool carries_on = found.empty() || first == found.back().range.last + 1;
    if (blocks == 0 || !carries_on || first + (blocks - 1) < first) break;
    const auto status = rest[12] & 0x0F;
    found.push_back({{first, first + (blocks - 1)}, status != 1 && status != 2});
  }
  return found;
}

std::optional<std::vector<std::uint8_t>> find_mode_page(ModeForm form, Bytes reply,
                                                        std::uint8_t page, std::uint8_t subpage) {
  const std::size_t header = form == ModeForm::six ? 4 : 8;
  if (reply.size() < header) return std::nullopt;
  // The mode data length does not count its own field (SPC-4, mode parameter header).
  const std::size_t stated = form == ModeForm::six ? reply[0] + std::size_t{1}
                                                   : get_be16(&reply[0]) + std::size_t{2};
  const std::size_t descriptors = form == ModeForm::six ? reply[3] : get_be16(&reply[6]);
  reply = part(reply, 0, stated);
  for (auto rest = part(reply, header + descriptors, reply.size()); rest.size() >= 2;) {
    const bool has_subpages = (rest[0] & 0x40) != 0;  // SPF: two bytes of length
    if (has_subpages && rest.size() < 4) break;
    const std::size_t length = has_subpages ? 4U + get_be16(&rest[2]) : 2U + rest[1];
    if ((rest[0] & 0x3F) == page && (has_subpages ? rest[1] : 0) == subpage) {
      if (rest.size() < length) return std::nullopt;  // not all of it came
      const auto found = part(rest, 0, length);
      return std::vector<std::uint8_t>(found.begin(), found.end());
    }
    rest = part(rest, length, rest.size());
  }
  return std::nullopt;
}

std::optional<CachePage> decode_cache_page(Bytes page) {
  if (!is_page(page, 0x08) || page.size() < 3) return std::nullopt;
  CachePage cache;
  cache.write_cache_enabled = (page[2] & 0x04) != 0;
  cache.read_cache_disabled = (page[2] & 0x01) != 0;
  cache.read_ahead_disabled = page.size() > 12 && (page[12] & 0x20) != 0;
  cache.segments = page.size() > 13 ? page[13] : std::uint8_t{0};
  cache.segment_blocks = word(page, 14);
  cache.min_prefetch = word(page, 6);
  cache.max_prefetch = word(page, 8);
  cache.prefetch_ceiling = word(page, 10);
  cache.raw.assign(page.begin(), page.end());
  return cache;
}

std::optional<std::vector<std::uint8_t>> with_cache_bits(Bytes page, bool write_cache_enabled,
                                                         bool read_cache_disabled,
                                                         bool read_ahead_disabled) {
  if (!is_page(page, 0x08) || page.size() < 3) return std::nullopt;
  std::vector<std::uint8_t> changed(page.begin(), page.end());
  const auto set = [&](std::size_t byte, unsigned mask, bool on) {
    changed[byte] = static_cast<std::uint8_t>(on ? changed[byte] | mask : changed[byte] & ~mask);
  };
  set(2, 0x04, write_cache_enabled);
  set(2, 0x01, read_cache_disabled);
  if (page.size() > 12)
    set(12, 0x20, read_ahead_disabled);
  else if (read_ahead_disabled)
    return std::nullopt;
  return changed;
}

std::optional<FormatPage> decode_format_page(Bytes page) {
  if (!is_page(page, 0x03) || page.size() < 20) return std::nullopt;
  return FormatPage{word(page, 2),  word(page, 4),  word(page, 6),  word(page, 8), word(page, 10),
                    word(page, 12), word(page, 14), word(page, 16), word(page, 18)};
}

std::optional<GeometryPage> decode_geometry_page(Bytes page) {
  if (!is_page(page, 0x04) || page.size() < 6) return std::nullopt;
  return GeometryPage{static_cast<std::uint32_t>(get_be(&page[2], 3)), page[5], word(page, 20)};
}

bool is_translation(Bytes reply, AddressFormat from, AddressFormat to) {
  const auto page = translate_page(reply);
  return page && page->supplied == from && page->translated == to;
}

std::optional<Translation> decode_translation(Bytes reply) {
  const auto page = translate_page(reply);
  if (!page || !is_place(page->translated)) return std::nullopt;
  Translation translation{places_in(page->addresses), (page->flags & 0x40) != 0,
                          (page->flags & 0x20) != 0, (page->flags & 0x80) != 0, page->translated};
  if (translation.places.empty()) return std::nullopt;
  return translation;
}

std::optional<PlaceContent> decode_translation_back(Bytes reply) {
  const auto page = translate_page(reply);
  if (!page || !is_place(page->supplied)) return std::nullopt;
  constexpr std::uint8_t kReservedArea = 0x80;
  if (page->flags & kReservedArea) return PlaceContent{};
  if (page->addresses.size() < 8) return std::nullopt;
  if (page->translated == AddressFormat::block) {
    // Some drives say FFFFFFFFh for a place that holds no block.
    const auto lbn = get_be32(&page->addresses[0]);
    return lbn == 0xFFFFFFFF ? PlaceContent{} : PlaceContent{lbn};
  }
  if (page->translated != AddressFormat::long_block) return std::nullopt;
  const auto lbn = get_be(&page->addresses[0], 8);
  return lbn == ~std::uint64_t{0} ? PlaceContent{} : PlaceContent{lbn};
}

std::optional<std::uint32_t> defect_list_bytes_10(Bytes reply) {
  if (reply.size() < 4) return std::nullopt;
  return get_be16(&reply[2]);
}

std::optional<std::uint32_t> defect_list_bytes_12(Bytes reply) {
  if (reply.size() < 8) return std::nullopt;
  return get_be32(&reply[4]);
}

std::optional<DefectList> decode_defects_10(Bytes reply) {
  return decode_defects(reply, 4, defect_list_bytes_10(reply));
}

std::optional<DefectList> decode_defects_12(Bytes reply) {
  return decode_defects(reply, 8, defect_list_bytes_12(reply));
}

std::vector<std::uint64_t> decode_luns(Bytes reply) {
  std::vector<std::uint64_t> luns;
  if (reply.size() < 8 || reply.size() - 8 < get_be32(&reply[0])) return luns;
  const auto list = part(reply, 8, get_be32(&reply[0]));
  for (std::size_t at = 0; at + 8 <= list.size(); at += 8) luns.push_back(get_be(&list[at], 8));
  return luns;
}

}  // namespace platter::scsi
