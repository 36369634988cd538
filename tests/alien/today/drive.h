// What happens when: commands in the electronics, on the media, and what the drive does by itself.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "chance.h"
#include "disks.h"
#include "mechanics.h"
#include "memory.h"

namespace today {

enum class Kind { other, read, verify, write, synchronize };

// A command as far as time is concerned. Blocks are the host's.
struct Job {
  std::uint32_t tag = 0;
  Kind kind = Kind::other;
  std::int64_t lbn = 0, blocks = 0;
  bool force = false;
  int attribute = 0;  // 1 head of queue, 2 ordered
  double issued = 0, ready = 0, received = 0;
};

struct Done {
  std::uint32_t tag;
  double at;
  bool hit;
};

class Drive {
 public:
  Drive(const Design& design, std::uint64_t seed, bool noise);

  void arrive(const Job& job);
  bool has(std::uint32_t tag) const;
  int outstanding() const {
    return static_cast<int>(arrived_.size() + waiting_.size() + done_.size());
  }
  // Works until the earliest completion that is not later than `until`; false: there is none.
  bool next(double until, Done& done);
  void reset(double t);

  // Settings, as of the last event.
  bool write_cache, read_cache = true, read_ahead = true;
  void forget_reads() {
    memory_.clear();
    streams_.clear();
  }
  const Disks& disks() const { return disks_; }

 private:
  struct Stream {
    std::int64_t number, limit, name, ahead;
    double began = -1;  // when `number` begins to pass; -1: the head is not there
  };
  struct Dirty {
    std::int64_t end;
    double since;
  };

  void decode(Job job);
  void start(double t);
  double urgency(const Job& job, double t) const;
  double host_delay();
  double ended(double t, const Job& job);
  void complete(const Job& job, double t, bool hit);
  double transfer(std::int64_t blocks) const {
    return static_cast<double>(blocks * design_.block_bytes) / design_.bytes_a_us * 1e3;
  }
  std::int64_t first_sector(std::int64_t lbn) const {
    return lbn * design_.block_bytes / design_.sector_bytes;
  }
  std::int64_t end_sector(const Job& job) const {
    return first_sector(job.lbn + job.blocks - 1) + 1;
  }

  bool in_memory(const Job& job);
  double read(const Job& job, double t, bool& hit);
  double media_read(std::int64_t first, std::int64_t end, double t);
  double media_write(std::int64_t lbn, std::int64_t end, double t);
  double take(std::int64_t number, std::int64_t end, double t, bool write, std::int64_t& taken);
  double slip(double t);
  double passed(double begins, double angle, double from, double to) const;
  // What is still to be sent when the last sector has passed.
  double tail(const Job& job) const { return transfer(std::min<std::int64_t>(job.blocks, 16)); }
  bool is_old(double t) const;

  bool takes_dirty(const Job& job) const;
  void make_dirty(const Job& job, double t);
  void clean(std::int64_t first, std::int64_t end);
  double destage_one(double t);
  double destage_over(std::int64_t first, std::int64_t end, double t);
  double flush(double t);

  void read_on(std::int64_t end);
  double pass(Stream& stream, double until, std::int64_t end);
  double idle(double from, double until);

  const Design& design_;
  Chance chance_;
  bool noise_;
  Disks disks_;
  Spindle spindle_;
  Arm arm_;
  Memory memory_;
  double electronics_ = 0, media_ = 0, last_end_ = 0, next_pause_ = 0;
  std::deque<Job> arrived_;
  std::vector<Job> waiting_;
  std::vector<Done> done_;
  std::deque<Stream> streams_;           // in front the one that is read on
  std::map<std::int64_t, Dirty> dirty_;  // blocks: first to end
  std::int64_t dirty_blocks_ = 0, sweep_ = 0, last_read_end_ = -1;
  int since_destage_ = 0;
};

}  // namespace today
