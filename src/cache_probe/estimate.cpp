#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache_probe/estimator.h"

namespace platter::cache_probe {

using model::absent;
using model::Parameter;

namespace {

constexpr double kEither = 1 / 1.95;  // of two answers: the other one is within 1.96 errors

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

Estimate Estimator::all() {
  read_facts();
  read_ahead();
  segments();
  arrival();
  writes();
  not_observed();
  mode_page();
  return std::move(result_);
}

Judgement Estimator::next_block() const {
  const Judgement at_once = judge(record_, Question::next_block, 0);
  if (after_sequential(record_)) return judge(record_, Question::next_sequential, 0);
  return at_once.verdict == Verdict::hit ? at_once : judge(record_, Question::next_block, 1);
}

std::string Estimator::missing() const {
  return record_.setting.complete ? "the probes did not decide it"
                                  : "the budget for cache tests was used up before";
}

Parameter Estimator::yes_or_no(Question question, std::string method, std::int64_t x,
                               bool hit_means_yes) {
  const Tally tally = tally_of(record_, question, x);
  const Judgement judgement = judge(tally);
  if (judgement.verdict == Verdict::open) return absent(missing());
  if (judgement.verdict == Verdict::mixed) {
    note(fmt::format("{}: {} of {} probes hit, the rest did not", name_of(question), tally.fast,
                     tally.all()));
    const bool more_hits = 2 * tally.fast >= tally.all();
    return measured(more_hits == hit_means_yes ? 1 : 0, kEither, tally.all(), std::move(method));
  }
  const bool hit = judgement.verdict == Verdict::hit;
  return measured(hit == hit_means_yes ? 1 : 0, judgement.error, tally.all(), std::move(method));
}

void Estimator::read_facts() {
  const bool cached = caches_reads(record_);
  const Judgement again = judge(record_, Question::reread, 0);
  const Judgement next = next_block();
  const Tally tally = tally_of(record_, Question::reread, 0);
  if (!cached && (again.verdict == Verdict::open || next.verdict == Verdict::open)) {
    cache().read_enabled = absent(missing());
  } else {
    cache().read_enabled = measured(cached ? 1 : 0, std::min(again.error, next.error), tally.all(),
                                    "a block read again, and the block behind it");
  }
  if (!cached) {
    cache().discards_after_transfer = absent("reads are not cached");
  } else {
    cache().discards_after_transfer = yes_or_no(Question::reread, "a block read again at once", 0,
                                                false);
  }
}

void Estimator::not_observed() {
  model::Cache& c = cache();
  for (Parameter* p : {&c.stop_read_ahead_in_sector, &c.write_hit_stops_read_ahead,
                       &c.almost_read_hits, &c.transfer_partial_hit})
    *p = absent("not tested");
  // Of several models the one that explains the probes' answers may tell them (explained.h).
  c.destage_order = absent(!c.destage_behind ? c.destage_behind.reason
                           : c.destage_behind.or_else(0) == 1
                               ? "the probes did not decide it"
                               : "written data were not seen to wait for one another");
  c.destage_in_passing = absent("not tested");
  // The caching page has these apart from the limit in blocks; probes see where read-ahead ends.
  c.read_ahead_by_request = absent("not tested: the read-ahead limit was measured in blocks");
  c.read_ahead_ceiling_blocks = c.read_ahead_longest_request_blocks = absent("not tested", kBlocks);
}

// What the drive says of itself, against what was measured.
void Estimator::mode_page() {
  if (!record_.setting.page) return;
  const scsi::CachePage& page = *record_.setting.page;
  const model::Cache& c = cache();
  const auto compare = [&](const Parameter& parameter, double says, const char* what) {
    if (says <= 0 || !parameter) return;
    if (std::abs(*parameter.value - says) > std::max(0.5, 2 * parameter.error.value_or(0)))
      note(fmt::format("mode page 08h says {} {}, measured were {:g}", says, what,
                       *parameter.value));
  };
  // The page may count those of reads alone.
  const auto reads = segment_count(record_);
  if (!reads || std::abs(reads->count - page.segments) > 0.5)
    compare(c.segments, page.segments, "segments");
  compare(c.segment_blocks, page.segment_blocks, "blocks a segment");
  if (page.max_prefetch < 0xFFFF && c.read_ahead_max_blocks.or_else(0) > 0)
    compare(c.read_ahead_max_blocks, page.max_prefetch, "blocks of read-ahead at most");
  const auto contradict = [&](const Parameter& parameter, bool says, const char* what) {
    if (parameter && (*parameter.value > 0) != says)
      note(fmt::format("mode page 08h says that {} {}, measured was the opposite", what,
                       says ? "is on" : "is off"));
  };
  contradict(c.read_enabled, !page.read_cache_disabled, "the read cache");
  contradict(c.read_ahead, !page.read_ahead_disabled, "read-ahead");
  if (record_.setting.writes_allowed)
    contradict(c.write_back_level, page.write_cache_enabled, "the write cache");
}

Estimate estimate_cache(const Record& record) { return Estimator(record).all(); }

}  // namespace platter::cache_probe
