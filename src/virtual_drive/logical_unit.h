// What a command means to the drive: its answer, and the work that has to be done before the answer
// is due. No time in here; target.h has it.
#pragma once

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "virtual_drive/address_translation.h"
#include "virtual_drive/ata_side.h"
#include "virtual_drive/block_commands.h"
#include "virtual_drive/contents.h"
#include "virtual_drive/defects.h"
#include "virtual_drive/mode_pages.h"
#include "virtual_drive/personality.h"
#include "virtual_drive/sense_data.h"
#include "virtual_drive/spindle.h"
#include "virtual_drive/zone_list.h"

namespace platter::virtual_drive {

struct CommandShape;

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
  void reuse(std::vector<std::uint8_t> data) { blocks_.reuse(std::move(data)); }
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

  ZoneList& zones() { return zones_; }
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
  Answer start_stop_unit(const scsi::Command& command);
  Answer log_sense(const scsi::Command& command);
  Answer report_supported_opcodes(const scsi::Command& command);
  Answer read_defect_data(const scsi::Command& command);
  Answer report_luns(const scsi::Command& command);
  Answer ata_pass_through(const scsi::Command& command);
  Answer get_lba_status(const scsi::Command& command);
  Answer report_zones(const scsi::Command& command);
  Answer act_on_zones(const scsi::Command& command);

  template <Answer (BlockCommands::*kHandler)(const scsi::Command&)>
  Answer on_blocks(const scsi::Command& command) {
    return (blocks_.*kHandler)(command);
  }
  Answer rest_by_command(std::uint8_t asked, std::uint8_t modifier, Work work) const;
  SenseCode told_of_rest() const;

  Answer electronics(Reply reply) const;
  std::uint64_t last_lbn_of_cylinder(std::uint64_t lbn) const;

  Personality drive_;
  const engine::LayoutMap& map_;
  ModePages modes_;
  AtaSide ata_;
  AddressTranslation translation_;
  ToldPlaces places_;
  Contents& contents_;
  ZoneList zones_;
  BlockCommands blocks_;
  std::optional<DefectSlots> defects_;  // found at the first question
  Spindle spindle_;
  bool unit_attention_ = false;
  std::uint32_t rest_ = 0, rest_told_ = 0;  // as it is, and by START STOP UNIT
};

}  // namespace platter::virtual_drive
