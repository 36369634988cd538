// What the sectors that a trace writes hold, read before the timed run: a write then rewrites what
// is there, and is one command.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "scsi/drive.h"

namespace platter::replay {

class Contents {
 public:
  explicit Contents(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  // Reads what is missing of these sectors later, in learn().
  void want(const LbnRange& range);
  // One read for each run of wanted sectors (of at most 128 blocks); `learned` sees every piece.
  using Learned = std::function<void(std::uint64_t lbn, const std::vector<std::uint8_t>& bytes)>;
  void learn(scsi::Drive& drive, const Learned& learned);
  // The bytes of sectors that were wanted and learned.
  std::vector<std::uint8_t> of(std::uint64_t lbn, std::uint32_t blocks) const;

 private:
  struct Run {
    std::uint64_t end = 0;  // one past its last LBN
    std::vector<std::uint8_t> bytes{};
  };
  std::uint32_t block_bytes_;
  std::map<std::uint64_t, Run> runs_;  // by first LBN; they neither overlap nor touch
};

}  // namespace platter::replay
