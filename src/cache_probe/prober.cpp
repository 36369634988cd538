#include "cache_probe/prober.h"

#include <algorithm>
#include <cmath>

#include "model/error.h"
#include "scsi/drive_errors.h"
#include "scsi/reply.h"
#include "statistics/circular.h"

namespace platter::cache_probe {
namespace {

// Chosen by trial on the catalogue's caches, which tests/cache_probe/recovery_test.cpp holds. They
// set how many probes are made, not what is concluded from them.
constexpr std::uint64_t kConfirm = 4;  // trials on both sides of an edge
// In a row.
constexpr int kMostUnreadable = 16;
constexpr int kMostLeftOut = 1000;  // nothing was sent for them
// By chance the same blocks are kept: of few segments often, of many hardly ever.
constexpr int kSameSetups = 2, kSameSetupsOfFew = 5, kSameSetupsOfVeryFew = 12;
constexpr std::int64_t kFewSegments = 8, kVeryFewSegments = 4;
constexpr std::int64_t kManyAlike = 64, kRungs = 24, kFine = 8;
constexpr double kReferenceKept_rev = 100;
constexpr double kLongestSearch_rev = 3000;
constexpr int kMostLadders = 24, kMostDelayed = 2;
constexpr std::int64_t kGrowth = 4;             // of the steps of a search
constexpr std::int64_t kFarther = 8;            // of where the next ladder ends
constexpr std::int64_t kEach = 8;               // so few are probed one by one
constexpr std::uint32_t kLongestReference = 2;  // blocks; a long transfer is not in phase

// Of so many, a hit or two would be delayed.
std::int64_t step_of_each(std::int64_t low, std::int64_t high) {
  return high - low <= kManyAlike ? 1 : (high - low + kRungs - 1) / kRungs;
}

}  // namespace

Prober::Prober(mtbrc::Context& context, Places& places, Record& record)
    : context_(context),
      places_(places),
      record_(record),
      meter_(context),
      period_ns_(context.period_ns()) {}

double Prober::angle_rev(std::uint64_t lbn) const {
  return engine::rev_from_angle(context_.map->angle_of_lbn(lbn));
}

double Prober::angle_at_rev(Nanoseconds time_ns) const {
  return statistics::turn_rev(reference_rev_ +
                              static_cast<double>(time_ns - reference_ns_) / period_ns_);
}

scsi::Completion Prober::read(std::uint64_t lbn, std::uint32_t blocks) {
  // What is longer than the drive takes in one command only fills the cache.
  const std::uint32_t most = context_.drive.most_blocks();
  for (; blocks > most; lbn += most, blocks -= most) context_.drive.read(lbn, most);
  const scsi::Completion done = context_.drive.read(lbn, blocks);
  // What comes at once may have been in the cache, by read-ahead of earlier stages. Chosen: of
  // reads of the media one in ten is passed over, too.
  constexpr double kSoonest_rev = 0.1;
  const bool at_once = static_cast<double>(done.response_ns()) < kSoonest_rev * period_ns_;
  if (blocks <= kLongestReference && !at_once && !scsi::is_late(done)) {
    const std::uint64_t last = lbn + blocks - 1;
    const engine::Track track = context_.map->track_of_slot(context_.map->slot_of_lbn(last));
    reference_ns_ = done.completed_ns;
    reference_rev_ = angle_rev(last) + 1.0 / track.sectors;
  }
  return done;
}

void Prober::refresh_angle() {
  constexpr int kTries = 8;  // each may be one that the drive recovers
  for (int i = 0; i < kTries; ++i) {
    const auto since = static_cast<double>(context_.drive.now_ns() - reference_ns_);
    if (reference_ns_ != 0 && since <= kReferenceKept_rev * period_ns_) return;
    pollute(1);
  }
}

void Prober::pollute(int count) {
  for (int i = 0; i < count; ++i) {
    const auto place = places_.fresh(Kind::any_track, 8);
    if (!place) return;
    std::uniform_int_distribution<std::uint32_t> blocks(1, 8), offset(0, place->blocks() / 2);
    read(place->first + offset(context_.random), i + 1 == count ? 1 : blocks(context_.random));
  }
}

void Prober::rest_rev(double revolutions) {
  context_.drive.rest_ns(static_cast<Nanoseconds>(revolutions * period_ns_));
}

void Prober::rest_until(std::uint64_t lbn, double least_rev, double from_rev, double most_rev) {
  double more = std::uniform_real_distribution<double>(0, 1)(context_.random);
  if (record_.setting.angles_trusted) {
    const double ahead = statistics::turn_rev(angle_rev(lbn) - angle_now_rev() - least_rev);
    more = ahead >= from_rev && ahead <= most_rev ? 0 : statistics::turn_rev(ahead - most_rev);
  }
  rest_rev(least_rev + more);
}

Observation Prober::observed(Question question, std::int64_t x, const scsi::Completion& done,
                             std::uint64_t lbn, std::uint32_t blocks, bool write,
                             const Setup& setup, double phase_rev, std::uint32_t nth) const {
  Observation seen;
  seen.question = question;
  seen.x = x;
  seen.write = write;
  seen.lbn = lbn;
  seen.blocks = blocks;
  seen.issued_ns = done.issued_ns;
  seen.completed_ns = done.completed_ns;
  seen.phase_rev = phase_rev;
  seen.request_blocks = setup.blocks;
  seen.to_track_end = setup.to_track_end;
  seen.to_cylinder_end = setup.to_cylinder_end;
  seen.ahead_rev = statistics::turn_rev(angle_rev(lbn) - angle_at_rev(done.issued_ns));
  seen.nth = nth;
  return seen;
}

// What the drive recovered by itself came later than it need, and tells nothing of the cache: like
// a block that cannot be read it costs its trial.
void Prober::keep(Question question, std::int64_t x, const scsi::Completion& done,
                  std::uint64_t lbn, std::uint32_t blocks, bool write, const Setup& setup,
                  double phase_rev, std::uint32_t nth) {
  if (tolerant_ && scsi::is_late(done))
    throw scsi::DriveError(
        ExitStatus::drive_error,
        "the drive recovers reply after reply by itself, and of late ones none tells what is in "
        "its cache; see to the drive first",
        scsi::decode_sense(done.sense), lbn, blocks);
  record_.observations.push_back(
      observed(question, x, done, lbn, blocks, write, setup, phase_rev, nth));
}

void Prober::probe_now(Question question, std::int64_t x, std::uint64_t lbn, const Setup& setup,
                       std::uint32_t nth) {
  keep(question, x, context_.drive.read(lbn, 1), lbn, 1, false, setup, 0, nth);
}

void Prober::probe(Question question, std::int64_t x, std::uint64_t lbn, double least_rev,
                   const Setup& setup, std::uint32_t nth) {
  rest_until(lbn, least_rev);
  probe_now(question, x, lbn, setup, nth);
}

void Prober::probe_write(Question question, std::int64_t x, std::uint64_t lbn) {
  keep(question, x, write(lbn), lbn, write_unit(), true);
}

// A block that cannot be read costs its trial only, and one that is left out not even that.
template <typename Body>
bool Prober::tolerating_unreadable(const Body& body) {
  try {
    const struct Tolerant {
      explicit Tolerant(bool& f) : flag(f) { flag = true; }
      ~Tolerant() { flag = false; }
      bool& flag;
    } tolerant(tolerant_);
    const bool done = body();
    unreadable_ = left_out_ = 0;
    return done;
  } catch (const scsi::WriteFailed&) {
    throw;
  } catch (const Error& error) {
    const auto* of_drive = dynamic_cast<const scsi::DriveError*>(&error);
    const bool sent = !of_drive || !context_.drive.leaves_out(of_drive->lbn, of_drive->blocks);
    const bool too_many = sent ? ++unreadable_ > kMostUnreadable : ++left_out_ > kMostLeftOut;
    if (too_many || error.status() != ExitStatus::drive_error) throw;
    return true;
  }
}

bool Prober::tolerate(const std::function<bool()>& body) { return tolerating_unreadable(body); }

Verdict Prober::decide(Question question, std::int64_t x, const Trial& trial, std::uint64_t least) {
  for (;;) {
    const Tally tally = tally_of(record_, question, x);
    const Verdict verdict = judge(tally).verdict;
    if (verdict != Verdict::open && tally.all() >= least) return verdict;
    if (spent()) return Verdict::open;
    if (!tolerating_unreadable([&] { return trial(x); })) return Verdict::open;
  }
}

Prober::Trial Prober::trial_of(Question question, const Prepare& prepare) {
  return [this, question, prepare](std::int64_t x) {
    const auto prepared = prepare(x);
    if (!prepared) return false;
    probe(question, x, prepared->target(x), prepared->least_rev, prepared->setup);
    return true;
  };
}

std::optional<std::size_t> Prober::climb(Question question, const std::vector<std::int64_t>& rungs,
                                         const Prepare& prepare) {
  std::size_t at = 0;
  const bool done = tolerating_unreadable([&] {
    const auto prepared = prepare(rungs.back());
    if (!prepared) return false;
    for (; at < rungs.size() && !spent(); ++at) {
      probe(question, rungs[at], prepared->target(rungs[at]), at == 0 ? prepared->least_rev : 0,
            prepared->setup, static_cast<std::uint32_t>(at));
      if (is_fast(record_, record_.observations.back())) continue;
      // One more beyond, where the setup was dear and one miss changes little.
      if (later_probes_count(question) && at + 1 < rungs.size())
        probe(question, rungs.back(), prepared->target(rungs.back()), 0, prepared->setup,
              static_cast<std::uint32_t>(at + 1));
      break;
    }
    return true;
  });
  if (!done || spent()) return std::nullopt;
  return at;
}

// Whether setup after setup everything from `from` up to `low` hits and nothing beyond: what is
// replaced at random shows here.
bool Prober::same_for_all(Question question, std::int64_t from, std::int64_t low,
                          const Prepare& prepare) {
  std::vector<std::int64_t> all, beyond;
  if (low < from) return true;
  for (std::int64_t x = from; x <= low + 1; ++x) all.push_back(x);
  // Each once: a probe that misses brings its block in.
  for (const std::int64_t more : {std::int64_t{2}, std::max<std::int64_t>(3, low / 2 + 1),
                                  std::max<std::int64_t>(4, low + 2)})
    beyond.push_back(low + more);
  const int setups = low <= kVeryFewSegments ? kSameSetupsOfVeryFew
                     : low <= kFewSegments   ? kSameSetupsOfFew
                                             : kSameSetups;
  for (int i = 0; i < setups && !spent(); ++i) {
    const auto missed = climb(question, all, prepare);
    if (missed && *missed < all.size() - 1) return false;
  }
  if (question == Question::segments)
    tolerating_unreadable([&] {
      const auto prepared = prepare(beyond.back());
      if (!prepared) return false;
      for (std::size_t i = 0; i < beyond.size(); ++i)
        probe(question, beyond[i], prepared->target(beyond[i]), 0, prepared->setup,
              static_cast<std::uint32_t>(i));
      return true;
    });
  const auto edge = edge_of(record_, question);
  return edge && edge->last_hit == low;
}

std::optional<Edge> Prober::locate(Question question, const Range& range, const Prepare& prepare) {
  search_ends_ns_ = context_.drive.now_ns() +
                    static_cast<Nanoseconds>(kLongestSearch_rev * period_ns_);
  const auto edge = find_edge(question, range, prepare);
  search_ends_ns_ = kNever;
  return edge;
}

// By growing steps while nothing missed, and where it is expected; else divided as evenly as setups
// and probes cost.
std::vector<std::int64_t> Prober::rungs(Question question, const Range& range, Bounds& bounds) {
  const auto [low, high] = std::pair(bounds.low, bounds.high);
  std::vector<std::int64_t> all;
  if (hits_read_on_ && !later_probes_count(question)) {
    std::int64_t next = high > range.limit ? std::min(high - 1, std::max(range.from, kGrowth * low))
                                           : low + (high - low) / 2;
    for (const std::int64_t guess : range.guesses)
      for (const std::int64_t x : {guess + 1, guess})
        if (x > low && x < high) next = x;
    all.push_back(next);
  } else if (high > range.limit) {
    const std::int64_t end = std::min(range.limit, std::max(low + 1, bounds.horizon));
    const std::int64_t step = range.each ? step_of_each(low, end) : 0;
    if (range.overrun && low >= range.from) all.push_back(low);
    for (std::int64_t x = std::max(low + 1, range.from); x < end;
         x = range.each ? x + step : std::max(x + 1, kGrowth * x))
      all.push_back(x);
    all.push_back(end);
    for (const std::int64_t guess : range.guesses)
      for (const std::int64_t x : {guess, guess + 1})
        if (x > low && x < end) all.push_back(x);
    bounds.horizon = (range.each ? kGrowth : kFarther) * end;
  } else {
    const std::int64_t open = high - low;
    const auto step = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(open))));
    const std::int64_t by = range.each ? step_of_each(low, high) : open <= kEach ? 1 : step;
    for (std::int64_t x = low + by; x < high; x += by) all.push_back(x);
    all.push_back(high);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// The hits before brought it into the cache: from here on each probe has a setup of its own.
