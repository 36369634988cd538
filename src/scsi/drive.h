// Drive: the typed commands that experiments use, on a guarded Device, one at a time. A transport
// failure or an unexpected sense ends the experiment with an Error that says which command and why;
// unit attentions and BUSY are retried (and counted). Nothing here measures or estimates. Its
// settings and what it says of places are parts of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "identity/who.h"
#include "model/drive_model.h"
#include "scsi/block_pages.h"
#include "scsi/device.h"
#include "scsi/drive_addresses.h"
#include "scsi/drive_errors.h"
#include "scsi/drive_settings.h"
#include "scsi/guard.h"
#include "scsi/identify_device.h"
#include "scsi/physical_elements.h"
#include "scsi/replies.h"

namespace platter::scsi {

// What every completed command leaves behind for the raw samples of a run.
struct CommandRecord {
  std::uint8_t opcode = 0;
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 0;
  Nanoseconds issued_ns = 0, completed_ns = 0;
  Status status = Status::good;
};

struct Answer;

// The witnesses of who the drive is, as they came.
struct Told {
  Inquiry inquiry;
  std::optional<Capacity> capacity_10, capacity_16;
  std::string serial;                    // VPD page 80h
  std::vector<std::string> designators;  // VPD page 83h, asked for of ATA disks
  std::optional<AtaIdentity> ata;        // of this disk alone
  bool is_translated = false;            // VPD page 89h is there
  std::optional<AtaIdentity> page_89h;
};

struct StatedRotation {
  std::uint16_t rpm = 0;  // kDoesNotRotate: it has none
  std::string by{};       // its witness
};
// By VPD page B1h, else by IDENTIFY DEVICE; nullopt: neither says a rate that a disk may have.
std::optional<StatedRotation> stated_rotation(const std::optional<Characteristics>& said,
                                              const std::optional<AtaIdentity>& disk);

class Drive {
 public:
  // Writes need a Guard with permission for them; a bare Device is only read.
  Drive(Device& guarded, std::string name);

  Clock& clock();
  Nanoseconds now_ns() { return clock().now_ns(); }
  // Lets time pass with nothing sent.
  void rest_ns(Nanoseconds time_ns);

  // Identity and capabilities. identify() asks every witness of who the drive is (src/identity):
  // INQUIRY, READ CAPACITY, VPD pages 80h, 83h and 89h, IDENTIFY DEVICE; what the rest of the
  // model's identity says is asked for by `platter inspect` and a run (claims.h).
  const model::Identity& identify();
  // A disk of host-managed zones is identified as any other; what was not written of it may not be
  // read. For those who read and write anywhere: Error(unsupported) where it is one.
  void refuse_host_managed();
  bool is_host_managed() const;  // after identify()
  // All of them, by REPORT ZONES; empty: it tells of none, or of such that cannot be.
  std::vector<model::ZoneRun> zones();
  // Nothing is written to zones that are written in order, whatever is permitted; where the drive
  // refuses reads across them, such are left out.
  std::vector<LbnRange> keep_to_zones(const model::Identity& told);
  const identity::Who& who() const;  // after identify()
  const Told& told() const;          // after identify()
  // Reads the last block that the capacity names, unless it is to be skipped; where that is out of
  // range, the capacity is what can be addressed. False: it lies in a zone of which that can be
  // read alone which was written; the last of who().doubts says so.
  bool confirm_capacity(const std::vector<LbnRange>& skipped = {});
  // Asks who the drive is. Done before the next write or setting where a unit attention may mean
  // that it was replaced (28h, 29h, 3Fh). Throws AnotherDrive.
  void require_same_drive();
  // The whole page; nullopt: the drive has none, or sends other data, or a part of it.
  std::optional<std::vector<std::uint8_t>> vpd_page(std::uint8_t page);
  std::vector<std::uint64_t> logical_units();  // of its target, by REPORT LUNS; empty: not told
  std::optional<PhysicalElements> physical_elements();
  std::optional<Characteristics> characteristics();  // VPD page B1h
  std::optional<StatedRotation> stated_rotation();   // asks for that page
  std::uint64_t blocks() const;                      // after identify()
  std::uint32_t block_bytes() const;
  const Capacity& capacity() const;  // all that READ CAPACITY told
  // The most blocks of one command: VPD page B0h, the host's path, READ(16). The first call
  // asks; before it, reads and writes may be of any length.
  std::uint32_t most_blocks();
  void limit_blocks(std::uint32_t most);  // to what the drive was seen to take
  // Ranges of blocks that were never written, or trimmed since, as GET LBA STATUS tells them,
  // ascending; nullopt: the drive does not tell.
  std::optional<std::vector<LbnRange>> unmapped();
  // From now on reads of these blocks (ascending, disjoint), and seeks to them, fail as those of
  // blocks that cannot be read, without being sent.
  void leave_out(std::vector<LbnRange> ranges);
  bool leaves_out(std::uint64_t lbn, std::uint32_t blocks) const;
  const std::vector<LbnRange>& left_out() const;
  // And none may leave by mistake: the guard refuses them from now on.
  void skip(std::vector<LbnRange> ranges);

