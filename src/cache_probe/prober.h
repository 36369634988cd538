// One probe of a cache hypothesis, and the search over x on top of it: set the cache up, wait until
// a media access would have to wait long for its sector, read it, keep what happened.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "cache_probe/edge.h"
#include "cache_probe/places.h"
#include "cache_probe/record.h"
#include "mtbrc/context.h"

namespace platter::cache_probe {

// What set the cache up before a probe; for the record.
struct Setup {
  std::uint32_t blocks = 1;
  std::int64_t to_track_end = 0, to_cylinder_end = 0;
};

class Prober {
 public:
  Prober(mtbrc::Context& context, Places& places, Record& record);

  mtbrc::Context& context() { return context_; }
  Places& places() { return places_; }
  const Places& places() const { return places_; }
  Record& record() { return record_; }
  const Record& record() const { return record_; }
  double period_ns() const { return period_ns_; }
  // Revolutions that reading on takes from track to track: what the map says, or more where that
  // was seen.
  double track_rev() const { return std::max(places_.track_rev(), seen_track_rev_); }
  void set_track_rev(double rev) { seen_track_rev_ = rev; }
  // The budget, or what one search may take.
  bool spent() const { return meter_.exhausted() || context_.drive.now_ns() > search_ends_ns_; }

  // Reads of up to two blocks tie the platter's angle to the clock (if they go to the media).
  scsi::Completion read(std::uint64_t lbn, std::uint32_t blocks = 1);
  // Sees to it that the platter's angle is known from lately.
  void refresh_angle();
  // Pollution (paper, section 4.3): `count` reads of 1 to 8 blocks at places of their own.
  void pollute(int count);
  void rest_rev(double revolutions);
  // Rests at least `least_rev`, then on until `lbn` lies `most_rev` ahead of the heads, unless it
  // lies between the two shares of a revolution already. A random part of a revolution where angles
  // are not trusted.
  void rest_until(std::uint64_t lbn, double least_rev, double from_rev = kAheadFromRev,
                  double most_rev = kAheadRev);
  double angle_now_rev() const { return angle_at_rev(context_.drive.now_ns()); }
  double angle_at_rev(Nanoseconds time_ns) const;
  double angle_rev(std::uint64_t lbn) const;

  void probe(Question question, std::int64_t x, std::uint64_t lbn, double least_rev,
             const Setup& setup = {}, std::uint32_t nth = 0);
  void probe_now(Question question, std::int64_t x, std::uint64_t lbn, const Setup& setup = {},
                 std::uint32_t nth = 0);
  // Writes are of physical blocks: of one, where nothing else is said.
  std::uint32_t write_unit() const { return context_.write_unit(); }
  scsi::Completion write(std::uint64_t lbn) { return context_.drive.write(lbn, write_unit()); }
  void probe_write(Question question, std::int64_t x, std::uint64_t lbn);
  Observation observed(Question question, std::int64_t x, const scsi::Completion& done,
                       std::uint64_t lbn, std::uint32_t blocks, bool write, const Setup& setup = {},
                       double phase_rev = 0, std::uint32_t nth = 0) const;
  void keep(Question question, std::int64_t x, const scsi::Completion& done, std::uint64_t lbn,
            std::uint32_t blocks, bool write, const Setup& setup = {}, double phase_rev = 0,
            std::uint32_t nth = 0);

  // The same outside of a question. False: too many blocks could not be read.
  bool tolerate(const std::function<bool()>& body);

  // One trial at x; false: there is no place for it.
  using Trial = std::function<bool(std::int64_t x)>;
  // The cache set up for probes at any x up to the farthest; nullopt: there is no place for it.
  struct Prepared {
    std::function<std::uint64_t(std::int64_t x)> target;
    double least_rev = 0;  // from the setup to the first probe
    Setup setup;
  };
  using Prepare = std::function<std::optional<Prepared>(std::int64_t farthest)>;

  // Trials until the hypothesis is decided (and at least `least` of them). Open: the budget or the
  // room ended first. A block that cannot be read costs its trial only.
  Verdict decide(Question question, std::int64_t x, const Trial& trial, std::uint64_t least = 0);
  Trial trial_of(Question question, const Prepare& prepare);
  // The largest x in [from, limit] that hits. One setup serves several probes, upward until one
  // misses: hits cost little. What such ladders point at is decided by probes with setups of their
  // own; where the two disagree, search() answers. `horizon`: as far as the first ladder goes.
  // `guesses`: where the edge is expected. nullopt: `from` misses. A search that takes very long
  // (large segments) ends; the edge is then the range that it had come to.
  struct Range {
    std::int64_t from = 1, limit = 1, horizon = 1;
    std::vector<std::int64_t> guesses = {};
    bool each = false;  // no x is left out: setups cost more than probes
    // Where a block that was held is lost when the farther ones are waited for: this question of it
    // is decided, and no edge is looked for.
    std::optional<Question> overrun = std::nullopt;
    bool search = true;  // where ladders and single probes disagree; else the edge is "mixed" then
  };
  std::optional<Edge> locate(Question question, const Range& range, const Prepare& prepare);
  // The same with one probe a setup: steps by `growth`, then bisection, then both sides once more;
  // where the drive is of two minds, outward until it is not.
  std::optional<Edge> search(Question question, std::int64_t from, std::int64_t limit,
                             std::int64_t growth, const Trial& trial);

 private:
  static constexpr double kAheadFromRev = 0.45, kAheadRev = 0.85;
  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
  // What a search has come to: `low` hit, `high` missed, or neither was met yet.
  struct Bounds {
    std::int64_t low, high, horizon;
    int delayed = 0;
  };
  enum class Sides { hold, moved, disagree };
  std::optional<Edge> find_edge(Question question, const Range& range, const Prepare& prepare);
  std::vector<std::int64_t> rungs(Question question, const Range& range, Bounds& bounds);
  Sides confirm(Question question, const Range& range, const Prepare& prepare, Bounds& bounds);
  void begin_anew(Question question, const Range& range, Bounds& bounds);
  bool is_overrun(const Range& range, std::int64_t low, std::int64_t farthest,
                  const Prepare& prepare);
  template <typename Body>
  bool tolerating_unreadable(const Body& body);
  bool tolerant_ = false;  // within it
  // Probes at these x, upward, until one misses: its index; their number if all hit. nullopt: there
  // was no place or no time.
  std::optional<std::size_t> climb(Question question, const std::vector<std::int64_t>& rungs,
                                   const Prepare& prepare);
  bool same_for_all(Question question, std::int64_t from, std::int64_t low, const Prepare& prepare);
  void widen(Question question, std::int64_t from, std::int64_t limit, const Trial& trial);

  mtbrc::Context& context_;
  Places& places_;
  Record& record_;
  mtbrc::Meter meter_;
  double period_ns_;
  Nanoseconds reference_ns_ = 0, search_ends_ns_ = kNever;
  double reference_rev_ = 0;
  double seen_track_rev_ = 0;
  int unreadable_ = 0, left_out_ = 0;
  bool hits_read_on_ = false;  // what a hit brings into the cache misleads the probes behind it
};

}  // namespace platter::cache_probe
