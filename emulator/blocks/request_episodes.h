// The episodes of one drive's requests over NBD, by libplatter. Whoever asks holds the drive's
// mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/pace/drive_report.h"
#include "lib/platter.h"
#include "model/units.h"

namespace platter::emulator {

// As logs have it: PLATTER_STALL, ...
const char* word_of_episode(std::uint32_t what);

class RequestEpisodes {
 public:
  // `drive`: its place among those of the emulation. Throws Error(bad_input).
  RequestEpisodes(const std::string& path, std::uint32_t drive);

  // A request comes to the drive. `flags`: 0, PLATTER_WRITE or PLATTER_FLUSH.
  platter_asked came(std::uint64_t lbn, std::uint64_t blocks, std::uint32_t flags,
                     Nanoseconds arrival_ns);
  // It is to fail: its blocks are neither returned nor stored.
  bool fails(const platter_asked& asked) const;
  // What becomes of it, completed by the engine then. The actions are of this call until the next.
  platter_outcome outcome(platter_asked asked, Nanoseconds completion_ns);
  const std::vector<platter_action>& actions() const { return actions_; }

  std::string sha256() const;
  std::vector<EpisodeReport> reports() const;

 private:
  struct Close {
    void operator()(platter_episodes* episodes) const { platter_episodes_close(episodes); }
  };
  platter_episodes_info about() const;

  std::unique_ptr<platter_episodes, Close> episodes_;
  std::uint32_t drive_;
  std::uint64_t ordinal_ = 0;
  std::vector<platter_action> actions_{};
  std::vector<std::uint64_t> acted_;
};

}  // namespace platter::emulator
