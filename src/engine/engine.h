// The one service-time engine: virtual drives, validation and emulators run on it.
// Tables are compiled once from a model; a State is one trivially copyable block (copying it is a
// checkpoint, copying it back a rollback). No allocation, lock, system call or exception after
// load. Time only goes forward between submit calls, arrivals may lie before the latest completion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/layout_map.h"
#include "engine/request.h"
#include "model/drive_model.h"
#include "model/units.h"

namespace platter::engine {

class Tables;       // immutable, compiled from a DriveModel
struct CacheTable;  // of them, its policies of caching
struct State;       // arm, segments, write-back queue, requests in flight

class Engine {
 public:
  // Throws Error(bad_input) for a model that lacks what an engine needs (rotation, layout, seeks).
  explicit Engine(const model::DriveModel& model);
  explicit Engine(std::shared_ptr<const Tables> tables);  // tables.h
  Engine(const Engine&);                                  // shares the tables, copies the state
  Engine& operator=(const Engine&);  // rollback from a checkpoint taken by copy
  ~Engine();

  const Tables& tables() const;
  const LayoutMap& layout() const;
  std::uint64_t blocks() const;
  Nanoseconds period_ns() const;  // rounded; the angle uses the exact ratio

  // The whole state, to be kept as it is; and back to a state that this engine, or another one over
  // equal tables, was in. What follows then is what would have followed.
  std::span<const std::byte> checkpoint() const;
  void roll_back(std::span<const std::byte> checkpoint);

  // One request at a time: the completion time of a request that arrives at `now_ns`, which is not
  // before the arrival of the last one. If the drive is still busy the request waits its turn.
  Completion service(const Request& request, Nanoseconds now_ns);

  // Several outstanding, served in the order that set_queue chooses. Arrivals may be submitted
  // late, with the time at which they came: what was served meanwhile without them is taken back,
  // as far as completions have not been handed out and no more than 8 requests were served since;
  // what was served before that stands (late_arrivals). Of what comes in time, completions come in
  // the order of their time.
  bool submit(const Request& request, Nanoseconds arrival_ns);  // false: the queue is full
  std::optional<Completion> next_completion();  // removes it; nullopt: nothing outstanding
  // When the next completion will be if nothing else is submitted.
  std::optional<Nanoseconds> next_completion_time();
  // Serves what is due by now_ns.
  void advance(Nanoseconds now_ns);
  // The end of all that was given to the drive so far but what still waits, to within one destage.
  Nanoseconds busy_until_ns() const;
  std::size_t outstanding() const;
  std::uint32_t most_outstanding() const;  // as set_queue has it, and the engine has room for
  std::uint64_t late_arrivals() const;
  std::uint64_t outside_validity() const;  // requests so far that lay outside what was measured
  void set_queue(const QueueSettings& settings);  // for what is chosen from now on
  QueueSettings queue_settings() const;
  void drop_outstanding();  // logical unit reset
  // The request of that tag has no completion. One that waits at that time is not served; one that
  // is being served is served to its end. false: there is none of that tag, or its completion was
  // taken.
  bool cancel(std::uint32_t tag, Nanoseconds now_ns);

  // SEEK(10): arm to the LBN's track; when it is there.
  Nanoseconds seek(std::uint64_t lbn, Nanoseconds now_ns, const Disturbance& disturbance = {});
  // SYNCHRONIZE CACHE: when all dirty data that were received by now_ns are on the media.
  Nanoseconds synchronize(Nanoseconds now_ns);
  // Takes effect at once: turning a cache off drops its clean contents (dirty data are destaged).
  void set_cache(const CacheSettings& settings, Nanoseconds now_ns);
  CacheSettings cache_settings() const;
  // The drive goes on with other policies (a page of settings changed them): what waits is written
  // before, and the buffer begins empty. Checkpoints of before are of another engine.
  void change_cache(const CacheTable& cache, Nanoseconds now_ns);

  // Of a drive with power conditions (flat_tables.h): the one that it is in, and 1; 0: it is awake.
  // A READ or WRITE wakes it; all others leave it where it is.
  std::uint32_t rest_at(Nanoseconds now_ns) const;
  // A command that needs no media came by then: the timers begin anew.
  void note_command(Nanoseconds now_ns);
  // It goes there, or back to work, whose time comes back, `takes_ns` later at least: START STOP
  // UNIT.
  Nanoseconds go_to_rest(std::uint32_t rest, Nanoseconds now_ns, Nanoseconds takes_ns = 0);
  void set_power_timers(std::span<const Nanoseconds, 5> after_ns, Nanoseconds now_ns);

  // LBNs [first, end) that were written and are not on the media at that time, in ascending order,
  // none twice; what has been served beyond that time counts. None where written data are safe as
  // soon as they are taken. A copy looks: nothing changes.
  struct Range {
    std::uint64_t first, end;
  };
  std::vector<Range> unwritten(Nanoseconds now_ns) const;

  // A drive as it is after power-on at time `now_ns`: arm at cylinder 0, cache empty.
  void reset(Nanoseconds now_ns);

  // The platter's angle under the heads at a time (phase included), and the first time not before
  // `now_ns` at which `angle` passes.
  Angle angle_at(Nanoseconds now_ns, Nanoseconds phase_ns = 0) const;
  Nanoseconds next_passage(Angle angle, Nanoseconds now_ns, Nanoseconds phase_ns = 0) const;

 private:
  void finish_what_waits();
  void set_all(const CacheSettings& settings, Nanoseconds now_ns);
  static void append_unwritten(const State& state, std::vector<Range>& ranges);

  std::shared_ptr<const Tables> tables_;
  std::size_t bytes_;
  std::unique_ptr<std::max_align_t[]> memory_;
  State* state_;
};

}  // namespace platter::engine
