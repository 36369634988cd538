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

#include "virtual_drive/answer.h"
#include "virtual_drive/contents.h"
#include "virtual_drive/mode_pages.h"
#include "virtual_drive/personality.h"
#include "virtual_drive/unwritten_blocks.h"
#include "virtual_drive/zone_list.h"

namespace platter::virtual_drive {

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

}  // namespace platter::virtual_drive