void Prober::begin_anew(Question question, const Range& range, Bounds& bounds) {
  hits_read_on_ = true;
  bounds.high = bounds.low;
  const auto edge = edge_of(record_, question);
  bounds.low = edge ? std::max(edge->sure_hit, range.from - 1) : range.from - 1;
}

// Both sides of an edge by probes with setups of their own.
Prober::Sides Prober::confirm(Question question, const Range& range, const Prepare& prepare,
                              Bounds& bounds) {
  const Trial trial = trial_of(question, prepare);
  if (range.each && later_probes_count(question) && bounds.high <= range.limit &&
      !same_for_all(question, range.from, bounds.low, prepare))
    return Sides::disagree;
  const bool hits = bounds.low < range.from || decide(question, bounds.low, trial) == Verdict::hit;
  const bool misses = bounds.high > range.limit ||
                      decide(question, bounds.high, trial) == Verdict::miss;
  if (hits && misses) return Sides::hold;
  if (hits && judge(record_, question, bounds.high).verdict == Verdict::hit) {
    // A hit that was delayed; or what comes first is lost while the last is waited for.
    if (++bounds.delayed > kMostDelayed) return Sides::disagree;
    bounds.low = bounds.high;
    bounds.high = range.limit + 1;
    return Sides::moved;
  }
  if (hits_read_on_ || hits || judge(record_, question, bounds.low).verdict != Verdict::miss)
    return Sides::disagree;
  begin_anew(question, range, bounds);
  return Sides::moved;
}

