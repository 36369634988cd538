// A host's block layer in front of a drive, so that traces that were taken above one can be
// replayed: requests wait in its queue, are merged, and reads in a row are fetched ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "replay/host_queue_settings.h"
#include "replay/schedule.h"

namespace platter::replay {

// The queue is served first in first out. A request goes to the drive as soon as the drive takes
// one more, with what follows or precedes it on the disk and waits, too (never past a request that
// it overlaps). In an open trace a request that finds none waiting is held back, until four wait,
// the plug's time is over or the drive completed something (unplug_thresh, unplug_delay and
// blk_run_queue of Linux 2.6.23, block/ll_rw_blk.c). A loop of a closed one waits for its request,
// which ends a plug at once. A read is completed when all of its data came, a write when all of it
// is written. A stream of reads that follow one another is read ahead by one window, as soon as it
// comes into the last one.
class HostQueue final : public Player {
 public:
  struct Drive {
    std::uint64_t blocks = 0;
    std::uint32_t block_bytes = 512;
    std::uint32_t depth = 1;  // most that it is given at once
  };

  HostQueue(Player& player, const Drive& drive, const HostQueueSettings& settings,
            trace::Kind kind);

  void prepare(const Response& request) override { prepared_ = request; }
  std::optional<Done> next_by(Nanoseconds time_ns) override;
  Done next() override;
  void issue(std::uint64_t number, Nanoseconds time_ns) override;
  // One more than it has, while there is a place or the prepared request needs none.
  std::uint32_t room() const override;

  const HostQueueUse& use() const { return use_; }

 private:
  struct Extent {
    std::uint64_t first = 0, end = 0;  // LBNs, the second not of it
    bool write = false;

    std::uint64_t blocks() const { return end - first; }
    bool precedes(const Extent& other) const { return end == other.first; }
    // One must not pass the other.
    bool bars(const Extent& other) const {
      return first < other.end && other.first < end && (write || other.write);
    }
  };
  // A request of the trace, complete when nothing of it is missing.
  struct Client {
    std::uint64_t number = 0;
    Nanoseconds entered_ns = 0;
    std::uint32_t missing = 0;
    bool media = false;
  };
  // Blocks that a stream will ask for.
  struct Window {
    std::uint64_t first = 0, end = 0;
    std::uint32_t missing = 0;
    std::vector<std::shared_ptr<Client>> waiting{};
  };
  // Who asked for some of a command's data.
  struct Part {
    std::shared_ptr<Client> client{};
    std::shared_ptr<Window> window{};
  };
  struct Command {
    std::uint64_t number = 0;
    Extent extent{};
    std::vector<Part> parts{};
  };
  struct Stream {
    std::uint64_t next = 0;  // the LBN behind its latest read
    std::vector<std::shared_ptr<Window>> windows{};
  };

  bool step(Nanoseconds latest_ns);
  void complete(const Done& done);
  void finish_part(Client& client, bool media, Nanoseconds time_ns);
  void enqueue(Extent extent, const Part& part, Nanoseconds time_ns);
  bool merge(const Extent& extent, const Part& part);
  bool may_join(const Extent& one, const Extent& other) const;
  bool barred(const Extent& extent, std::size_t begin, std::size_t end) const;
  void join_neighbours(std::size_t at);
  bool merges_with_waiting(const Extent& extent) const;
  void unplug(Nanoseconds time_ns);
  void read(Extent extent, const std::shared_ptr<Client>& client, Nanoseconds time_ns);
  void prefetch(Stream& stream, Nanoseconds time_ns);
  Stream* stream_at(std::uint64_t lbn);
  void remember(std::uint64_t next);
  void forget_windows(const Extent& written);
  std::size_t held() const { return waiting_.size() + at_drive_.size(); }
  static Extent extent_of(const Response& request) {
    return {request.lbn, request.lbn + request.blocks, request.write};
  }

  Player& player_;
  Drive drive_;
  HostQueueSettings settings_;
  std::uint64_t largest_, window_blocks_;
  bool plugs_;
  HostQueueUse use_{};
  Response prepared_{};
  std::vector<Command> waiting_{}, at_drive_{};
  std::optional<Nanoseconds> plugged_until_ns_{};
  std::vector<Stream> streams_{};  // the one used last at the end
  std::deque<Done> ready_{};
  std::uint32_t outstanding_ = 0;
};

}  // namespace platter::replay
