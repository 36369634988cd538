// Who a drive is: all witnesses are asked, here and nowhere else; src/identity makes of it who it
// is.
#include <algorithm>
#include <utility>

#include "identity/drive_mark.h"
#include "identity/reached.h"
#include "model/zones.h"
#include "scsi/bytes.h"
#include "scsi/commands.h"
#include "scsi/drive_link.h"
#include "scsi/identify_device.h"
#include "scsi/zones.h"

namespace platter::scsi {
namespace {

constexpr std::uint8_t kDisk = 0x00;        // peripheral device type
constexpr std::uint8_t kOutOfRange = 0x21;  // ASC
constexpr std::uint8_t kSpc3 = 5;           // version, of INQUIRY

// SPC-4, standard INQUIRY data: nothing is read of what is no disk.
void require_disk(const Inquiry& inquiry, const std::string& name) {
  const bool disk = inquiry.device_type == kDisk || inquiry.device_type == kHostManagedZones;
  if (inquiry.qualifier != 0 || !disk)
    throw Error(ExitStatus::no_device,
                fmt::format("{} is no disk drive (peripheral type {:02X}h, qualifier {}); name "
                            "another device (platter devices lists them)",
                            name, inquiry.device_type, inquiry.qualifier));
}

// Blocks of disks are of 512 bytes and more, with some bytes of their own (520, 528, 4104, 4224),
// and shorter than a track.
bool is_plausible(const Capacity& capacity) {
  constexpr std::uint32_t kShortest = 256, kLongest = 65536, kGrain = 4;
  return capacity.blocks > 0 && capacity.block_bytes >= kShortest &&
         capacity.block_bytes <= kLongest && capacity.block_bytes % kGrain == 0;
}

bool agree(const Capacity& a, const Capacity& b) {
  return a.blocks == b.blocks && a.block_bytes == b.block_bytes;
}

identity::AtaDisk disk_of(const AtaIdentity& told) {
  constexpr std::uint32_t kUsualSector = 512;
  identity::AtaDisk disk;
  disk.model = told.model.value_or("");
  disk.serial = told.serial.value_or("");
  disk.firmware = told.firmware.value_or("");
  if (told.world_wide_name) disk.world_wide_name = fmt::format("{:016x}", *told.world_wide_name);
  if (const auto sectors = told.sectors())
    disk.bytes = *sectors * told.sector_bytes.value_or(kUsualSector);
  return disk;
}

// IDENTIFY DEVICE data that are damaged count as none.
std::optional<AtaIdentity> trusted(Bytes data) {
  auto told = decode_ata_identity(data);
  return told && told->checksum != Checksum::wrong ? told : std::nullopt;
}

identity::Evidence evidence_of(const Told& told, const Capacity& capacity) {
  identity::Evidence evidence;
  evidence.vendor = told.inquiry.vendor;
  evidence.product = told.inquiry.product;
  evidence.revision = told.inquiry.revision;
  evidence.bytes = capacity.blocks * capacity.block_bytes;
  evidence.serial = told.serial;
  evidence.designators = told.designators;
  if (told.ata) evidence.pass_through = disk_of(*told.ata);
  evidence.is_translated = told.is_translated;
  if (told.page_89h) evidence.page_89h = disk_of(*told.page_89h);
  return evidence;
}

// The longer one of what the SCSI side says and what the disk says: a write of a part of a physical
// block endangers the rest of it.
void take_longer_physical_blocks(Capacity& capacity, const AtaIdentity& told) {
  if (!told.physical_exponent || !told.sector_bytes || *told.physical_exponent > 7) return;
  const std::uint32_t bytes = *told.sector_bytes << *told.physical_exponent;
  if (bytes <= capacity.physical_block_bytes) return;
  capacity.physical_block_bytes = bytes;
  if (capacity.block_bytes == *told.sector_bytes)
    capacity.lowest_aligned_lbn = told.lowest_aligned.value_or(0);
}

// Drives before SPC-3 had no longer ones, nor has what has logical blocks of 4096 bytes.
bool may_hide_physical_blocks(const DriveLink::Found& found) {
  constexpr std::uint32_t kLogical = 512;  // bytes
  const AtaIdentity* disk = ata_of(found.told);
  return !(disk && disk->physical_exponent) && found.told.inquiry.version >= kSpc3 &&
         found.capacity.block_bytes == kLogical;
}

}  // namespace

const AtaIdentity* ata_of(const Told& told) {
  if (told.ata) return &*told.ata;
  return told.page_89h ? &*told.page_89h : nullptr;
}

std::string ata_witness(const Told& told) { return told.ata ? "IDENTIFY DEVICE" : "VPD page 89h"; }

void Drive::refuse_host_managed() {
  if (is_host_managed())
    throw Error(ExitStatus::unsupported,
                fmt::format("{} is a disk of host-managed zones (peripheral type 14h), whose "
                            "blocks are written in order: inspect and characterize take it, and "
                            "nothing else does; name another drive",
                            link_->name));
}

bool Drive::is_host_managed() const { return told().inquiry.device_type == kHostManagedZones; }

void DriveLink::identify() {
  Found found = gather();
  told = std::move(found.told);
  capacity = found.capacity;
  who = std::move(found.who);
  identity = who.identity;
  physical = PhysicalBlocks(capacity);
  if (guard) guard->set_physical_blocks(physical);
  identified = true;
  may_be_another = false;
}

DriveLink::Found DriveLink::gather() {
  Found found;
  const auto standard = must(scsi::inquiry()).reply;
  const Bytes bytes = standard.as_far_as_it_came();
  const auto decoded = decode_inquiry(bytes);
  if (!decoded)
    throw Error(ExitStatus::protocol,
                name + " answers INQUIRY with less than 5 bytes: it is no SCSI drive");
  found.told.inquiry = *decoded;
  standard_data.assign(bytes.begin(), bytes.end());
  require_disk(*decoded, name);
  if (!identified) must(scsi::test_unit_ready());
  std::vector<std::string> doubts;
  found.capacity = ask_capacity(found.told, doubts);
  const bool says_physical = take_what_only_the_long_form_says(found.capacity, found.told, doubts);
  ask_who(found.told);
  model::Identity given;
  given.blocks = found.capacity.blocks;
  given.block_bytes = found.capacity.block_bytes;
  const identity::Evidence evidence = evidence_of(found.told, found.capacity);
  found.who = identity::who_is(evidence, std::move(given));
  if (!identity::is_this_disk(found.who)) found.told.ata.reset();
  if (evidence.page_89h && identity::page_is_of_another(evidence)) found.told.page_89h.reset();
  // A bridge may hide that the disk's sectors are longer.
  if (const AtaIdentity* disk = ata_of(found.told))
    take_longer_physical_blocks(found.capacity, *disk);
  if (!says_physical && may_hide_physical_blocks(found))
    doubts.push_back(fmt::format(
        "nobody says how long the physical blocks are, neither READ CAPACITY(16) nor IDENTIFY "
        "DEVICE: they are taken for {} bytes, and where they are longer a write that fails may "
        "tear blocks beside those that are kept",
        found.capacity.physical_block_bytes));
  found.who.identity.physical_block_bytes = found.capacity.physical_block_bytes;
  std::ranges::move(doubts, std::back_inserter(found.who.doubts));
  return found;
}

void DriveLink::ask_who(Told& told) {
  if (const auto page = vpd_page(0x80)) told.serial = decode_serial(*page).value_or("");
  const auto data = identify_device_data();
  told.ata = data ? trusted(*data) : std::nullopt;
  // A translation may let nothing through and tell of its disk all the same. Drives before SPC-3
  // stand behind none.
  if (!told.ata && told.inquiry.version < kSpc3) return;
  const auto page = vpd_page(0x89);
  told.is_translated = page.has_value();
  const auto information = page ? decode_ata_information(*page) : std::nullopt;
  if (information && information->identify_device)
    told.page_89h = trusted(*information->identify_device);
  if (!told.ata && !told.page_89h) return;
  if (const auto names = vpd_page(0x83)) told.designators = decode_designators(*names);
}

// The whole page: one that is longer than the room for it is asked for again. Drives without VPD
// pages may ignore EVPD and answer with the standard data, whose second byte may be any page's
// code.
std::optional<std::vector<std::uint8_t>> DriveLink::vpd_page(std::uint8_t page) {
  constexpr std::size_t kHeader = 4;
  constexpr std::uint16_t kUsual = 252;
  const auto asked = [&](std::uint16_t allocation) -> std::optional<std::vector<std::uint8_t>> {
    const auto reply = reply_to(inquiry_vpd(page, allocation));
    if (!reply) return std::nullopt;
    const Bytes bytes = reply->as_far_as_it_came();
    if (bytes.size() < kHeader || bytes[1] != page || is_standard_inquiry(bytes, standard_data))
      return std::nullopt;
    return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
  };
  auto bytes = asked(kUsual);
  if (!bytes) return std::nullopt;
  const std::size_t length = kHeader + get_be16(&(*bytes)[2]);
  if (length > kUsual && length <= 0xFFFF && bytes->size() == kUsual)
    bytes = asked(static_cast<std::uint16_t>(length));
  if (!bytes || bytes->size() < length) return std::nullopt;
  bytes->resize(length);
  return bytes;
}

// READ CAPACITY(10) and (16) must tell one size. Nothing but (16) tells the length of physical
// blocks; drives before SPC-3 lack it.
Capacity DriveLink::ask_capacity(Told& of, std::vector<std::string>& doubts) {
  const auto answer = ask(read_capacity_10());
  const Bytes bytes = answer.reply.as_far_as_it_came();
  auto& short_form = of.capacity_10;
  auto& long_form = of.capacity_16;
  if (answer.good()) short_form = decode_capacity_10(bytes);
  if (!short_form || of.inquiry.version >= kSpc3)
    if (const auto reply = reply_to(read_capacity_16()))
      long_form = decode_capacity_16(reply->as_far_as_it_came());
  const auto counts = [](const std::optional<Capacity>& form) {
    return form && is_plausible(*form) ? form : std::nullopt;
  };
  const auto short_counts = counts(short_form), long_counts = counts(long_form);
  if (short_form && long_form && (short_counts || long_counts) && !agree(*short_form, *long_form))
    return confirmed(short_counts ? *short_counts : *long_counts,
                     long_counts ? *long_counts : *short_counts, doubts, *short_form, *long_form);
  if (long_counts) return *long_counts;
  if (short_counts) return *short_counts;
  for (const auto& form : {short_form, long_form})
    if (form)
      throw Error(
          ExitStatus::protocol,
          fmt::format("{} says that it has {} blocks of {} bytes each (READ CAPACITY), as no "
                      "disk has; connect it another way",
                      name, form->blocks, form->block_bytes));
  if (!answer.good()) fail(read_capacity_10(), answer, 0, 0);
  throw Error(ExitStatus::protocol,
              says_too_large(bytes)
                  ? name +
                        " has 2^32 blocks or more (READ CAPACITY(10)) and does not say how many "
                        "(READ CAPACITY(16)): it can't be measured; connect it another way"
                  : name + " does not say its capacity (READ CAPACITY): it can't be measured");
}

// READ CAPACITY(10) knows nothing of physical blocks, protection information and provisioning, and
// so says nothing against them.
bool DriveLink::take_what_only_the_long_form_says(Capacity& capacity, const Told& told,
                                                  std::vector<std::string>& doubts) const {
  const auto& form = told.capacity_16;
  if (!form || form->block_bytes != capacity.block_bytes) return false;
  capacity.protection_type = form->protection_type;
  capacity.provisioned = form->provisioned;
  constexpr std::uint32_t kLongest = 65536;  // bytes
  if (form->physical_block_bytes > kLongest) {
    capacity.physical_block_bytes = capacity.block_bytes;
    doubts.push_back(
        fmt::format("READ CAPACITY(16) says that physical blocks have {} bytes, as no disk's have: "
                    "it counts as not said",
                    form->physical_block_bytes));
    return false;
  }
  capacity.physical_block_bytes = form->physical_block_bytes;
  capacity.lowest_aligned_lbn = form->lowest_aligned_lbn;
  return true;
}

// By the last blocks that they name: the larger capacity counts where its last block can be read.
// Of two lengths of blocks the longer one is asked for first: a drive of longer blocks fills up
// the room for a shorter one, but one of shorter blocks comes short.
Capacity DriveLink::confirmed(const Capacity& a, const Capacity& b,
                              std::vector<std::string>& doubts, const Capacity& told_10,
                              const Capacity& told_16) {
  const auto is_before = [](const Capacity& one, const Capacity& other) {
    return std::pair(one.block_bytes, one.blocks) > std::pair(other.block_bytes, other.blocks);
  };
  const auto [first, second] = is_before(a, b) ? std::pair(a, b) : std::pair(b, a);
  const std::string both = fmt::format(
      "READ CAPACITY(10) says {} blocks of {} bytes, READ CAPACITY(16) {} of {}", told_10.blocks,
      told_10.block_bytes, told_16.blocks, told_16.block_bytes);
  for (const Capacity& capacity : {first, second}) {
    if (!can_read_last_of(capacity)) continue;
    doubts.push_back(
        fmt::format("{}: the last of {} can be read, which was taken", both, capacity.blocks));
    return capacity;
  }
  throw Error(ExitStatus::protocol,
              fmt::format("{} does not say one capacity: {}, and the last block of neither can be "
                          "read; connect it another way",
                          name, both));
}

std::vector<std::uint64_t> Drive::logical_units() {
  const auto reply = link_->reply_to(report_luns());
  return reply ? decode_luns(reply->as_far_as_it_came()) : std::vector<std::uint64_t>();
}

std::optional<StatedRotation> stated_rotation(const std::optional<Characteristics>& said,
                                              const std::optional<AtaIdentity>& disk) {
  if (said && said->rotation_rate > 0) return StatedRotation{said->rotation_rate, "VPD page B1h"};
  if (disk && disk->rotation_rate) return StatedRotation{*disk->rotation_rate, "IDENTIFY DEVICE"};
  return std::nullopt;
}

std::optional<StatedRotation> rotation_of(const std::optional<Characteristics>& said,
                                          const Told& told) {
  auto found = stated_rotation(said, told.ata ? told.ata : told.page_89h);
  if (found && !(said && said->rotation_rate > 0)) found->by = ata_witness(told);
  return found;
}

std::optional<StatedRotation> Drive::stated_rotation() {
  const auto said = characteristics();
  return rotation_of(said, told());
}

std::optional<Characteristics> Drive::characteristics() {
  const auto page = vpd_page(0xB1);
  return page ? decode_characteristics(*page) : std::nullopt;
}

std::optional<PhysicalElements> Drive::physical_elements() {
  constexpr std::uint32_t kMost = 256;  // surfaces
  const auto reply = link_->reply_to(get_physical_element_status(0, physical_element_bytes(kMost)));
  return reply ? decode_physical_elements(reply->as_far_as_it_came()) : std::nullopt;
}

// ZBC: 21h with 04h to 07h, of reads and writes that cross or pass a write pointer.
bool speaks_of_zones(const Answer& answer) {
  return answer.illegal() && answer.sense->asc == kOutOfRange && answer.sense->ascq >= 0x04 &&
         answer.sense->ascq <= 0x07;
}

bool DriveLink::can_read_last_of(const Capacity& capacity) {
  if (capacity.blocks == 0) return false;
  const std::uint64_t last = capacity.blocks - 1;
  const Command command = shortest_read(last, 1, capacity.block_bytes);
  const Answer answer = ask(command, last, 1);
  return answer.good() && answer.reply.is_whole();
}

std::vector<model::ZoneRun> Drive::zones() {
  constexpr std::uint32_t kAllocation = kZoneHeader + 1023 * kZoneDescriptor;
  std::vector<model::ZoneRun> runs;
  std::uint64_t zones = 0, next = 0;
  while (next < blocks()) {
    const auto reply = link_->reply_to(report_zones(next, kAllocation));
    const auto found = reply ? decode_zones(reply->as_far_as_it_came()) : std::nullopt;
    if (!found || found->empty()) return {};
    for (const model::ZoneRun& zone : *found) {
      const bool follows = zone.first_lbn == next && zone.blocks > 0 && next < blocks() &&
                           zone.blocks <= blocks() - next;
      if (!follows || ++zones > model::kMostZones) return {};
      model::append_zone(runs, zone);
      next += zone.blocks;
    }
  }
  return runs;
}

namespace {

// Bridges say of a block behind the end that the CDB is wrong.
bool says_no_such_block(const Answer& answer) {
  constexpr std::uint8_t kInvalidField = 0x24;  // ASC, in the CDB with ASCQ 00h
  return answer.illegal() && answer.sense->ascq == 0 &&
         (answer.sense->asc == kOutOfRange || answer.sense->asc == kInvalidField);
}

}  // namespace

// Some bridges count the blocks where they should name the last one, and others keep some to
// themselves: what lies behind the end is out of range (21h), not unreadable.
bool Drive::confirm_capacity(const std::vector<LbnRange>& skipped) {
  auto& d = *link_;
  const std::uint64_t stated = d.known().blocks;
  if (const auto said = stated_rotation(); said && said->rpm == kDoesNotRotate) return true;
  std::optional<Answer> last;  // nullopt: nothing was asked
  const auto is_there = [&](std::uint64_t lbn) {
    const bool skips = std::ranges::any_of(
        skipped, [&](const LbnRange& range) { return range.holds(lbn, 1); });
    if (skips || lbn == 0) return true;
    const Command command = shortest_read(lbn, 1, block_bytes());
    last = d.ask(command, lbn, 1);
    return !says_no_such_block(*last);
  };
  if (is_there(stated - 1)) {
    if (!last || last->good()) return true;
    d.who.doubts.push_back(
        fmt::format("the last of the {} blocks that READ CAPACITY says cannot be read ({}): {}",
                    stated, what_it_said(*last),
                    speaks_of_zones(*last)
                        ? "it lies in a zone of which that can be read alone which was written"
                        : "there may be fewer"));
    return !speaks_of_zones(*last);
  }
  // The last one that is there, between one that is and one that is not.
  std::uint64_t there = 0, not_there = stated - 1;
  for (std::uint64_t step = 1; there == 0 && step < not_there; step *= 2) {
    if (is_there(stated - 1 - step))
      there = stated - 1 - step;
    else
      not_there = stated - 1 - step;
  }
  while (not_there - there > 1) {
    const std::uint64_t middle = there + (not_there - there) / 2;
    (is_there(middle) ? there : not_there) = middle;
  }
  if (there == 0) return true;  // it reads none of them, and whoever reads will hear why
  d.identity.stated_blocks = stated;
  d.identity.blocks = d.capacity.blocks = there + 1;
  d.physical = PhysicalBlocks(d.capacity);
  if (d.guard) d.guard->set_physical_blocks(d.physical);
  const std::uint64_t missing = stated - there - 1;
  d.who.doubts.push_back(
      fmt::format("READ CAPACITY says {} blocks, and the last {}cannot be addressed: {} were taken",
                  stated, missing == 1 ? "" : fmt::format("{} of them ", missing), there + 1));
  return true;
}

}  // namespace platter::scsi
