#include "cache_probe/prober.h"

#include <algorithm>
#include <cmath>

#include "model/error.h"

namespace platter::cache_probe {
namespace {

constexpr std::uint64_t kConfirm = 4;  // trials on both sides of an edge
constexpr int kMostUnreadable = 16;
constexpr std::uint32_t kLongestReference = 2;  // blocks; a long transfer is not in phase

double fraction(double rev) { return rev - std::floor(rev); }

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

double Prober::angle_now_rev() const {
  const auto since = static_cast<double>(context_.drive.now_ns() - reference_ns_);
  return fraction(reference_rev_ + since / period_ns_);
}

scsi::Completion Prober::read(std::uint64_t lbn, std::uint32_t blocks) {
  const scsi::Completion done = context_.drive.read(lbn, blocks);
  if (blocks <= kLongestReference) {
    const std::uint64_t last = lbn + blocks - 1;
    const engine::Track track = context_.map->track_of_slot(context_.map->slot_of_lbn(last));
    reference_ns_ = done.completed_ns;
    reference_rev_ = angle_rev(last) + 1.0 / track.sectors;
  }
  return done;
}

void Prober::pollute(int count) {
  for (int i = 0; i < count; ++i) {
    const auto place = places_.fresh(Kind::any, 8);
    if (!place) return;
    std::uniform_int_distribution<std::uint32_t> blocks(1, 8), offset(0, place->blocks() / 2);
    read(place->first + offset(context_.random), i + 1 == count ? 1 : blocks(context_.random));
  }
}

void Prober::rest_rev(double revolutions) {
  context_.drive.rest_ns(static_cast<Nanoseconds>(revolutions * period_ns_));
}

void Prober::rest_until(std::uint64_t lbn, double least_rev, double ahead_rev) {
  double more = std::uniform_real_distribution<double>(0, 1)(context_.random);
  if (record_.setting.angles_trusted)
    more = fraction(angle_rev(lbn) - ahead_rev - angle_now_rev() - least_rev);
  rest_rev(least_rev + more);
}

void Prober::keep(Question question, std::int64_t x, const scsi::Completion& done,
                  std::uint64_t lbn, std::uint32_t blocks, bool write, const Setup& setup,
                  double phase_rev) {
  record_.observations.push_back({question, x, write, lbn, blocks, done.issued_ns,
                                  done.completed_ns, phase_rev, setup.blocks, setup.to_track_end,
                                  setup.to_cylinder_end});
}

void Prober::probe_now(Question question, std::int64_t x, std::uint64_t lbn, const Setup& setup) {
  keep(question, x, context_.drive.read(lbn, 1), lbn, 1, false, setup);
}

void Prober::probe(Question question, std::int64_t x, std::uint64_t lbn, double least_rev,
                   const Setup& setup) {
  rest_until(lbn, least_rev);
  probe_now(question, x, lbn, setup);
}

void Prober::probe_write(Question question, std::int64_t x, std::uint64_t lbn) {
  keep(question, x, context_.drive.write(lbn, 1), lbn, 1, true);
}

Verdict Prober::decide(Question question, std::int64_t x, const Trial& trial, std::uint64_t least) {
  for (;;) {
    const Tally tally = tally_of(record_, question, x);
    const Verdict verdict = judge(tally, rates_of(record_)).verdict;
    if (verdict != Verdict::open && tally.all() >= least) return verdict;
    if (spent()) return Verdict::open;
    try {
      if (!trial(x)) return Verdict::open;
    } catch (const Error& error) {
      if (error.status() != ExitStatus::drive_error || ++unreadable_ > kMostUnreadable) throw;
    }
  }
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
