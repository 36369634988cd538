// Whether anything that was read is kept, and for longer than until it is sent.
#include <algorithm>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"
#include "model/known.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

// Chosen: four rereads of a block show how hits scatter.
constexpr std::uint32_t kRereads = 4;
constexpr double kGoneBy_rev = 0.05;  // more than a sector, much less than a revolution

}  // namespace

void test_read_caching(Prober& prober) {
  // "Cache discards block after transferring it": a miss would cost a whole revolution. Once the
  // block is known to stay, it shows how long hits take.
  prober.decide(Question::reread, 0, [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place) return false;
    const std::uint64_t lbn = place->first + place->blocks() / 2;
    prober.read(lbn);
    for (std::uint32_t i = 0; i < kRereads; ++i)
      prober.probe_now(Question::reread, x, lbn, setup_of(*place, lbn, 1), i);
    return true;
  });
  // The next block has just gone by; a drive that has not read it waits a revolution. Blocks of the
  // same physical one come along without read-ahead.
  const std::uint32_t next = prober.context().write_unit();
  const Verdict at_once = prober.decide(Question::next_block, 0, [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place) return false;
    const std::uint64_t lbn = place->first + place->blocks() / 3;
    prober.read(lbn);
    prober.rest_rev(kGoneBy_rev);
    prober.probe_now(Question::next_block, x, lbn + next, setup_of(*place, lbn, 1));
    return true;
  });
  if (at_once == Verdict::hit) return;
  if (decide_past(prober, Question::next_block_later, 0, next,
                  {.offset = prober.places().track_blocks() / 3}) == Verdict::hit)
    return;
  prober.decide(Question::next_sequential, 0, [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::any, 0);
    if (!place) return false;
    const std::uint64_t lbn = place->first + place->blocks() / 3;
    const std::uint32_t second = carried_on_by(prober);
    prober.read(lbn);
    prober.read(lbn + 1, second);
    prober.probe(Question::next_sequential, x, lbn + second + next, kSettle_rev,
                 setup_of(*place, lbn + 1, second));
    return true;
  });
}

void estimate_read_caching(Estimator& e) {
  const bool cached = caches_reads(e.record());
  const Judgement again = judge(e.record(), Question::reread, 0);
  const Judgement next = e.next_block();
  const Tally tally = tally_of(e.record(), Question::reread, 0);
  if (!cached && (again.verdict == Verdict::open || next.verdict == Verdict::open)) {
    e.cache().read_enabled = absent(e.missing());
    if (const auto& page = e.record().setting.page)
      model::add_guess(e.cache().read_enabled,
                       {page->read_cache_disabled ? 0.0 : 1.0, std::nullopt, "mode page 08h"});
  } else {
    e.cache().read_enabled = measured(cached ? 1 : 0, std::min(again.error, next.error),
                                      tally.all(), "a block read again, and the next block");
  }
  if (!cached) {
    e.cache().discards_after_transfer = absent(*e.without_read_cache());
  } else {
    e.cache().discards_after_transfer = e.yes_or_no(Question::reread, "a block read again at once",
                                                    0, false);
  }
}

}  // namespace platter::cache_probe
