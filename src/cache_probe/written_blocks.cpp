// What a cache keeps of written blocks: whether they serve reads, and update what was read before.

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/write_properties.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

}  // namespace

// What is written has been read before; where writes update read data that would serve reads, too.
void forget_read_targets(Prober& prober) {
  const Record& record = prober.record();
  const auto count = segment_count(record);
  if (!count || judge(record, Question::write_into, 0).verdict == Verdict::miss) return;
  if (tally_of(record, Question::write_into, 0).all() == 0) return;
  const double times = count->random ? kTimesOver : 1;
  read_scattered(prober, static_cast<std::int64_t>(times * (count->count + count->error)) + 1, 1,
                 0);
}

void test_reads_of_written(Prober& prober, Targets& targets) {
  // Read data that a write overwrites in part: is the rest of their segment kept?
  if (retained(prober.record()))
    prober.decide(Question::write_into, 0, [&](std::int64_t x) {
      const std::uint64_t lbn = targets.next();
      prober.refresh_angle();
      prober.read(lbn, targets.blocks());
      prober.write(lbn + targets.blocks() / 2);
      settle(prober);
      prober.probe(Question::write_into, x, lbn + 1, 0);
      return true;
    });
  for (const Question question : {Question::read_written, Question::read_settled}) {
    prober.decide(question, 0, [&](std::int64_t x) {
      const std::uint64_t lbn = targets.next();
      forget_read_targets(prober);
      settle(prober);
      prober.refresh_angle();
      prober.write(lbn);
      if (question == Question::read_settled) {
        settle(prober);
        prober.probe(question, x, lbn, 0);
      } else {
        prober.probe_now(question, x, lbn);
      }
      return true;
    });
  }
}

void estimate_reads_of_written(Estimator& e) {
  const Record& record = e.record();
  model::Cache& c = e.cache();
  if (const auto reason = e.without_writes()) {
    c.read_hit_on_written = c.write_updates_segments = absent(*reason);
    return;
  }
  c.read_hit_on_written = e.yes_or_no(Question::read_settled,
                                      "a written block read once it is on the media");
  if (e.verdict(Question::read_written) == Verdict::hit &&
      e.verdict(Question::read_settled) == Verdict::miss)
    e.note("written blocks can be read from the cache only until they are on the media");
  c.write_updates_segments =
      tally_of(record, Question::write_into, 0).all() == 0
          ? absent(e.without_read_cache().value_or("requested blocks are dropped"))
          : e.yes_or_no(Question::write_into, "a block read before, beside one written since");
}

}  // namespace platter::cache_probe
