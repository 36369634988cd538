// The one service-time engine: virtual drives, validation and emulators run on it.
// Tables are compiled once from a model; a State is one trivially copyable block (copying it is a
// checkpoint, copying it back a rollback). No allocation, lock, system call or exception after load.
// Time only goes forward between submit calls, arrivals may lie before the latest completion.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/layout_map.h"
#include "model/drive_model.h"
#include "model/units.h"

namespace platter::engine {

// What the outside world does to one request; the engine itself has no noise. A caller derives it
// from (seed, time, request), never from a sequence, so that rollback repeats exactly.
struct Disturbance {
  Nanoseconds positioning_ns = 0;  // added to the request's positioning time (may be negative)
  Nanoseconds media_delay_ns = 0;  // added before its media access begins, arm on track
  Nanoseconds phase_ns = 0;        // the platter is ahead of its nominal angle by this time
};

struct Request {
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 1;
  bool write = false;
  bool force_unit_access = false;
  std::uint32_t tag = 0;
  Disturbance disturbance;
};

struct Completion {
  std::uint32_t tag = 0;
  Nanoseconds arrival_ns = 0;
  Nanoseconds completion_ns = 0;
  bool media_access = false;  // the request itself had to wait for the media
  bool cache_hit = false;     // served from, or completed into, the cache
  bool outside_validity = false;
};

struct CacheSettings {
  bool read_cache = true;     // page 08h: RCD = 0
  bool write_cache = true;    // page 08h: WCE = 1
  bool read_ahead = true;     // page 08h: DRA = 0
};

class Tables;  // immutable, compiled from a DriveModel
struct State;  // arm, segments, write-back queue, requests in flight

class Engine {
 public:
  // Throws Error(bad_input) for a model that lacks what an engine needs (rotation, layout, seeks).
  explicit Engine(const model::DriveModel& model);
  explicit Engine(std::shared_ptr<const Tables> tables);  // tables.h
  Engine(const Engine&);             // shares the tables, copies the state
  Engine& operator=(const Engine&);  // rollback from a checkpoint taken by copy
  ~Engine();

  const LayoutMap& layout() const;
  std::uint64_t blocks() const;
  Nanoseconds period_ns() const;  // rounded; the angle uses the exact ratio

  // One request at a time: the completion time of a request that arrives at `now_ns`, which is not
  // before the arrival of the last one. If the drive is still busy the request waits its turn.
  Completion service(const Request& request, Nanoseconds now_ns);

  // Several outstanding (FCFS). Completions come in the order of their time.
  bool submit(const Request& request, Nanoseconds now_ns);  // false: the queue is full
  std::optional<Completion> next_completion();              // removes it; nullopt: nothing outstanding
  std::optional<Nanoseconds> next_completion_time() const;
  std::size_t outstanding() const;
  void drop_outstanding();                                  // logical unit reset

  // SEEK(10): arm to the LBN's track; when it is there.
  Nanoseconds seek(std::uint64_t lbn, Nanoseconds now_ns, const Disturbance& disturbance = {});
  // SYNCHRONIZE CACHE: when all dirty data that were received by now_ns are on the media.
  Nanoseconds synchronize(Nanoseconds now_ns);
  // Takes effect at once: turning a cache off drops its clean contents (dirty data are destaged).
  void set_cache(const CacheSettings& settings, Nanoseconds now_ns);
  CacheSettings cache_settings() const;

  // A drive as it is after power-on at time `now_ns`: arm at cylinder 0, cache empty.
  void reset(Nanoseconds now_ns);

  // The platter's angle under the heads at a time (phase included), and the first time not before
  // `now_ns` at which `angle` passes.
  Angle angle_at(Nanoseconds now_ns, Nanoseconds phase_ns = 0) const;
  Nanoseconds next_passage(Angle angle, Nanoseconds now_ns, Nanoseconds phase_ns = 0) const;

 private:
  std::shared_ptr<const Tables> tables_;
  std::unique_ptr<State> state_;
};

}  // namespace platter::engine
