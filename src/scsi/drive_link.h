// What a Drive and its parts share: what is known of the drive, and how a command is sent until the
// drive has answered it. Of the files drive*.cpp alone.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scsi/commands.h"
#include "scsi/drive.h"
#include "scsi/read_blocks.h"
#include "scsi/reply.h"

namespace platter::scsi {

constexpr std::uint8_t kInvalidOpcode = 0x20;  // ASC

constexpr int kMaxUnitAttentions = 16;  // of one command; several may be queued after a reset
constexpr int kMaxAborts = 4;           // of one command
constexpr int kMostDeferred = 64;       // errors of earlier writes, before one command

// What the drive did say to a command, retries done.
struct Answer {
  Completion completion;  // without its data
  Reply reply;
  std::optional<Sense> sense;
  bool not_supported = false;  // of an optional command: as if the drive did not have it
  std::string path_says;       // why there is none; of an optional command

  bool good() const {
    if (!path_says.empty()) return false;
    return completion.status == Status::good || completion.status == Status::condition_met ||
           (completion.status == Status::check_condition && sense && !sense->deferred &&
            (sense->key == SenseKey::no_sense || sense->key == SenseKey::recovered_error));
  }
  bool illegal() const {
    return sense && !sense->deferred && sense->key == SenseKey::illegal_request;
  }
  bool invalid_opcode() const { return illegal() && sense->asc == kInvalidOpcode; }
};

// For a sentence: its sense data, or its status, or what the path says.
std::string what_it_said(const Answer& answer);

// What the ATA disk behind a translation says of itself, by ATA PASS-THROUGH or else in VPD page
// 89h; nullptr: nothing.
const AtaIdentity* ata_of(const Told& told);
std::string ata_witness(const Told& told);  // by which of the two
// By VPD page B1h, else by that disk.
std::optional<StatedRotation> rotation_of(const std::optional<Characteristics>& said,
                                          const Told& told);

class DriveLink {
 public:
  DriveLink(Device& device_, std::string name_)
      : device(device_), name(std::move(name_)), guard(dynamic_cast<Guard*>(&device_)) {}

  Answer once(const Command& command, std::uint64_t lbn, std::uint32_t blocks);
  Answer ask(const Command& command, std::uint64_t lbn = 0, std::uint32_t blocks = 0);
  Answer must(const Command& command, std::uint64_t lbn = 0, std::uint32_t blocks = 0);
  // Of what a drive may lack (is_optional): good, or not supported. Throws DriveError where a drive
  // that has the command fails it.
  Answer may(const Command& command);
  // The data of it; nullopt: not supported.
  std::optional<Reply> reply_to(const Command& command);
  // All bytes were moved.
  Answer whole(const Command& command, std::uint64_t lbn, std::uint32_t blocks);
  Nanoseconds patience_with(const Command& command, const Answer& answer) const;
  bool counts_as_not_supported(const Command& command, const Answer& answer,
                               std::uint32_t blocks) const;
  // Whether the path may have failed by this very command, which the drive may lack.
  bool may_have_failed_by(const Command& command, const TransportError& error) const;
  void fetch_sense(Answer& answer);
  void tell_of_failed_writes();
  void require_same_drive();
  std::vector<std::uint8_t> known_contents(std::uint64_t lbn, std::uint64_t blocks) const;
  Command write_command(std::uint64_t lbn, std::vector<std::uint8_t> data,
                        bool force_unit_access) const;
  Completion send_write(const Command& command, std::uint64_t lbn, std::uint32_t blocks);
  void note_unit_attention(const Sense& sense);
  [[noreturn]] void fail(const Command& command, const Answer& answer, std::uint64_t lbn,
                         std::uint32_t blocks) const;
  std::optional<std::vector<std::uint8_t>> translated(const Command& send, AddressFormat from,
                                                      AddressFormat to);
  std::optional<Translation> translate(std::uint64_t lbn, AddressFormat block, AddressFormat place);
  std::optional<std::vector<std::uint8_t>> defect_data(const Command& command);
  std::optional<DefectList> defects(bool primary, bool grown, AddressFormat format);
  bool select(const std::vector<std::uint8_t>& page);
  // Who it is (drive_identity.cpp).
  struct Found {
    Told told;
    Capacity capacity;
    identity::Who who;
  };
  void identify();
  Found gather();
  void ask_who(Told& told);
  // False: it says nothing of physical blocks, or what no disk has.
  bool take_what_only_the_long_form_says(Capacity& capacity, const Told& told,
                                         std::vector<std::string>& doubts) const;
  Capacity ask_capacity(Told& told, std::vector<std::string>& doubts);
  Capacity confirmed(const Capacity& a, const Capacity& b, std::vector<std::string>& doubts,
                     const Capacity& told_10, const Capacity& told_16);
  bool can_read_last_of(const Capacity& capacity);
  std::optional<std::vector<std::uint8_t>> vpd_page(std::uint8_t page);
  // Its data, whoever it is; the form of ATA PASS-THROUGH is the first one that was answered.
  std::optional<std::vector<std::uint8_t>> identify_device_data();
  // Of this disk alone (identity::Reached).
  std::optional<PassThrough> pass_through();
  std::optional<AtaSettings> identify_device();
  const model::Identity& known() const {
    if (!identified) throw Error(ExitStatus::internal, name + " was used before it was identified");
    return identity;
  }

  Device& device;
  std::string name;
  Guard* guard;
  model::Identity identity;
  identity::Who who;
  Told told;
  std::vector<std::uint8_t> standard_data;  // of INQUIRY, as it came
  Capacity capacity;
  bool identified = false;
  PhysicalBlocks physical;
  bool told_of_failed_writes = false;
  bool may_be_another = false;  // since a unit attention, until it was asked

  struct Content {
    std::vector<std::uint8_t> bytes;
    bool written = false;
  };
  std::map<std::uint64_t, Content> contents;  // of sectors that are rewritten

  std::optional<ModeForm> mode_form;  // the one that this drive was seen to accept
  // Formats of page 40h that this drive was seen to answer, or that it answers none.
  std::optional<AddressFormat> block_format, place_format;
  bool translates_not = false;
  std::uint8_t refusal = 0;                                // ASC of the last refused translation
  std::map<PageCode, std::vector<std::uint8_t>> recorded;  // pages before the first change
  // Of an ATA drive: the form of ATA PASS-THROUGH that it takes, and its settings before the first
  // change.
  std::optional<PassThrough> ata_form;
  bool asked_for_ata = false;
  std::optional<AtaSettings> recorded_ata, made_ata;
  bool forces_reads = false, forces_writes = false;
  std::optional<std::uint32_t> most_blocks;
  std::vector<LbnRange> left_out;
  std::vector<model::ZoneRun> apart;  // zones that no read crosses
  ReadBlocks read_blocks;
  bool selecting = false;  // between our own MODE SELECT and the next command that gets through
  bool lost = false;

  std::function<void(std::uint64_t, const std::vector<std::uint8_t>&)> write_callback;
  std::function<void(const CommandRecord&)> command_callback;
  std::uint64_t commands = 0, translations = 0, bytes_written = 0, blocks_written = 0;
  std::uint64_t unit_attentions = 0, resets = 0, busy_replies = 0, short_replies = 0;
  std::set<std::uint32_t> answered;  // subjects of commands that this drive has answered well
  std::map<std::string, std::string> odd_refusals;  // by command, those that are no ILLEGAL REQUEST
};

}  // namespace platter::scsi
