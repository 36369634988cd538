// The lines of a log that tell what episodes did: behind each answer of a drive's engine or target,
// those that act on it, in their order, and nothing else of that drive between.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/check/check_log.h"
#include "emulator/check/log_reader.h"
#include "episodes/outcome.h"

namespace platter::emulator {

class EpisodeChecks {
 public:
  explicit EpisodeChecks(const std::vector<LoggedDrive>& drives);

  // A read, a write or a flush comes to the drive.
  void came(std::size_t drive, std::uint32_t tag, episodes::Kind kind, std::uint64_t lbn,
            std::uint64_t blocks, Nanoseconds arrival_ns);
  // It is answered then, were there no episodes.
  void answered(std::size_t drive, std::uint32_t tag, Nanoseconds completion_ns);
  // A flush over NBD, which has no tag.
  void flushed(std::size_t drive, Nanoseconds now_ns, Nanoseconds done_ns);
  void gone(std::size_t drive, std::uint32_t tag) { drives_[drive].asked.erase(tag); }
  void all_gone(std::size_t drive) { drives_[drive].asked.clear(); }

  // Before each line: "" or what differs, since an episode acted and the log does not tell.
  std::string before_line(std::size_t drive, char kind);
  // The rest of an `e` line: "" or what differs.
  std::string line(std::size_t drive, LogReader& log);
  std::uint64_t acted() const { return acted_; }

 private:
  struct Expected {
    std::optional<std::uint32_t> tag{};
    episodes::Action action{};
    std::string text() const;
  };
  struct Drive {
    const episodes::Schedule* schedule = nullptr;
    std::uint64_t ordinal = 0;
    std::unordered_map<std::uint32_t, episodes::Request> asked{};
    std::deque<Expected> expected{};
  };
  void expect(Drive& drive, std::optional<std::uint32_t> tag, const episodes::Request& request);

  std::vector<Drive> drives_{};
  std::uint64_t acted_ = 0;
};

}  // namespace platter::emulator
