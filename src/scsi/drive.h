// Drive: the typed commands that experiments use, on a guarded Device, one at a time. A transport
// failure or an unexpected sense ends the experiment with an Error that says which command and why;
// unit attentions and BUSY are retried (and counted). Nothing here measures or estimates.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/drive_model.h"
#include "scsi/ata.h"
#include "scsi/caching_fields.h"
#include "scsi/conditions.h"
#include "scsi/device.h"
#include "scsi/guard.h"
#include "scsi/replies.h"
#include "scsi/sense.h"

namespace platter::scsi {

// The drive reported an error that the experiment did not ask for. Medium errors are worth
// catching: `lbn` says where, another place may do.
class DriveError : public Error {
 public:
  DriveError(ExitStatus status, const std::string& sentence, std::optional<Sense> s,
             std::uint64_t at_lbn, std::uint32_t count)
      : Error(status, sentence), sense(std::move(s)), lbn(at_lbn), blocks(count) {}
  bool medium() const {
    constexpr std::uint8_t kSecurity = 0x74;  // ASC: no other place will do
    return sense && sense->key == SenseKey::medium_error && sense->asc != kSecurity;
  }
  // As it was asked: another form of the command may do.
  bool refused() const { return sense && sense->key == SenseKey::illegal_request; }
  std::optional<Sense> sense;
  std::uint64_t lbn;
  std::uint32_t blocks;
};

// A write failed, or may have: nothing more is written in this run (Guard::why_writes_ended), and
// what was written has to be looked after. Thrown once, by whatever command found it out.
class WriteFailed : public Error {
 public:
  using Error::Error;
};

// Another drive stands in the place of the one that was identified: it is not written to, and no
// setting of it is changed.
class AnotherDrive : public Error {
 public:
  using Error::Error;
};

// A drive that does not take back what it once had as its own settings. what() says what to do,
// where nobody knows more than that.
class NotTakenBack : public Error {
 public:
  explicit NotTakenBack(const std::string& fact)
      : Error(ExitStatus::drive_error,
              fact + "; run platter restore, or power the drive off and on"),
        fact_(fact) {}
  const std::string& fact() const { return fact_; }

 private:
  std::string fact_;
};

// What every completed command leaves behind for the raw samples of a run.
struct CommandRecord {
  std::uint8_t opcode = 0;
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 0;
  Nanoseconds issued_ns = 0, completed_ns = 0;
  Status status = Status::good;
};

enum class Stopped : std::uint8_t {
  nothing_to_stop,  // the drive has no such page, or it is off there
  stopped,
  goes_on,  // the drive does not let it be changed
};

class Drive {
 public:
  // Writes need a Guard with permission for them; a bare Device is only read.
  Drive(Device& guarded, std::string name);

  Clock& clock();
  Nanoseconds now_ns() { return clock().now_ns(); }
  // Lets time pass with nothing sent.
  void rest_ns(Nanoseconds time_ns);

  // Identity and capabilities. Filled by identify(): INQUIRY, VPD 00/80/83/B0/B1 where offered,
  // READ CAPACITY, retries a unit attention first.
  const model::Identity& identify();
  const Inquiry& inquiry() const;  // after identify()
  // Asks who the drive is. Done before the next write or setting where a unit attention may mean
  // that it was replaced (28h, 29h, 3Fh). Throws AnotherDrive.
  void require_same_drive();
  std::optional<std::vector<std::uint8_t>> vpd_page(std::uint8_t page);
  std::uint64_t blocks() const;  // after identify()
  std::uint32_t block_bytes() const;
  const Capacity& capacity() const;  // all that READ CAPACITY told
  // The most blocks of one command: VPD page B0h, the host's path, READ(16). The first call
  // asks; before it, reads and writes may be of any length.
  std::uint32_t most_blocks();
  void limit_blocks(std::uint32_t most);  // to what the drive was seen to take
  // Ranges of blocks that were never written, or trimmed since, as GET LBA STATUS tells them,
  // ascending; nullopt: the drive does not tell.
  std::optional<std::vector<LbnRange>> unmapped();
  // From now on reads of these blocks (ascending, disjoint) fail as those of blocks that cannot be
  // read, without being sent.
  void leave_out(std::vector<LbnRange> ranges);
  bool leaves_out(std::uint64_t lbn, std::uint32_t blocks) const;
  const std::vector<LbnRange>& left_out() const;

  // Reads: the data are kept only when asked for. READ(10), READ(16) past 2^32 blocks.
  Completion read(std::uint64_t lbn, std::uint32_t blocks = 1, bool force_unit_access = false,
                  bool keep_data = false);
  Completion read_as_cached(std::uint64_t lbn);  // one block, without FUA whatever forces_reads()
                                                 // says
  // The medium is read, nothing is sent. Throws DriveError, refused() where the drive has no
  // VERIFY.
  Completion verify(std::uint64_t lbn, std::uint32_t blocks = 1);
  // Rewrites what these sectors hold. learn_contents() must have read them before (it reads now
  // what is unknown); so the timed write is one command. What is learned, and goes to on_write(),
  // is whole physical blocks. Throws Error(refused) outside the permission, WriteFailed.
  void learn_contents(std::uint64_t lbn, std::uint32_t blocks);
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
  Completion synchronize_cache();

