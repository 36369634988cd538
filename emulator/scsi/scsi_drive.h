// A model as a SCSI drive with contents: a target whose questions and answers are logged. It has no
// clock (virtual_drive/target.h): a server in real time or in simulated time asks it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/contents/contents.h"
#include "emulator/contents/zone_table.h"
#include "emulator/file_systems/ranges.h"
#include "emulator/pace/drive_report.h"
#include "emulator/scsi/command_log.h"
#include "emulator/scsi/drive_contents.h"
#include "emulator/scsi/drive_episodes.h"
#include "model/drive_model.h"
#include "virtual_drive/target.h"

namespace platter::emulator {

struct ScsiDriveSettings {
  std::string name{};  // of its own among the drives
  model::DriveModel model{};
  std::string model_sha256{};
  std::shared_ptr<const episodes::Schedule> episodes{};  // null: none
  std::optional<ZoneTable> zones{};                      // where its zones are kept
};

class ScsiDrive {
 public:
  // `contents`, of the drive's size, and `log` outlive it; `log` may be null. Powered on at time 0.
  // Contents that are volatile (volatile_contents.h) are told when what they were given is on the
  // media; they have to ask unwritten_bytes(). Throws Error(bad_input) for a model that lacks what
  // an engine needs.
  ScsiDrive(const ScsiDriveSettings& settings, unsigned number, Contents& contents, LogWriter* log);

  // What follows is as in Target.
  void submit(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns);
  // Looked for once after each question, so that a log tells all that the target was asked.
  std::optional<Nanoseconds> next_due() const { return next_due_; }
  std::optional<scsi::Completion> take(Nanoseconds now_ns);
  // As Target's.
  std::span<const std::uint8_t> data_of(std::uint32_t tag) const { return target_.data_of(tag); }
  void reuse(std::vector<std::uint8_t> data) { target_.reuse(std::move(data)); }
  bool abort(std::uint32_t tag, Nanoseconds now_ns);
  void reset(Nanoseconds now_ns);
  void power_cycle(Nanoseconds now_ns);

  // The emulation ends, which is a power cut for what outlives it. 0, or an errno.
  int keep_zones();
  // So many zones that looks at.
  std::size_t zones_to_keep() const { return unlike_kept_.size(); }

  void delivered(std::uint32_t tag, Nanoseconds at_ns);

  // The command is forgotten, if an episode keeps its answer for ever. Whether that was so.
  bool forget_stuck(std::uint32_t tag) {
    return episodes_ && episodes_->is_stuck(tag) && episodes_->abort(tag);
  }
  // Of each episode on how many requests it acted; nullopt: it has none.
  std::optional<std::vector<EpisodeReport>> episode_reports() const;

  // The host did not keep what the command wrote: it is no success.
  static void fail(scsi::Completion& completion);

  const std::string& name() const { return name_; }
  const model::DriveModel& model() const { return target_.truth(); }
  Contents& contents() { return contents_; }
  // Calls `each(tag)` for the commands that were taken up since the last question and of which the
  // host has to keep what was written before the answer goes (FUA, SYNCHRONIZE CACHE).
  template <typename Each>
  void take_has_to_last(const Each& each) {
    for (const std::uint32_t tag : blocks_.has_to_last()) each(tag);
    blocks_.has_to_last().clear();
  }
  // What the drive holds and has not written to its media, in bytes of the contents.
  std::vector<Range> unwritten_bytes() const;
  // The errno of the last command whose contents failed; 0: none has.
  int contents_error() const { return contents_error_; }
  std::uint64_t late_arrivals() const { return target_.late_arrivals(); }
  std::uint64_t outside_validity() const { return target_.outside_validity(); }
  // What the log's first line says of the drive: an object on one line.
  std::string log_head() const;

 private:
  void take_up_zones();
  int keep_zone(std::size_t number, const virtual_drive::ZoneList::State& state);
  int keep_changed_zones();
  void asked();
  void look_for_next();
  void note_failure(int error);

  std::string name_, model_sha256_;
  Contents& contents_;
  DriveContents blocks_;
  virtual_drive::Target target_;
  std::optional<ZoneTable> zone_table_;
  std::vector<virtual_drive::ZoneList::State> kept_zones_{};
  std::set<std::uint32_t> unlike_kept_{};  // zones that may be, or were when they were kept
  bool loses_cache_;
  std::optional<CommandLog> log_;
  std::optional<DriveEpisodes> episodes_;
  std::optional<Nanoseconds> target_due_{}, next_due_{};
  Nanoseconds now_ns_ = 0;  // the latest that it was told
  int contents_error_ = 0;
};

}  // namespace platter::emulator