// Whether the block at `low`, held before, is lost when the farthest is waited for.
bool Prober::is_overrun(const Range& range, std::int64_t low, std::int64_t farthest,
                        const Prepare& prepare) {
  return decide(*range.overrun, low, [&](std::int64_t x) {
           const auto prepared = prepare(farthest);
           if (!prepared) return false;
           probe(*range.overrun, x, prepared->target(x), prepared->least_rev, prepared->setup);
           return true;
         }) == Verdict::miss;
}

std::optional<Edge> Prober::find_edge(Question question, const Range& range,
                                      const Prepare& prepare) {
  const Trial trial = trial_of(question, prepare);
  Bounds bounds = {range.from - 1, range.limit + 1, range.horizon};
  auto& [low, high, horizon, delayed] = bounds;
  for (int ladders = 0; ladders < kMostLadders && !spent(); ++ladders) {
    // Of very many, setups are dear: a range will do.
    if (range.each && low > kManyAlike && high <= range.limit && high - low <= low / kFine)
      return edge_of(record_, question);
    if (high - low == 1) {
      const Sides sides = confirm(question, range, prepare, bounds);
      if (sides == Sides::hold) return edge_of(record_, question);
      if (sides == Sides::disagree) break;
      continue;
    }
    const std::vector<std::int64_t> ladder = rungs(question, range, bounds);
    const auto missed = climb(question, ladder, prepare);
    if (!missed) return edge_of(record_, question);
    if (*missed == 0 && ladder[0] == low && range.overrun) {
      if (!is_overrun(range, low, ladder.back(), prepare)) continue;
      // Lost, or never held: hits of earlier ladders moved the end of read-ahead up to there.
      if (hits_read_on_ || decide(question, low, trial) != Verdict::miss) return std::nullopt;
      begin_anew(question, range, bounds);
      continue;
    }
    if (*missed > 0) low = std::max(low, ladder[*missed - 1]);
    if (*missed < ladder.size())
      high = ladder[*missed];
    else if (ladder.back() == high)
      high = range.limit + 1;  // all hit, where one had missed
  }
  if (range.search) return search(question, range.from, range.limit, kGrowth, trial);
  auto edge = edge_of(record_, question);
  if (edge) edge->mixed = true;
  return edge;
}