  // Reads, for their times, or for what the blocks hold. READ(10), READ(16) past 2^32 blocks.
  // Throw DriveError, came_short() where fewer bytes come than were asked for, again and again.
  Completion read(std::uint64_t lbn, std::uint32_t blocks = 1, bool force_unit_access = false);
  std::vector<std::uint8_t> contents(std::uint64_t lbn, std::uint32_t blocks,
                                     bool force_unit_access = false);
  Completion read_as_cached(std::uint64_t lbn);  // one block, without FUA whatever forces_reads()
                                                 // says
  // Whether any of these blocks, or of their physical blocks, was read so far by this process, or
  // said to have been.
  bool was_read(std::uint64_t lbn, std::uint32_t blocks = 1) const;
  void note_read(std::uint64_t lbn, std::uint32_t blocks);
  // The medium is read, nothing is sent. Throws DriveError, refused() where the drive has no
  // VERIFY.
  Completion verify(std::uint64_t lbn, std::uint32_t blocks = 1);
  // Rewrites what these sectors hold. learn_contents() must have read them before (it reads now
  // what is unknown); so the timed write is one command. What is learned, and goes to on_write(),
  // is whole physical blocks. Throws Error(refused) outside the permission, WriteFailed.
  struct SentRead {
    std::uint64_t lbn = 0;
    std::uint32_t blocks = 0;
    Completion done{};
  };
  std::vector<SentRead> learn_contents(std::uint64_t lbn, std::uint32_t blocks);  // what it read
  Completion write(std::uint64_t lbn, std::uint32_t blocks = 1, bool force_unit_access = false);
  // Nothing may be written any more once a write has failed.
  bool may_write(std::uint64_t lbn, std::uint32_t blocks = 1) const;
  void permit_writes(std::vector<LbnRange> writes);
  // Writes whole sectors' contents as a safety journal kept them, past the write cache where the
  // drive takes FUA.
  void put_back(std::uint64_t lbn, const std::vector<std::uint8_t>& contents);
  const PhysicalBlocks& physical_blocks() const;  // after identify()
  Completion seek(std::uint64_t lbn);             // SEEK(10); throws Error(unsupported) if rejected
  Completion test_unit_ready();
  std::unique_ptr<Stamping> stamp();  // as Device::stamp()
  Completion synchronize_cache();
  // The same, where the drive knows the command.
  void flush();

  DriveSettings& settings() { return settings_; }
  const DriveSettings& settings() const { return settings_; }
  DriveAddresses& addresses() { return addresses_; }

  // Called before a write command leaves, with the contents of all physical blocks that it touches
  // (the safety journal).
  void on_write(std::function<void(std::uint64_t lbn, const std::vector<std::uint8_t>&)> callback);
  void on_command(std::function<void(const CommandRecord&)> callback);

  std::uint64_t commands() const;
  std::uint64_t translations() const;
  std::uint64_t bytes_written() const;
  std::uint64_t blocks_written() const;  // each counts once
  std::uint64_t unit_attentions() const;
  std::uint64_t resets() const;        // unit attentions 29h and 2Ah among them
  std::uint64_t busy_replies() const;  // BUSY, TASK SET FULL, becoming ready, aborted, short: tried
                                       // again
  std::uint64_t short_replies() const;  // GOOD with fewer bytes than asked for: tried again
  // What the drive said beside its answers: what it recovered by itself (sense key 1h), and
  // warnings of its own state (failure predicted, 5Dh; warning, 0Bh). Nothing where there is no
  // guard.
  const Guard::Said& said() const;
  // Commands that count as not supported though no ILLEGAL REQUEST said so, with what was said.
  const std::map<std::string, std::string>& odd_refusals() const;
  ~Drive();

 private:
  Answer read_as(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access, bool keep_data);
  void require_length(std::uint64_t lbn, std::uint32_t blocks) const;
  void require_not_left_out(std::uint64_t lbn, std::uint32_t blocks) const;

  std::unique_ptr<DriveLink> link_;
  DriveSettings settings_;
  DriveAddresses addresses_;
};

}  // namespace platter::scsi
