// Decoders of what a drive answers: pure functions from bytes to meaning. A drive may answer short,
// pad, or lie about lengths: nothing outside the given bytes is read, what is not there is nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/lbn_range.h"
#include "scsi/block_pages.h"
#include "scsi/bytes.h"
#include "scsi/commands.h"

namespace platter::scsi {

struct Inquiry {  // SPC-4, standard INQUIRY data
  std::uint8_t qualifier = 0;
  std::uint8_t device_type = 0;  // 00h disk, 14h host-managed zoned disk
  bool removable = false;
  std::uint8_t version = 0;  // 2: SCSI-2, 5: SPC-3, 6: SPC-4
  std::string vendor, product, revision;
};

struct Capacity {  // READ CAPACITY
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 0;
  std::uint32_t physical_block_bytes = 0;  // where nobody says it, those of a logical block
  std::uint32_t lowest_aligned_lbn = 0;
  std::uint8_t protection_type = 0;  // 1 to 3: formatted with protection information; 0: without
  bool provisioned = false;          // LBPME: blocks may be without a place on the media
};

// Of GET LBA STATUS: blocks from `first` on, and whether they have a place on the media.
struct LbaStatus {
  LbnRange range{};
  bool mapped = true;  // else deallocated or anchored: nothing was written there
};

struct Translation {
  std::vector<PhysicalAddress> places;  // several where the block spans sectors
  bool remapped = false;                // ALTSEC: an alternate sector holds the block
  bool alternate_track = false;         // ALTTRK
  bool reserved_area = false;           // RAREA: all or part lies outside the LBNs
  AddressFormat format = AddressFormat::physical_sector;  // of the places
};

// What the drive says of a place that it has: the block there, or none (a spare, a slipped defect).
struct PlaceContent {
  std::optional<std::uint64_t> lbn;
  bool operator==(const PlaceContent&) const = default;
};

struct DefectList {
  std::vector<PhysicalAddress> places;
  bool primary = false, grown = false;                    // which lists are in it
  AddressFormat format = AddressFormat::physical_sector;  // of the places
};

struct CachePage {                   // mode page 08h; SBC-3, caching mode page
  bool write_cache_enabled = false;  // WCE
  bool read_cache_disabled = false;  // RCD
  bool read_ahead_disabled = false;  // DRA
  std::uint8_t segments = 0;         // number of cache segments
  std::uint16_t segment_blocks = 0;  // cache segment size
  std::uint16_t max_prefetch = 0, min_prefetch = 0, prefetch_ceiling = 0;
  std::vector<std::uint8_t> raw;  // the page as it came, for MODE SELECT
};

struct FormatPage {  // mode page 03h; SCSI-2, 9.3.3.3
  std::uint16_t tracks_per_zone = 0, alternate_sectors_per_zone = 0, alternate_tracks_per_zone = 0;
  std::uint16_t alternate_tracks_per_unit = 0, sectors_per_track = 0, bytes_per_sector = 0;
  std::uint16_t interleave = 0, track_skew = 0, cylinder_skew = 0;
};

struct GeometryPage {  // mode page 04h; SCSI-2, 9.3.3.7
  std::uint32_t cylinders = 0, heads = 0;
  std::uint16_t rpm = 0;
};

// ASCII of a reply: trimmed, everything that a terminal or a JSON file would not bear becomes '?'.
std::string printable(Bytes text);

// A text that did not come whole is empty: the rest of it could be anybody's.
std::optional<Inquiry> decode_inquiry(Bytes reply);
// Whether the answer to INQUIRY with EVPD is the standard data once more, as of a drive that
// ignores EVPD: its byte 1 may look like any page. `standard` is what INQUIRY without EVPD got.
// False where fewer than five bytes can be compared.
bool is_standard_inquiry(Bytes reply, Bytes standard);
// Page 00h: what is listed and 00h itself, in ascending order, each once. Empty: no list.
std::vector<std::uint8_t> decode_vpd_list(Bytes reply);
// Page 80h; nullopt: none, or not all of it came.
std::optional<std::string> decode_serial(Bytes reply);
std::vector<std::string> decode_designators(Bytes reply);  // page 83h, "naa.5000..."

// nullopt also where READ CAPACITY(10) says FFFFFFFFh: the drive is too large for it.
std::optional<Capacity> decode_capacity_10(Bytes reply);
std::optional<Capacity> decode_capacity_16(Bytes reply);
// READ CAPACITY(10) says FFFFFFFFh: the drive has 2^32 blocks, or more.
bool says_too_large(Bytes reply);
// In ascending order; ends before the first descriptor that makes no sense.
std::vector<LbaStatus> decode_lba_status(Bytes reply);

// The page with that code behind header and block descriptors, from its first byte.
std::optional<std::vector<std::uint8_t>> find_mode_page(ModeForm form, Bytes reply,
                                                        std::uint8_t page,
                                                        std::uint8_t subpage = 0);
std::optional<CachePage> decode_cache_page(Bytes page);
// The page with these three bits; nullopt if it is too short to hold a bit that is wanted.
std::optional<std::vector<std::uint8_t>> with_cache_bits(Bytes page, bool write_cache_enabled,
                                                         bool read_cache_disabled,
                                                         bool read_ahead_disabled);
std::optional<FormatPage> decode_format_page(Bytes page);
std::optional<GeometryPage> decode_geometry_page(Bytes page);

// RECEIVE DIAGNOSTIC RESULTS: whether it is page 40h, from and to these formats.
bool is_translation(Bytes reply, AddressFormat from, AddressFormat to);
// nullopt if it is not page 40h with places.
std::optional<Translation> decode_translation(Bytes reply);
// What is at a place. nullopt if it is not page 40h with a block.
std::optional<PlaceContent> decode_translation_back(Bytes reply);

// READ DEFECT DATA: how many bytes of descriptors the drive has, from the header alone.
std::optional<std::uint32_t> defect_list_bytes_10(Bytes reply);
std::optional<std::uint32_t> defect_list_bytes_12(Bytes reply);
// The list may have come in another format than was asked for. nullopt if it does not name places.
std::optional<DefectList> decode_defects_10(Bytes reply);
std::optional<DefectList> decode_defects_12(Bytes reply);

// Empty where not all of the list came.
std::vector<std::uint64_t> decode_luns(Bytes reply);

}  // namespace platter::scsi
