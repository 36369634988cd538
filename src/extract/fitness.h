// Whether a drive can be characterized at all, what of it is left out, and how long its commands
// may be. What is required throws Error where the drive does not have it, which says what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/finding_kinds.h"
#include "mtbrc/context.h"
#include "scsi/drive.h"

namespace platter::extract {

class Fitness {
 public:
  using Note = std::function<void(model::Noted)>;  // for the reader of the model

  // `name`: the device's, for messages.
  Fitness(scsi::Drive& drive, const std::string& name, Note note)
      : drive_(drive), name_(name), note_(std::move(note)) {}

  void require_rotation();  // asks for one page; nothing on the media is accessed
  void require_long_enough_commands();
  void require_no_tags(bool writes);
  // Ranges that are on the drive: no block of theirs is accessed on the media from now on, nor any
  // other one of their physical blocks.
  void skip(const std::vector<LbnRange>& ranges);
  // After skip(): of zones that are written in order nothing above the pointers is accessed, and
  // nothing is written. Returns what may be written of these ranges.
  std::vector<LbnRange> keep_to_zones(const model::Identity& drive,
                                      const std::vector<LbnRange>& writable);
  void leave_out_what_is_unmapped();                          // after skip()
  std::uint64_t random_block(mtbrc::Context& context) const;  // of those that are not left out
  // One that can be read, near the drive's middle.
  std::uint64_t require_readable_block();

  void warm_up(mtbrc::Context& context);
  // Some of the warm-up's reads were: they are to be made again with the caches off.
  bool answered_at_once() const { return !answered_at_once_.empty(); }
  void require_reads_from_the_media(mtbrc::Context& context);

  // By refusals of longer ones, or by those that come short.
  bool shorten_commands(const scsi::DriveError& error);
  void tell_shortest_limit();

 private:
  scsi::Drive& drive_;
  const std::string& name_;
  Note note_;
  bool came_short_ = false;                      // by which the longest command was found
  std::vector<std::uint64_t> answered_at_once_;  // of the reads of the warm-up
};

}  // namespace platter::extract