std::optional<Edge> Prober::search(Question question, std::int64_t from, std::int64_t limit,
                                   std::int64_t growth, const Trial& trial) {
  const auto hits = [&](std::int64_t x) { return decide(question, x, trial) == Verdict::hit; };
  if (!hits(from)) return edge_of(record_, question);
  std::int64_t low = from, high = limit + 1;
  while (low < limit && !spent()) {
    const std::int64_t next = std::min(limit, std::max(low + 1, low * growth));
    if (!hits(next)) {
      high = next;
      break;
    }
    low = next;
  }
  while (high - low > 1 && high <= limit && !spent()) {
    const std::int64_t middle = low + (high - low) / 2;
    (hits(middle) ? low : high) = middle;
  }
  if (low > from) decide(question, low, trial, kConfirm);
  if (high <= limit) decide(question, high, trial, kConfirm);
  widen(question, from, limit, trial);
  return edge_of(record_, question);
}

void Prober::widen(Question question, std::int64_t from, std::int64_t limit, const Trial& trial) {
  const auto edge = edge_of(record_, question);
  if (!edge || !edge->mixed) return;
  const auto probed = tallies_of(record_, question);
  const auto undecided = [&](std::int64_t x) {
    return !spent() && decide(question, x, trial) != Verdict::open;
  };
  // Every x between that was probed is decided; then outward by doubling steps.
  for (const auto& [x, tally] : probed) undecided(x);
  const std::int64_t high = probed.rbegin()->first;
  if (judge(record_, question, high).verdict == Verdict::mixed) {
    for (std::int64_t step = 1; high + step <= limit && !spent(); step *= 2)
      if (decide(question, high + step, trial) == Verdict::miss) break;
  }
  for (std::int64_t step = 1, low = edge->sure_hit; low - step > from && !spent(); step *= 2)
    if (decide(question, low - step, trial) == Verdict::hit) break;
}

}  // namespace platter::cache_probe