  // Address translation (page 40h), in the formats that the drive was found to take: blocks short
  // or long, places as physical sectors or, where it knows none, as bytes from the index (see
  // Translation::format). nullopt: the drive does not answer (illegal request); other failures
  // throw.
  std::optional<Translation> translate(std::uint64_t lbn);
  // `place` in the format of translate()'s answers. nullopt also where there is no such place.
  std::optional<PlaceContent> translate_back(const PhysicalAddress& place);
  // From bytes from the index to the physical sector.
  std::optional<PhysicalAddress> sector_at(const PhysicalAddress& bytes_from_index);
  // Where a block lies in bytes from the index, whatever the format of translate()'s answers.
  std::optional<PhysicalAddress> bytes_from_index(std::uint64_t lbn);
  // READ DEFECT DATA (10) or (12): in the format of translate()'s answers if the drive has the list
  // so, else in the other one (see DefectList::format).
  std::optional<DefectList> defects(bool primary, bool grown);
  std::optional<std::vector<std::uint8_t>> mode_page(std::uint8_t page, PageControl control,
                                                     std::uint8_t subpage = 0);
  std::optional<CachePage> cache_page(PageControl control = PageControl::current);
  // MODE SELECT with SP=0 of WCE/RCD/DRA; false if the drive refuses. What it was is recorded at
  // the first change; restore_settings() (also called by the destructor) brings it back.
  bool set_cache(bool write_cache_enabled, bool read_cache_disabled, bool read_ahead_disabled);
  // The same of any of that page's fields; true: the drive took them, and shows them.
  bool set_cache_fields(std::span<const CacheFieldValue> values);
  // An ATA drive whose translation does not take that change is told by SET FEATURES; ATA has
  // nothing that turns off reads from the cache, so then all reads go to the medium by FUA.
  bool forces_reads() const;
  bool forces_writes() const;
  // All reads, all writes go with FUA, until caches are set or restored (forced_access.h).
  void force_access(bool reads, bool writes);
  // The same for what the drive does on its own: background scans, power conditions, and the
  // advanced power management of ATA drives.
  Stopped stop_background_scan();
  Stopped stop_power_conditions();
  Stopped stop_power_management();
  void restore_settings();
  void restore_cache();  // of these settings, those of the caches alone
  // Of an ATA drive, from IDENTIFY DEVICE; nullopt: it is none (VPD page 89h), or no ATA command
  // gets through to it.
  std::optional<AtaSettings> ata_settings();
  bool restore_ata(const AtaSettings& settings);  // false if the drive does not show them then
  void keep_settings();  // as they are now: restore_settings() has nothing to bring back
  bool features_hold();  // what was set by SET FEATURES is still so
  std::optional<std::uint8_t> ata_power_mode();
  // The page 08h that restore_settings() will bring back; nullopt: nothing was changed.
  std::optional<std::vector<std::uint8_t>> recorded_settings() const;
  // Sets a whole page as it once came (`platter restore`); false if the drive refuses.
  bool restore_page(const std::vector<std::uint8_t>& raw);
  void put_back_page(const std::vector<std::uint8_t>& raw);  // the same; throws NotTakenBack
  // Whether a whole page is now what it once was.
  bool shows(const std::vector<std::uint8_t>& page);
  // A reset (unit attention 29h) or a change from outside (2Ah) was reported since the settings
  // were made: they are probably gone, in silence. True until they are made anew.
  bool settings_may_be_lost() const;

  // Called before a write command leaves, with the contents of all physical blocks that it touches
  // (the safety journal).
  void on_write(std::function<void(std::uint64_t lbn, const std::vector<std::uint8_t>&)> callback);
  void on_command(std::function<void(const CommandRecord&)> callback);

  std::uint64_t commands() const;
  std::uint64_t translations() const;
  std::uint64_t bytes_written() const;
  std::uint64_t unit_attentions() const;
  std::uint64_t resets() const;        // unit attentions 29h and 2Ah among them
  std::uint64_t busy_replies() const;  // BUSY, TASK SET FULL, becoming ready, aborted: tried again
  ~Drive();

 private:
  using StoppedPage = std::optional<std::vector<std::uint8_t>>;
  Stopped stop(PageCode code, StoppedPage (*stopped_page)(Bytes));
  void restore_recorded(PageCode code);
  void restore_recorded_ata(bool power_level_too);
  bool set_cache_page(bool write_cache_enabled, bool read_cache_disabled, bool read_ahead_disabled);
  bool change_ata(const AtaSettings& wanted);
  bool takes_forced_reads();
  Completion read_as(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access,
                     bool keep_data);
  void require_length(std::uint64_t lbn, std::uint32_t blocks) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace platter::scsi
