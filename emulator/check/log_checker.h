// What both checks of a log are made of: line after line, and the first that differs.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/check/check_log.h"
#include "emulator/check/log_reader.h"
#include "episodes/outcome.h"
#include "model/read_budget.h"

namespace platter::emulator {

// The lines of a log that tell what episodes did: behind each answer of a drive's engine or target,
// those that act on it, in their order, and nothing else of that drive between.
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

class LogChecker {
 public:
  LogChecker(LogReader& log, const std::vector<LoggedDrive>& drives)
      : log_(log), episodes_(drives), budget_(log.name()) {
    budget_.allow(model::Cost::bytes, std::numeric_limits<std::uint64_t>::max());
  }
  virtual ~LogChecker() = default;
  LogChecker(const LogChecker&) = delete;
  LogChecker& operator=(const LogChecker&) = delete;

  // Throws Error(bad_input).
  CheckedLog check() {
    while (log_.next_line()) {
      budget_.take(model::Cost::bytes, log_.text().size());
      will_pass(0);
      check_line();
    }
    found_.episodes = episodes_.acted();
    return found_;
  }

 protected:
  virtual void check_line() = 0;

  std::uint32_t read_tag() {
    return static_cast<std::uint32_t>(log_.number(0, kMost32, "no tag is so large"));
  }
  // The line's head.
  LogReader::Head read_head(std::size_t drives) {
    const LogReader::Head head = log_.read_head(drives);
    if (const std::string what = episodes_.before_line(head.drive, head.kind); !what.empty())
      differs(what);
    return head;
  }
  void check_episode(std::size_t drive) {
    if (const std::string what = episodes_.line(drive, log_); !what.empty()) differs(what);
    log_.end();
  }
  void differs(const std::string& what) {
    if (found_.differ++ == 0) found_.first_difference = log_.place() + what;
  }

  // The engine is going to work out how so many blocks pass. A line may ask for gigabytes, which a
  // drive needs seconds for; a log of little else is none of an emulation.
  void will_pass(std::uint64_t blocks) {
    constexpr std::uint64_t kBlocksOfLine = 1024, kBetweenLooks = 256;
    unlooked_ += 1 + blocks / kBlocksOfLine;
    if (unlooked_ < kBetweenLooks) return;
    unlooked_ = 0;
    constexpr double kMore_ns_per_byte = 1000;  // a log may be long
    budget_.require_time(kMore_ns_per_byte);
  }

  LogReader& log_;
  EpisodeChecks episodes_;
  CheckedLog found_{};

 private:
  model::ReadBudget budget_;
  std::uint64_t unlooked_ = 0;  // lines, and blocks as lines
};

// A log of requests by block against engines.
// `told`: what the log's head says of each drive. Throws Error(bad_input), json::exception.
CheckedLog check_blocks(LogReader& log, const nlohmann::json& told,
                        const std::vector<LoggedDrive>& drives);

// A log of SCSI commands against targets.
// `told`: what the log's head says of each drive. Throws Error(bad_input), json::exception.
CheckedLog check_commands(LogReader& log, const nlohmann::json& told,
                          const std::vector<LoggedDrive>& drives);

}  // namespace platter::emulator
