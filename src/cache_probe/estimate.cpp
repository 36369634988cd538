#include "cache_probe/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/properties.h"
#include "model/known.h"

namespace platter::cache_probe {

namespace {

constexpr const char* kPage = "mode page 08h";

using model::absent;
using model::Parameter;

// What the drive says of itself, against what was measured.
void compare_with_page(Estimator& e) {
  const Record& record = e.record();
  if (!record.setting.page) return;
  const scsi::CachePage& page = *record.setting.page;
  const model::Cache& c = e.cache();
  const auto compare = [&](const Parameter& parameter, double says, const char* what) {
    if (says <= 0 || !parameter) return;
    if (std::abs(*parameter.value - says) > std::max(0.5, 2 * parameter.error.value_or(0)))
      e.note(fmt::format("mode page 08h says {} {}, measured were {:g}", says, what,
                         *parameter.value));
  };
  // The page may count those of reads alone.
  const auto reads = segment_count(record);
  if (!reads || std::abs(reads->count - page.segments) > 0.5)
    compare(c.segments, page.segments, "segments");
  compare(c.segment_blocks, page.segment_blocks, "blocks a segment");
  if (page.max_prefetch < 0xFFFF && c.read_ahead_max_blocks.value > 0)
    compare(c.read_ahead_max_blocks, page.max_prefetch, "blocks of read-ahead at most");
  const auto contradict = [&](const Parameter& parameter, bool says, const char* what) {
    if (parameter && (*parameter.value > 0) != says)
      e.note(fmt::format("mode page 08h says that {} {}, measured was the opposite", what,
                         says ? "is on" : "is off"));
  };
  contradict(c.read_enabled, !page.read_cache_disabled, "the read cache");
  contradict(c.read_ahead, !page.read_ahead_disabled, "read-ahead");
  if (record.setting.writes_allowed)
    contradict(c.write_back_level, page.write_cache_enabled, "the write cache");
}

}  // namespace

Parameter measured(double value, double error, std::uint64_t samples, std::string method,
                   std::string unit) {
  Parameter parameter;
  parameter.value = value;
  parameter.error = error;
  parameter.samples = samples;
  parameter.method = std::move(method);
  parameter.unit = std::move(unit);
  return parameter;
}

Parameter without_error(double value, std::uint64_t samples, std::string method, std::string unit) {
  Parameter parameter = measured(value, 0, samples, std::move(method), std::move(unit));
  parameter.error.reset();
  return parameter;
}

Parameter counted(double value, double error, std::uint64_t samples, std::string method,
                  std::string unit) {
  const double whole = std::round(value);
  if (whole != value) error += 0.5;
  return measured(whole, error, samples, std::move(method), std::move(unit));
}

Judgement Estimator::next_block() const {
  const Judgement at_once = judge(record_, Question::next_block, 0);
  if (after_sequential(record_)) return judge(record_, Question::next_sequential, 0);
  return at_once.verdict == Verdict::hit ? at_once : judge(record_, Question::next_block_later, 0);
}

bool Estimator::nothing_asked() const {
  return record_.setting.complete && record_.setting.map_known &&
         tally_of(record_, Question::reread, 0).all() == 0;
}

std::string Estimator::missing() const {
  if (nothing_asked()) return "the map has no place where it could be asked";
  return record_.setting.complete ? "the probes did not decide it"
                                  : "the budget for cache tests was used up before";
}

Parameter Estimator::yes_or_no(Question question, std::string method, std::int64_t x,
                               bool hit_means_yes) {
  const Tally tally = tally_of(record_, question, x);
  const Judgement judgement = judge(tally);
  if (judgement.verdict == Verdict::open) {
    Parameter open = absent(missing());
    if (tally.all() == 0) return open;
    // Laplace's rule of succession.
    const bool more_hits = 2 * tally.fast >= tally.all();
    const auto most = static_cast<double>(std::max(tally.fast, tally.all() - tally.fast));
    model::add_guess(open, {more_hits == hit_means_yes ? 1.0 : 0.0,
                            (most + 1) / (static_cast<double>(tally.all()) + 2), kFewProbes});
    return open;
  }
  if (judgement.verdict == Verdict::mixed) {
    note({model::Code::cache_mixed, fmt::format("{}: {} of {} probes hit, the rest did not",
                                                name_of(question), tally.fast, tally.all())});
    const bool more_hits = 2 * tally.fast >= tally.all();
    return measured(more_hits == hit_means_yes ? 1 : 0, kOneOff, tally.all(), std::move(method));
  }
  const bool hit = judgement.verdict == Verdict::hit;
  return measured(hit == hit_means_yes ? 1 : 0, judgement.error, tally.all(), std::move(method));
}

void Estimator::guess_as_page_says(Parameter& figure, std::uint32_t says) const {
  constexpr std::uint32_t kAny = 0xFFFF;
  if (says > 0 && says < kAny)
    model::add_guess(figure, {static_cast<double>(says), std::nullopt, kPage});
}

std::optional<std::string> Estimator::without_read_cache() const {
  if (caches_reads(record_)) return std::nullopt;
  return verdict(Question::reread) != Verdict::open ? "reads are not cached" : missing();
}

std::string Estimator::without_read_ahead() const {
  return without_read_cache().value_or("there is no read-ahead");
}

std::optional<std::string> Estimator::without_writes() const {
  if (!record_.setting.writes_allowed) return kNotWritten;
  if (verdict(Question::write_isolated) != Verdict::open) return std::nullopt;
  return record_.setting.complete ? "the ranges of --allow-writes are too small for the test"
                                  : missing();
}

Estimate estimate_cache(const Record& record) {
  Estimate result;
  Estimator estimator(record, result);
  for (const Property& property : properties())
    if (property.estimate) property.estimate(estimator);
  if (!record.setting.map_known)
    for (const Property& property : properties())
      for (model::Parameter model::Cache::*field : property.owns)
        if (property.by_places)
          result.cache.*field = absent("not tested: it takes the drive's map, which is not known");
  compare_with_page(estimator);
  if (estimator.nothing_asked())
    estimator.note({model::Code::cache_not_asked,
                    "no place for the cache's tests was found: what it keeps is not known"});
  return result;
}

}  // namespace platter::cache_probe
