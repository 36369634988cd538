// Step: what one request, served on a state, does to it, in closed form: from command to
// completion, with the media and bus work that it causes. Semantics: DiskSim 4.0's manual, "Disk
// module"; the overheads are those of the DIXtrac paper, section 4.4.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/mechanics.h"
#include "engine/segments.h"
#include "engine/state.h"
#include "engine/tables.h"

namespace platter::engine {

// One step of the engine: the tables, and the state that it changes.
class Step {
 public:
  Step(const Tables& tables, State& state)
      : tables_(tables),
        state_(state),
        core_(state.core),
        mechanics_(tables),
        segments_(tables.cache, state),
        overheads_(tables.overheads) {}

  // The request arrived at arrival_ns and is taken up at now_ns, which is not before it nor before
  // the last event.
  Completion serve(const Request& request, Nanoseconds arrival_ns, Nanoseconds now_ns);
  // Moves of the request to be served take so much longer.
  void move_beside(Nanoseconds interference_ns) { beside_ns_ = interference_ns; }
  // Whether a request for which the drive looks into the buffer at now_ns is there by then.
  bool is_hit(const Request& request, Nanoseconds now_ns) const;
  Nanoseconds seek(std::uint64_t lbn, Nanoseconds now, const Disturbance& disturbance);
  Nanoseconds synchronize(Nanoseconds now);
  // What the drive does on its own up to then.
  void follow(Nanoseconds now) { settle(std::max(now, core_.now_ns)); }
  void set_cache(const CacheSettings& settings, Nanoseconds now);
  // 1 + the power condition that the drive is in at that time; 0: it is awake. follow() was called.
  std::uint32_t rest_at(Nanoseconds now) const;
  // It is sent back to work: when it is there.
  Nanoseconds wake_up(Nanoseconds now);

 private:
  using Kind = Background::Kind;

  bool reads_cached() const { return tables_.cache.present && state_.settings.read_cache; }
  bool writes_cached(const Request& request) const {
    return tables_.cache.write_back_level > 0 && tables_.cache.segments > 0 &&
           tables_.cache.segment_blocks > 0 && state_.settings.write_cache &&
           (!request.force_unit_access || tables_.written.persist);
  }
  // Blocks of one write that the buffer takes before some of them have to be on the media.
  std::uint32_t write_room() const {
    const std::uint32_t most = tables_.written.most_blocks;
    return most == 0 ? segments_.largest() : std::min(most, segments_.largest());
  }
  // When a command with that overhead has been decoded: at once when it came, but it is not obeyed
  // before it is taken up.
  Nanoseconds decoded_ns(Nanoseconds overhead) const {
    return tables_.decoded_ns(overhead, arrival_, core_.now_ns);
  }
  int after_write() const { return core_.last_was_write ? 1 : 0; }
  Nanoseconds hit_overhead(const Request& request) const;

  void settle(Nanoseconds now);
  MediaCursor& send_heads(std::uint64_t lbn, Nanoseconds start, Nanoseconds phase_ns);
  void leave_media(const MediaCursor& cursor);
  void stop_read_ahead(Nanoseconds now);
  void begin_background(Kind kind, std::uint32_t segment, std::uint64_t first, std::uint64_t limit,
                        std::uint64_t must);
  void start_read_ahead(const Request& request, std::uint32_t segment);
  void put_first(std::uint32_t segment, bool remembered);
  void pause_read_ahead(std::uint64_t left);
  bool is_remembered(std::uint32_t segment) const;
  bool goes_on_behind_hit(std::uint32_t segment) const;
  std::uint64_t reads_on_until(const Request& request, std::uint32_t segment,
                               const Whereabouts& near) const;
  bool resume_read_ahead(Nanoseconds now);
  bool start_idle_work(Nanoseconds now);

  void start_destage(std::uint32_t segment, Nanoseconds start);
  std::optional<std::uint32_t> dirty_here() const;
  bool start_destage_when_idle(Nanoseconds now);
  void finish_destage();
  void destage_at_once(std::uint32_t segment);
  void destage_one();
  void destage_all();
  bool destage_beyond_limit(const Request& request, std::optional<std::uint32_t>& target);
  void bring_to_media(const Request& request, bool overwrites,
                      std::optional<std::uint32_t> but_for);

  Completion read(const Request& request, Nanoseconds now);
  Nanoseconds sending_ns(const Request& request) const;
  Nanoseconds read_hit(const Request& request, Nanoseconds now, std::uint32_t segment);
  Nanoseconds read_partial(const Request& request, Nanoseconds now, std::uint32_t segment);
  Nanoseconds read_media(const Request& request, Nanoseconds now);
  std::uint32_t blocks_wanted(const Request& request, const MediaCursor& cursor) const;
  void keep_read(const Request& request, const MediaCursor& cursor, std::uint64_t first_passed);
  std::uint64_t watermark(const Request& request) const;
  Nanoseconds send(const Delivery& delivery, Nanoseconds start);
  Nanoseconds reserve_bus(Nanoseconds start);

  Completion write(const Request& request, Nanoseconds now);
  Mechanics::FirstAccess write_access(const Request& request) const;
  Nanoseconds write_through(const Request& request, Nanoseconds now);
  Nanoseconds write_back(const Request& request, Nanoseconds now);
  Nanoseconds write_behind(const Request& request, Nanoseconds now);
  std::uint32_t take_for_write(const Request& request);
  bool leaves(const Request& request) const;
  bool appends(const Request& request) const;
  Nanoseconds append(const Request& request);
  Supply receive(const Request& request, Nanoseconds command, Nanoseconds not_before, bool waits);

  Nanoseconds arm_taken_until(const Request& request, const Completion& done) const;
  std::uint32_t outstanding_beside() const;
  bool outside_validity(const Request& request) const;
  void divide_as_asked(const Request& request);

  const Tables& tables_;
  State& state_;
  Core& core_;
  Nanoseconds arrival_ = 0;        // of the request
  Nanoseconds beside_ns_ = 0;      // its move takes longer beside another arm
  Nanoseconds idle_ns_ = 0;        // of the drive, in front of the request
  bool waited_for_media_ = false;  // other data had to be written first
  bool received_late_ = false;     // a cached write: its data had to wait for the media
  bool reads_on_behind_ = true;    // the request is one behind which the drive may read on
  // Up to when the read-ahead has been followed, and when the arm could then leave it.
  Nanoseconds settled_ns_ = std::numeric_limits<Nanoseconds>::min(), arm_free_ns_ = 0;
  Mechanics mechanics_;
  Segments segments_;
  const CommandOverheads& overheads_;
};

}  // namespace platter::engine
