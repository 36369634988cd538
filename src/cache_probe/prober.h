// One probe of a cache hypothesis, and the search over x on top of it: set the cache up, wait until
// a media access would have to wait long for its sector, read it, keep what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

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
  Record& record() { return record_; }
  const Record& record() const { return record_; }
  double period_ns() const { return period_ns_; }
  bool spent() const { return meter_.exhausted(); }
  double spent_share() const { return meter_.share(); }

  // Reads of up to two blocks tie the platter's angle to the clock (if they go to the media).
  scsi::Completion read(std::uint64_t lbn, std::uint32_t blocks = 1);
  // Pollution (paper, section 4.3): `count` reads of 1 to 8 blocks at places of their own.
  void pollute(int count);
  void rest_rev(double revolutions);
  // Rests at least `least_rev`, then on until `lbn` lies `ahead_rev` ahead of the heads; a random
  // part of a revolution where angles are not trusted.
  void rest_until(std::uint64_t lbn, double least_rev, double ahead_rev = kAheadRev);
  double angle_now_rev() const;
  double angle_rev(std::uint64_t lbn) const;

  void probe(Question question, std::int64_t x, std::uint64_t lbn, double least_rev,
             const Setup& setup = {});
  void probe_now(Question question, std::int64_t x, std::uint64_t lbn, const Setup& setup = {});
  void probe_write(Question question, std::int64_t x, std::uint64_t lbn);
  void keep(Question question, std::int64_t x, const scsi::Completion& done, std::uint64_t lbn,
            std::uint32_t blocks, bool write, const Setup& setup = {}, double phase_rev = 0);

  // One trial at x; false: there is no place for it.
  using Trial = std::function<bool(std::int64_t x)>;

  // Trials until the hypothesis is decided (and at least `least` of them). Open: the budget or the
  // room ended first. A block that cannot be read costs its trial only.
  Verdict decide(Question question, std::int64_t x, const Trial& trial, std::uint64_t least = 0);
  // The largest x in [from, limit] that hits: steps by `growth`, then bisection, then both sides
  // once more; where the drive is of two minds, outward until it is not. nullopt: `from` misses.
  std::optional<Edge> search(Question question, std::int64_t from, std::int64_t limit,
                             std::int64_t growth, const Trial& trial);

 private:
  static constexpr double kAheadRev = 0.7;
  void widen(Question question, std::int64_t from, std::int64_t limit, const Trial& trial);

  mtbrc::Context& context_;
  Places& places_;
  Record& record_;
  mtbrc::Meter meter_;
  double period_ns_;
  Nanoseconds reference_ns_ = 0;
  double reference_rev_ = 0;
  int unreadable_ = 0;
};

}  // namespace platter::cache_probe
