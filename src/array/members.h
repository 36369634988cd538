// The members of an array: drives with an engine, a queue and a rotational phase each, and in front
// of each what a block layer does there: neighbours that come together go as one command, and what
// the drive does not take waits.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "array/device_queue.h"
#include "engine/engine.h"
#include "engine/request.h"
#include "model/units.h"

namespace platter::array {

// On one member. The ticket says whose it is.
struct Access {
  std::uint32_t member = 0;
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 0;
  bool write = false;
  std::uint64_t ticket = 0;
};

class Members {
 public:
  struct BlockLayer {
    std::uint32_t most_merged = 0;  // blocks of a command that is made of neighbours
    // Of a plug, which holds what one thread adds between two flushes (blk_add_rq_to_plug()):
    std::uint32_t full_at = 0;         // blocks of a command after which no other lies in it
    std::uint32_t most_commands = 32;  // for one member; for several twice that
    std::uint32_t device_queue = 0;    // commands that a member has at once; 0: all
  };
  Members(const std::vector<engine::Engine>& engines, std::vector<Nanoseconds> phases,
          bool force_unit_access, const BlockLayer& layer);

  // To be issued with the next flush.
  void add(const Access& access) { added_.push_back(access); }
  // Issues what one thread added, at that time, which is not before the last. Neighbours go as one
  // command. What lay in a plug for one member alone goes the last first when the thread is done
  // with it, but in order when it went to sleep (block/blk-mq.c, Linux 6.1).
  enum class From : std::uint8_t { plug, plug_of_sleeper, no_plug };
  void flush(Nanoseconds now_ns, From from = From::plug);

  struct Ended {
    std::uint32_t member = 0;
    Nanoseconds time_ns = 0;
    std::uint64_t lbn = 0;
    std::uint32_t blocks = 0;
    bool media = false;
    std::vector<std::uint64_t> tickets{};  // of all accesses of the command
  };
  // When the next command ends; nullopt: none is outstanding.
  std::optional<Nanoseconds> next_time() const;
  const Ended& next();  // valid until the next call

  std::uint64_t commands() const { return commands_issued_; }
  std::uint64_t outside_validity() const { return outside_validity_; }

 private:
  struct Command {
    std::uint32_t member = 0;
    std::uint64_t lbn = 0;
    std::uint32_t blocks = 0;
    bool write = false;
    std::vector<std::uint64_t> tickets{};
  };
  struct Member {
    engine::Engine engine;
    Nanoseconds phase_ns;
    DeviceQueue queue;
    DeviceQueue::Commands plugged{};       // of this flush
    std::deque<std::uint32_t> waiting{};   // commands at the drive that it does not work on
    std::optional<Nanoseconds> next_ns{};  // when its next command ends
  };

  bool merged(const Access& access);
  bool joined(Command& command, const Access& access);
  bool plug_is_full() const;
  std::uint32_t new_command(const Access& access);
  void issue_plugged(Nanoseconds now_ns, From from);
  void submit(Member& member, Nanoseconds now_ns);

  std::vector<Member> members_;
  bool force_unit_access_;
  BlockLayer layer_;
  std::vector<Access> added_{};
  std::vector<std::uint32_t> plugged_{};  // commands of this flush
  bool for_several_ = false;              // members
  DeviceQueue::Commands sent_{};
  std::vector<Command> commands_{};
  std::vector<std::uint32_t> free_{};  // places of commands_
  Ended ended_{};
  std::uint64_t commands_issued_ = 0, outside_validity_ = 0;
};

}  // namespace platter::array
