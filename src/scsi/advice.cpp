#include "scsi/advice.h"

#include <algorithm>
#include <array>

namespace platter::scsi {
namespace {

struct Codes {
  std::uint16_t first, last;
};

constexpr Codes one(std::uint8_t asc, std::uint8_t ascq) {
  const auto code = static_cast<std::uint16_t>(asc * 0x100 + ascq);
  return {code, code};
}
constexpr Codes some(std::uint8_t asc, std::uint8_t first_ascq, std::uint8_t last_ascq) {
  return {one(asc, first_ascq).first, one(asc, last_ascq).first};
}
constexpr Codes all(std::uint8_t asc) { return some(asc, 0x00, 0xFF); }
constexpr Codes all(std::uint8_t first_asc, std::uint8_t last_asc) {
  return {all(first_asc).first, all(last_asc).last};
}
constexpr Codes kEvery = all(0x00, 0xFF);

template <class... Keys>
constexpr std::uint16_t of(Keys... keys) {
  return static_cast<std::uint16_t>((0u | ... | (1u << static_cast<unsigned>(keys))));
}
constexpr std::uint16_t kAnyKey = 0xFFFF;

constexpr AdviceRow row(std::uint16_t keys, Codes codes, Affects affects, std::string_view text) {
  return {keys, codes.first, codes.last, affects, text};
}
constexpr AdviceRow row(Codes codes, Affects affects, std::string_view text) {
  return row(kAnyKey, codes, affects, text);
}
constexpr AdviceRow locked(std::uint16_t keys, Codes codes) {
  AdviceRow made = row(keys, codes, Affects::whole_drive,
                       "the drive is locked: unlock it with its key or password first");
  made.locked = true;
  return made;
}

constexpr std::string_view kSpunDown =
    "it is spun down: start it (sg_start --start, or enable its enclosure to) and try again";
constexpr std::string_view kBusyWithItself =
    "it is busy with work of its own on the media: wait until that is done";
constexpr std::string_view kOtherPath =
    "this path to it is not in use: take another path, or wait until its controller has changed "
    "over";
constexpr std::string_view kPowerCycle = "power it off and on; if that does not help it is broken";
constexpr std::string_view kFirmware =
    "it waits for its firmware: power it off and on, or load the firmware with its vendor's tool";
constexpr std::string_view kFormat =
    "its format is corrupted, or a format or sanitize of it was broken off: it has to be formatted "
    "(sg_format; all data are lost) before anything can be read";
constexpr std::string_view kFailing = "save the data of this drive: it reports a failure";
constexpr std::string_view kPredicted =
    "save the data of this drive: it expects to fail soon (smartctl -x tells more)";
constexpr std::string_view kPath =
    "commands or data are damaged or lost on the way: look at the cable, the connectors and the "
    "adapter";
constexpr std::string_view kReservation = "another host holds a reservation: release it first";
constexpr std::string_view kOtherHost =
    "another host or program takes its reservations, or ends commands of others: find out which";
constexpr std::string_view kNoSuchRequest = "this drive does not support it as asked";
constexpr std::string_view kLeaveOut = "leave these blocks out";
constexpr std::string_view kZoneRule =
    "it breaks a rule of zoned drives: read within a zone, write from its write pointer on";
constexpr std::string_view kZonesFull =
    "too many of its zones are open: close or finish some, or leave out what is written";
constexpr std::string_view kTemperature = "it is too hot or too cold: see to its cooling first";
constexpr std::string_view kGeneral = "try again, or look at the drive with platter inspect";

using enum Affects;

constexpr auto kRows = std::to_array<AdviceRow>({
    // Locked; the security of ATA drives comes through SAT as one of these.
    locked(of(SenseKey::not_ready, SenseKey::illegal_request, SenseKey::data_protect,
              SenseKey::aborted_command),
           one(0x20, 0x02)),
    locked(kAnyKey, all(0x74)),

    // Not ready.
    row(one(0x04, 0x00), whole_drive,
        "it is not ready and does not say why: start it, or power it off and on, and try again"),
    row(one(0x04, 0x01), this_try,
        "it does not become ready: wait longer, or power it off and on, and try again"),
    row(one(0x04, 0x02), whole_drive, kSpunDown),
    row(one(0x04, 0x11), whole_drive, kSpunDown),
    row(one(0x04, 0x03), whole_drive, "somebody has to see to the drive itself"),
    row(one(0x04, 0x04), whole_drive, "it is being formatted: wait until that is done"),
    row(some(0x04, 0x05, 0x08), whole_drive, kBusyWithItself),
    row(one(0x04, 0x14), whole_drive, kBusyWithItself),
    row(one(0x04, 0x1A), whole_drive, kBusyWithItself),
    row(one(0x04, 0x1D), whole_drive, kBusyWithItself),
    row(some(0x04, 0x24, 0x25), whole_drive, kBusyWithItself),
    row(one(0x04, 0x09), whole_drive, "it tests itself: wait until that is done"),
    row(one(0x04, 0x1B), whole_drive, "it is being sanitized: wait until that is done"),
    row(some(0x04, 0x0A, 0x0C), whole_drive, kOtherPath),
    row(one(0x04, 0x12), whole_drive,
        "it was taken offline: bring it back in its array, controller or enclosure first"),
    row(one(0x04, 0x1C), whole_drive,
        "its enclosure grants it no power to spin up: see to the enclosure, or wait"),
    row(some(0x04, 0x1E, 0x1F), whole_drive, kFirmware),
    row(some(0x04, 0x20, 0x22), whole_drive, kPowerCycle),
    row(one(0x04, 0x23), whole_drive,
        "another host adapter has taken this SATA drive for itself: release it there first"),
    row(all(0x3A), whole_drive,
        "there is no medium in it, or its bridge or bay sees none: put the drive in, or look at "
        "its connectors"),
    row(one(0x3E, 0x00), whole_drive,
        "it has not configured itself yet: wait, or power it off and on"),
    row(all(0x5E), this_try,
        "it has gone to sleep to save power: start it (sg_start --start), and turn its timers for "
        "that off"),

    // Nothing that can be read or written as a whole.
    row(one(0x30, 0x10), whole_drive, kFormat),
    row(all(0x31), whole_drive, kFormat),
    row(all(0x30), whole_drive, "its medium does not fit this drive: put in another one"),
    row(one(0x25, 0x00), whole_drive,
        "there is no drive at this address: look which there are (platter devices)"),
    row(all(0x68), whole_drive,
        "its controller has made no volume of it: configure it there, or take the drive itself"),

    // These blocks.
    row(one(0x11, 0x14), these_blocks,
        "a program has marked these blocks as bad: leave them out, or write them anew"),
    row(one(0x11, 0x15), these_blocks,
        "it was sanitized: each block has to be written once before it can be read"),
    row(all(0x11), these_blocks, kLeaveOut),
    row(some(0x10, 0x01, 0x05), these_blocks,
        "their protection information does not fit their data: leave these blocks out; where all "
        "blocks answer so the drive has to be formatted anew"),
    row(one(0x0C, 0x12), this_try, kZonesFull),
    row(some(0x55, 0x0E, 0x0F), this_try, kZonesFull),
    row(all(0x0C), these_blocks,
        "these blocks cannot be written: leave them out of --allow-writes"),
    row(all(0x03), this_try,
        "the drive fails to write: save its data, and run without --allow-writes"),
    row(one(0x21, 0x00), these_blocks,
        "it has no such blocks, though its capacity says so (it may be one too many): leave them "
        "out"),

    // Zones (ZBC-2, zoned block device additional sense codes).
    row(one(0x21, 0x04), this_command,
        "a zone is written out of order; of a drive without zones it is what Linux makes of an ATA "
        "error that it cannot name: look into the kernel's log, and at cable and power"),
    row(one(0x21, 0x05), this_command, kZoneRule),
    row(some(0x21, 0x07, 0x08), this_command, kZoneRule),
    row(one(0x21, 0x06), these_blocks,
        "nothing was written yet to these blocks of a zone: leave them out"),
    row(one(0x21, 0x09), these_blocks, "these blocks lie between zones: leave them out"),
    row(one(0x27, 0x08), these_blocks,
        "this zone can only be read: leave it out of what is written"),
    row(one(0x2C, 0x0E), these_blocks, "this zone is offline: leave its blocks out"),
    row(one(0x2C, 0x12), these_blocks, "this zone is inactive: leave its blocks out"),

    // Not allowed.
    row(one(0x27, 0x07), whole_drive,
        "the storage behind it is full, so that it takes no writes: make room there"),
    row(all(0x27), whole_drive,
        "the drive is write protected (a jumper, a switch, a write blocker): take the protection "
        "away"),
    row(one(0x2C, 0x09), whole_drive, kReservation),
    row(some(0x2A, 0x03, 0x05), this_try, kOtherHost),
    row(all(0x2F), this_try, kOtherHost),

    // As asked.
    row(one(0x20, 0x00), this_command, kNoSuchRequest),
    row(one(0x24, 0x00), this_command, kNoSuchRequest),
    row(some(0x26, 0x00, 0x02), this_command, kNoSuchRequest),

    // The drive fails. Another place, or another time, may still do.
    row(some(0x3E, 0x01, 0x02), this_try, kPowerCycle),
    row(all(0x4C), this_try, kPowerCycle),
    row(all(0x32), this_try, "save the data of this drive: it has no spare sectors left"),
    row(one(0x3E, 0x03), this_try, kFailing),
    row(all(0x09), this_try, kFailing),
    row(all(0x40), this_try, kFailing),
    row(all(0x42), this_try, kFailing),
    row(one(0x44, 0x71), this_try,
        "an ATA drive refuses a setting: power it off and on, and try again"),
    row(all(0x44), this_try,
        "the drive failed inside: try again; if it does so again save the data of this drive"),
    row(all(0x5D), this_try, kPredicted),
    row(one(0x0B, 0x01), this_try, kTemperature),
    row(some(0x0B, 0x0A, 0x0D), this_try, kTemperature),
    row(all(0x0B), this_try, "the drive warns: look what of (smartctl -x), and see to it first"),
    row(all(0x34, 0x35), this_try,
        "its enclosure has failed or does not answer: see to that first"),

    // Resets, the path, others.
    row(one(0x29, 0x01), this_try,
        "it keeps losing power: look at its power supply and connectors"),
    row(one(0x29, 0x07), this_try, kPath),
    row(all(0x29), this_try, "something keeps resetting the drive: find out what"),
    row(all(0x28), this_try,
        "its medium, or the drive behind its bridge, keeps being changed: look at its connectors"),
    row(all(0x2A), this_try,
        "its settings keep being changed: find out which host or program does it"),
    row(all(0x3F), this_try,
        "what it is keeps being changed: find out which host or program configures it"),
    row(all(0x05), this_try, kPath),
    row(all(0x08), this_try, kPath),
    row(all(0x0E), this_try, kPath),
    row(all(0x45), this_try, kPath),
    row(all(0x47, 0x4B), this_try, kPath),
    row(all(0x4D, 0x4E), this_try,
        "the adapter or its driver uses the tag of a command twice: look for newer ones of them"),
    row(one(0x55, 0x0B), this_try, "it lacks power: look at its power supply and connectors"),
    row(all(0x55), this_try,
        "too much is asked of it at once: try again when other hosts and programs ask less"),

    // By the sense key alone.
    row(of(SenseKey::not_ready), kEvery, whole_drive,
        "start the drive, or wait until it is ready, and try again"),
    row(of(SenseKey::medium_error), kEvery, these_blocks, kLeaveOut),
    row(of(SenseKey::hardware_error), kEvery, this_try, kFailing),
    row(of(SenseKey::illegal_request), kEvery, this_command, kNoSuchRequest),
    row(of(SenseKey::unit_attention), kEvery, this_try,
        "the drive keeps reporting that something was changed: find out what does it"),
    row(of(SenseKey::data_protect), kEvery, whole_drive,
        "the drive is write protected, or keeps these blocks: take the protection away"),
    row(of(SenseKey::blank_check), kEvery, these_blocks,
        "these blocks were never written: leave them out"),
    row(of(SenseKey::aborted_command), kEvery, this_try,
        "the drive gave it up: try again; if it does so again look at the cable and the adapter"),
    row(kEvery, this_try, kGeneral),
});

Advice without_sense(Status status) {
  switch (status) {
    case Status::reservation_conflict:
      return {kReservation, whole_drive, ExitStatus::refused};
    case Status::busy:
    case Status::task_set_full:
      return {"something else keeps it busy: find out what, and try again", this_try,
              ExitStatus::drive_error};
    case Status::aborted:
      return {kOtherHost, this_try, ExitStatus::drive_error};
    default:
      return {kGeneral, this_try, ExitStatus::drive_error};
  }
}

}  // namespace

std::span<const AdviceRow> advice_rows() { return kRows; }

Advice advice_on(const std::optional<Sense>& sense, Status status) {
  if (!sense || status == Status::reservation_conflict) return without_sense(status);
  const AdviceRow& found = *std::ranges::find_if(
      kRows, [&](const AdviceRow& r) { return r.is_of(sense->key, sense->asc, sense->ascq); });
  if (sense->deferred && found.affects == these_blocks)
    return {
        "an earlier command failed, on blocks that this one does not name: look into the "
        "drive's own logs (smartctl -x)",
        this_try, ExitStatus::drive_error};
  const ExitStatus exit = sense->deferred                           ? ExitStatus::drive_error
                          : found.locked                            ? ExitStatus::refused
                          : sense->key == SenseKey::illegal_request ? ExitStatus::unsupported
                                                                    : ExitStatus::drive_error;
  return {found.text, found.affects, exit};
}

}  // namespace platter::scsi
