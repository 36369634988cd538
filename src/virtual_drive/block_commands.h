// The commands on blocks: reads, writes, comparisons, and what brings the cache and the media
// together (SBC-3 clause 5). What the drive refuses without looking into the command is the logical
// unit's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "model/units.h"
#include "scsi/device.h"
#include "virtual_drive/contents.h"
#include "virtual_drive/mode_pages.h"
#include "virtual_drive/personality.h"
#include "virtual_drive/sense_data.h"
#include "virtual_drive/unwritten_blocks.h"
#include "virtual_drive/zone_list.h"

namespace platter::virtual_drive {

// What a logical unit makes of a command: the reply, and the work before the reply is due.
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

// Of a command that asks nothing but the drive's processor.
Answer answer_of_electronics(const Personality& drive, Reply reply);

class BlockCommands {
 public:
  // All outlive it.
  BlockCommands(const Personality& drive, const ModePages& modes, Contents& contents,
                ZoneList& zones);

  Answer transfer(const scsi::Command& command);
  Answer seek(const scsi::Command& command);
  Answer synchronize_cache(const scsi::Command& command);
  Answer verify(const scsi::Command& command);
  Answer write_and_verify(const scsi::Command& command);
  Answer write_same(const scsi::Command& command);
  Answer pre_fetch(const scsi::Command& command);

  // All that was written is on the medium before the answer, or begins to get there.
  Answer synchronized(bool immediate);
  const UnwrittenBlocks& unwritten() const { return unwritten_; }
  // A reply's data that nobody needs any more, for a reply to come.
  void reuse(std::vector<std::uint8_t> data);

 private:
  Answer electronics(Reply reply) const;
  Answer read_blocks(const scsi::Command& command, Work work);
  Answer write_blocks(const scsi::Command& command, Work work);
  Answer compare(const scsi::Command& command, Work work, std::uint8_t check);
  static bool has_sent(const scsi::Command& command, std::size_t bytes);
  bool stop_at_medium_error(Work& work, Reply& reply) const;
  struct ContentsFailed {};
  using Compared = tl::expected<std::optional<std::uint64_t>, ContentsFailed>;
  Compared first_difference(std::uint64_t lbn, std::uint32_t blocks,
                            std::span<const std::uint8_t> data) const;
  bool nothing_on_media(std::uint64_t lbn, std::uint64_t blocks) const {
    return unwritten_.holds(lbn, blocks) || zones_.all_unwritten(lbn, blocks);
  }
  void clear_unwritten(std::uint64_t lbn, std::span<std::uint8_t> data) const {
    unwritten_.clear(lbn, drive_.block_bytes, data);
    zones_.clear(lbn, drive_.block_bytes, data);
  }
  bool write_each(std::uint64_t lbn, std::uint32_t blocks, std::span<const std::uint8_t> block);
  std::vector<std::uint8_t> buffer(std::size_t bytes);
  std::uint64_t most_prefetched() const;

  const Personality& drive_;
  const ModePages& modes_;
  Contents& contents_;
  ZoneList& zones_;
  UnwrittenBlocks unwritten_;
  std::vector<std::uint64_t> medium_errors_;      // sorted
  std::vector<std::vector<std::uint8_t>> spare_;  // of replies
};

// The bytes that a host sends with a command.
// As many as the CDB announces; nullopt if the host has not sent so many.
inline std::optional<std::span<const std::uint8_t>> parameter_list(const scsi::Command& command,
                                                                   std::size_t length) {
  if (length == 0) return std::span<const std::uint8_t>{};
  if (command.direction != scsi::Direction::to_device || command.data.size() < length)
    return std::nullopt;
  return std::span(command.data).first(length);
}

}  // namespace platter::virtual_drive
