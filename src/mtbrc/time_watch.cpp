#include "mtbrc/time_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimate/rotation.h"
#include "estimate/samples.h"
#include "estimate/sector_end.h"
#include "mtbrc/access.h"
#include "mtbrc/rotation.h"
#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::mtbrc {
namespace {

constexpr Nanoseconds kWhereItSteps_ns = kSecond / 2;
// Clocks run apart by no more than this, of the time; Linux slews by 500 ppm at most.
constexpr double kSlew = 1e-3;
constexpr Nanoseconds kSleep_ns = 20 * kMillisecond;
// A reference that passes so near to where it should has not jumped: completions scatter by less,
// but for single late ones. And what spindles drift besides, of the time.
constexpr double kStill_rev = 0.02, kScatters = 6, kDrift = 6e-6, kMostTold_rev = 0.25;

}  // namespace

TimeWatch::TimeWatch(Context& context, std::function<void(const TimeJump&, std::size_t)> began)
    : context_(context), began_(std::move(began)) {
  context_.time = this;
}

TimeWatch::~TimeWatch() { context_.time = nullptr; }

void TimeWatch::refer_to(std::optional<std::uint64_t> reference) {
  looks_ = reference && !context_.reads_once;
  if (!reference || reference == reference_) return;
  phase_rev_.reset();
  reference_ = reference;
}

void TimeWatch::begin_session(TimeJump::Kind kind, Nanoseconds by_ns, std::size_t from) {
  ++context_.session;
  if (phase_rev_) before_rev_ = std::exchange(phase_rev_, std::nullopt);
  began_({kind, context_.session, context_.drive.now_ns(), by_ns}, from);
}

void TimeWatch::after_command() {
  scsi::Clock& clock = context_.drive.clock();
  const Nanoseconds now_ns = clock.now_ns();
  const Nanoseconds asleep_ns = clock.with_sleep_ns() - now_ns;
  const auto before = std::exchange(asleep_ns_, asleep_ns);
  const Nanoseconds since_ns = now_ns - std::exchange(asked_ns_, now_ns);
  if (!before) return;
  const Nanoseconds slept_ns = asleep_ns - *before;
  if (std::abs(slept_ns) >
      kSleep_ns + static_cast<Nanoseconds>(kSlew * static_cast<double>(since_ns)))
    begin_session(TimeJump::Kind::slept, slept_ns, context_.samples.size());
}

double TimeWatch::tolerance_rev(Nanoseconds time_ns) const {
  const model::Parameter& period = context_.rotation.period;
  const double unsure = period.value && period.error ? 4 * *period.error / *period.value : 0.0;
  const double since_rev = static_cast<double>(time_ns - told_ns_) / context_.period_ns();
  return std::max(kStill_rev, kScatters * scatter_rev_) + std::max(kDrift, unsure) * since_rev;
}

std::optional<double> TimeWatch::looked_rev() {
  constexpr int kReads = 7;
  constexpr std::size_t kFewest = 5;
  Accesses accesses(context_);
  std::vector<double> seen;
  looking_ = true;
  for (int i = 0; i < kReads; ++i)
    if (const auto s = accesses.probe(estimate::Experiment::anchor, *reference_))
      seen.push_back(estimate::phase_rev(context_.rotation, s->completed_ns));
  looking_ = false;
  if (seen.size() < kFewest) return std::nullopt;
  const double about = phase_rev_.value_or(seen.front());
  for (double& rev : seen) rev = statistics::wrap_rev(rev - about);
  const double middle = statistics::median(seen);
  scatter_rev_ = statistics::mad_sigma(seen);
  if (kScatters * scatter_rev_ > kMostTold_rev) return std::nullopt;
  return about + middle;
}

