// What a command means to the drive: its answer, and the work that has to be done before the answer
// is due. No time in here; target.h has it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "engine/engine.h"
#include "virtual_drive/address_translation.h"
#include "virtual_drive/ata_side.h"
#include "virtual_drive/contents.h"
#include "virtual_drive/defects.h"
#include "virtual_drive/mode_pages.h"
#include "virtual_drive/personality.h"
#include "virtual_drive/sense_data.h"
#include "virtual_drive/spindle.h"
#include "virtual_drive/unwritten_blocks.h"

namespace platter::virtual_drive {

struct CommandShape;

struct Work {
  enum class Kind : std::uint8_t {
    electronics,  // nothing but the drive's processor: electronics_ns
    media,        // a read or write of `blocks` from `lbn` on
    write_and_verify,
    seek,
    synchronize,
    spin_up,
    rest,  // to `rest`, or back to work
  };
  Kind kind = Kind::electronics;
  Nanoseconds electronics_ns = 0;
  Nanoseconds before_ns = 0;  // until the media are asked: data on the bus, the way back from rest
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 0;
  bool write = false;
  bool force_unit_access = false;
  bool verify = false;     // a read from the media that sends nothing
  bool prefetch = false;   // a read into the cache that sends nothing
  bool same = false;       // a write of one block to many
  bool immediate = false;  // the answer does not wait for the work
  Nanoseconds spin_up_ns = 0;
  std::uint32_t lost_revolutions = 0;  // retries of a sector that cannot be read
  bool cache_changed = false;          // MODE SELECT of the caching page
  bool timers_changed = false;  // ... of page 1Ah, of a drive whose model has power conditions
  std::uint32_t rest = 0;       // as Engine::go_to_rest()
  bool flush = false;           // what waits is written before
  bool keeps_rest = false;      // timers go on behind it
};

struct Answer {
  Reply reply;
  Work work;
};

class LogicalUnit {
 public:
  // `contents` outlives it.
  LogicalUnit(const model::DriveModel& model, const engine::LayoutMap& map, Contents& contents);
  LogicalUnit(const LogicalUnit&) = delete;
  LogicalUnit& operator=(const LogicalUnit&) = delete;

  // Any bytes get an answer. Contents are read and written in the order of these calls; not those
  // of a command that only the time of matters (scsi::Command::keep_data). `tag` is for the
  // contents.
  Answer answer(const scsi::Command& command, std::uint32_t tag = 0);
  // A reply's data that nobody needs any more, for a reply to come.
  void reuse(std::vector<std::uint8_t> data);
  // The command is turned away without any effect. nullopt where SCSI does not allow that: INQUIRY,
  // REPORT LUNS and REQUEST SENSE are always answered (SAM-5 clause 5.14).
  std::optional<Answer> refuse(const scsi::Command& command, Reply reply) const;

  // Power-on, or a logical unit reset: settings are the defaults, the next command is told.
  void reset(bool unit_attention);

  // Power-on after power was gone: the drive spins, whatever it was told before.
  void power_on() { spindle_.power_on(); }
  // Whether a spin-up is under way when the next command comes: a command on the medium is refused.
  void set_spinning_up(bool spinning_up) { spindle_.set_spinning_up(spinning_up); }

  // As Engine::rest_at() has it when the next command comes.
  void set_rest(std::uint32_t rest) { rest_ = rest; }

  const Personality& personality() const { return drive_; }
  engine::CacheSettings cache_settings() const { return modes_.cache_settings(); }
  const ModePages& modes() const { return modes_; }
  // The idle condition comes by mode page 1Ah, of an ATA drive by its power management.
  bool becomes_idle() const {
    return drive_.firmware.ata ? ata_.becomes_idle() : modes_.becomes_idle();
  }

 private:
  struct Rule;
  static const std::vector<Rule>& rules();
  bool offers(const Rule& rule) const;
  CommandShape shape_of(const Rule& rule) const;
  tl::expected<const Rule*, Reply> rule_for(const scsi::Command& command) const;
  Reply check_usage(const scsi::Command& command, const Rule& rule) const;

  Answer test_unit_ready(const scsi::Command& command);
  Answer request_sense(const scsi::Command& command);
  Answer inquiry(const scsi::Command& command);
  Answer mode_select(const scsi::Command& command);
  Answer mode_sense(const scsi::Command& command);
  Answer receive_diagnostic(const scsi::Command& command);
  Answer send_diagnostic(const scsi::Command& command);
  Answer read_capacity_10(const scsi::Command& command);
  Answer read_capacity_16(const scsi::Command& command);
  Answer transfer(const scsi::Command& command);
  Answer seek(const scsi::Command& command);
  Answer synchronize_cache(const scsi::Command& command);
  Answer verify(const scsi::Command& command);
  Answer write_and_verify(const scsi::Command& command);
  Answer write_same(const scsi::Command& command);
  Answer pre_fetch(const scsi::Command& command);
  Answer start_stop_unit(const scsi::Command& command);
  Answer log_sense(const scsi::Command& command);
  Answer report_supported_opcodes(const scsi::Command& command);
  Answer read_defect_data(const scsi::Command& command);
  Answer report_luns(const scsi::Command& command);
  Answer ata_pass_through(const scsi::Command& command);
  Answer get_lba_status(const scsi::Command& command);

  Answer rest_by_command(std::uint8_t asked, std::uint8_t modifier, Work work) const;
  SenseCode told_of_rest() const;

  Answer electronics(Reply reply) const;
  Answer read_blocks(const scsi::Command& command, Work work);
  Answer write_blocks(const scsi::Command& command, Work work);
  Answer compare(const scsi::Command& command, Work work, std::uint8_t check);
  Answer synchronized(bool immediate);
  static bool has_sent(const scsi::Command& command, std::size_t bytes);
  bool stop_at_medium_error(Work& work, Reply& reply) const;
  struct ContentsFailed {};
  using Compared = tl::expected<std::optional<std::uint64_t>, ContentsFailed>;
  Compared first_difference(std::uint64_t lbn, std::uint32_t blocks,
                            std::span<const std::uint8_t> data) const;
  bool write_each(std::uint64_t lbn, std::uint32_t blocks, std::span<const std::uint8_t> block);
  std::vector<std::uint8_t> buffer(std::size_t bytes);
  std::uint64_t most_prefetched() const;
  std::uint64_t last_lbn_of_cylinder(std::uint64_t lbn) const;

  Personality drive_;
  const engine::LayoutMap& map_;
  ModePages modes_;
  AtaSide ata_;
  AddressTranslation translation_;
  ToldPlaces places_;
  Contents& contents_;
  UnwrittenBlocks unwritten_;
  std::optional<DefectSlots> defects_;        // found at the first question
  std::vector<std::uint64_t> medium_errors_;  // sorted
  Spindle spindle_;
  std::vector<std::vector<std::uint8_t>> spare_;  // of replies
  bool unit_attention_ = false;
  std::uint32_t rest_ = 0, rest_told_ = 0;  // as it is, and by START STOP UNIT
};

}  // namespace platter::virtual_drive