// What was read since the last good look says when, where a map tells at which phase it should have
// passed. Else all of it may lie behind the step.
std::size_t TimeWatch::stepped_from(double step_rev) const {
  constexpr double kMost = 0.8;  // of them have to lie on one of the two sides
  const estimate::Samples& samples = context_.samples;
  const std::size_t first = std::min(good_samples_, samples.size());
  const engine::LayoutMap* const map = context_.map;
  if (map == nullptr || *reference_ >= map->blocks()) return first;
  const double constant_rev = *phase_rev_ - estimate::sector_end_rev(*map, *reference_);
  std::vector<std::pair<std::size_t, bool>> seen;  // which sample, whether behind the step
  std::size_t told = 0, behind = 0;
  for (std::size_t i = first; i < samples.size(); ++i) {
    const estimate::Sample& s = samples[i];
    if (s.blocks != 1 || s.write || s.lbn >= map->blocks()) continue;
    ++told;
    const double off = statistics::wrap_rev(estimate::phase_rev(context_.rotation, s.completed_ns) -
                                            constant_rev - estimate::sector_end_rev(*map, s.lbn));
    const bool is_behind = std::abs(statistics::wrap_rev(off - step_rev)) < std::abs(step_rev) / 2;
    if (!is_behind && std::abs(off) >= std::abs(step_rev) / 2) continue;
    seen.emplace_back(i, is_behind);
    behind += is_behind ? 1 : 0;
  }
  // So many lie on the right side where the step is before each of them, or behind all.
  std::size_t right = behind, best = behind, from = first;
  for (const auto& [index, is_behind] : seen) {
    right += is_behind ? -1 : 1;
    if (right <= best) continue;
    best = right;
    from = index + 1;
  }
  return static_cast<double>(best) < kMost * static_cast<double>(told) ? first : from;
}

void TimeWatch::take(const estimate::Sample& sample) {
  looked_ns_ = sample.completed_ns;
  const double tolerance = tolerance_rev(sample.completed_ns);
  const auto off = [&](double rev) { return statistics::wrap_rev(rev - *phase_rev_); };
  double rev = estimate::phase_rev(context_.rotation, sample.completed_ns);
  if (!phase_rev_ || std::abs(off(rev)) > tolerance) {
    // Late itself, or the first behind a jump, or there was too long nobody to tell.
    const std::uint32_t session = context_.session;
    const auto looked = looked_rev();
    if (!looked || session != context_.session) return;
    rev = *looked;
    const double as_sure = tolerance_rev(sample.completed_ns);
    if (phase_rev_ && std::abs(off(rev)) > as_sure && as_sure < kMostTold_rev) {
      every_ns_ = kWhereItSteps_ns;
      begin_session(TimeJump::Kind::stepped,
                    static_cast<Nanoseconds>(off(rev) * context_.period_ns()),
                    stepped_from(off(rev)));
    }
    learn(rev);
  } else {
    *phase_rev_ += off(rev) / 2;
    scatter_rev_ += (1.25 * std::abs(off(rev)) - scatter_rev_) / 16;
  }
  told_ns_ = context_.drive.now_ns();
  good_samples_ = context_.samples.size();
}

void TimeWatch::learn(double phase_rev) {
  phase_rev_ = phase_rev;
  if (before_rev_) turned_rev_ += statistics::wrap_rev(phase_rev - *before_rev_);
  before_rev_.reset();
}

Nanoseconds TimeWatch::turned_ns() const {
  return turned_rev_ == 0 ? 0 : static_cast<Nanoseconds>(turned_rev_ * context_.period_ns());
}

void TimeWatch::after(const estimate::Sample& sample) {
  const bool refers = reference_ && sample.lbn == *reference_ && !sample.write &&
                      sample.blocks == 1;
  if (refers && may_look()) take(sample);
}

// One read to get there, and one that follows it.
bool TimeWatch::look() {
  const bool is_due = !phase_rev_ || context_.drive.now_ns() - looked_ns_ >= every_ns_;
  if (!may_look() || !is_due) return false;
  Accesses accesses(context_);
  looking_ = true;
  accesses.probe(estimate::Experiment::anchor, *reference_);
  looking_ = false;
  accesses.probe(estimate::Experiment::anchor, *reference_);
  looked_ns_ = context_.drive.now_ns();
  return true;
}

bool look_at_time(Context& context) { return context.time != nullptr && context.time->look(); }

Nanoseconds turned_ns(const Context& context) {
  return context.time != nullptr ? context.time->turned_ns() : 0;
}

}  // namespace platter::mtbrc
