// What stops read-ahead, how much is read before it stops, and what makes it go on.
#include <algorithm>
#include <cmath>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"
#include "model/stand_ins.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

constexpr int kMostReplaced = 40;

// Where one segment is all there is: does a hit on its last block take read-ahead further?
void ask_hit_at_end(Prober& prober, std::int64_t reach) {
  const auto edge = reach_edge(prober.record());
  if (edge && !edge->first_miss) return;  // it goes on without a hit
  prober.decide(Question::hit_at_end, 0, [&](std::int64_t key) {
    const auto place = clean_place_for(prober, Kind::starts_cylinder, 2 * reach);
    if (!place) return false;
    const std::uint64_t last = place->first + static_cast<std::uint64_t>(reach - rounding(prober));
    prober.refresh_angle();
    request(prober, place->first, 1);
    prober.rest_rev(reading_rev(prober, reach));
    prober.context().drive.read(last, 1);
    prober.probe(Question::hit_at_end, key, last + 1 + static_cast<std::uint64_t>(reach / 4),
                 reading_rev(prober, reach), setup_of(*place, place->first, 1));
    return true;
  });
}

// A read, the next elsewhere at once, then the block at x behind the first.
Prober::Prepare cut_short_by_next(Prober& prober, std::int64_t reach) {
  return [&prober, reach](std::int64_t farthest) -> std::optional<Prober::Prepared> {
    const auto place = clean_place_for(prober, Kind::starts_cylinder, reach + farthest);
    const auto other = clean_place_for(prober, Kind::any, reach);
    if (!place || !other) return std::nullopt;
    prober.refresh_angle();
    request(prober, place->first, 1);
    prober.read(other->first);
    return Prober::Prepared{
        [first = place->first](std::int64_t x) { return first + static_cast<std::uint64_t>(x); }, 0,
        setup_of(*place, place->first, 1)};
  };
}

// How far read-ahead gets before it obeys the next read. False: nothing stops it.
bool ask_cut_short(Prober& prober, std::int64_t reach, std::int64_t offset) {
  const Prober::Prepare next_elsewhere = cut_short_by_next(prober, reach);
  const Prober::Trial trial = prober.trial_of(Question::cut_short, next_elsewhere);
  const auto far = prober.decide(Question::cut_short, offset, trial);
  std::vector<std::int64_t> least = expected(prober, &scsi::CachePage::min_prefetch);
  least.push_back(reach);
  const std::int64_t at_once = at_once_blocks(prober.record());
  if (far == Verdict::hit && reach <= at_once) return false;
  if (far == Verdict::hit || prober.decide(Question::cut_short, at_once, trial) == Verdict::hit)
    prober.locate(Question::cut_short, {at_once, reach + 1, reach + 1, least}, next_elsewhere);
  return true;
}

// Whether what was stopped goes on once the drive is idle, or behind a hit.
class Interrupted {
 public:
  Interrupted(Prober& prober, std::int64_t offset, bool random)
      : prober_(prober), offset_(offset), random_(random) {}

  Verdict decide(Question question) {
    return prober_.decide(question, 0, [&](std::int64_t) { return trial(question); });
  }

 private:
  bool trial(Question question) {
    const std::int64_t reach = reach_blocks(prober_.record());
    const auto place = clean_place_for(prober_, Kind::starts_cylinder, reach);
    const auto other = clean_place_for(prober_, Kind::any, reach);
    if (!place || !other) return false;
    prober_.refresh_angle();
    request(prober_, place->first, 1);
    prober_.read(other->first);                     // ends read-ahead behind the first
    prober_.rest_rev(reading_rev(prober_, reach));  // the drive is idle again
    const bool after_hit = question == Question::interrupted_hit;
    if (after_hit) {
      const scsi::Completion again = prober_.context().drive.read(place->first, 1);
      // Where it was replaced meanwhile it is read anew, and read-ahead begins behind it: that is
      // no trial.
      if (random_ && !is_quick(prober_, again)) return ++replaced_ < kMostReplaced;
    }
    prober_.probe(question, 0, place->first + static_cast<std::uint64_t>(offset_),
                  after_hit ? 3.0 : 0.0, setup_of(*place, place->first, 1));
    return true;
  }

  Prober& prober_;
  std::int64_t offset_;
  bool random_;
  int replaced_ = 0;
};

}  // namespace

void test_stopped_read_ahead(Prober& prober) {
  const Record& record = prober.record();
  const auto count = segment_count(record);
  const std::int64_t reach = reach_blocks(record);
  std::int64_t offset = std::min<std::int64_t>(prober.places().track_blocks() / 3, 3 * reach / 4);
  if (!count || offset < 8) return;
  if (!retained(record) || count->settled || count->count - count->error < 2)
    return ask_hit_at_end(prober, reach);
  if (!ask_cut_short(prober, reach, offset)) return;
  const auto least_read = cut_short(record);
  if (least_read && least_read->all) return ask_hit_at_end(prober, reach);
  if (least_read && least_read->least_blocks >= offset)
    offset = least_read->least_blocks +
             std::max<std::int64_t>(1, (reach - least_read->least_blocks) / 2);
  Interrupted interrupted(prober, offset, count->random);
  if (interrupted.decide(Question::interrupted) == Verdict::miss &&
      interrupted.decide(Question::interrupted_hit) == Verdict::hit)
    return;
  ask_hit_at_end(prober, reach);  // with no other read in between
}

void estimate_stopped_read_ahead(Estimator& e) {
  model::Cache& c = e.cache();
  const bool open = !reads_ahead(e.record()) && e.next_block().verdict == Verdict::open;
  const auto kind = static_cast<model::ReadAhead>(std::llround(acting(c, c.read_ahead)));
  if (open || kind == model::ReadAhead::none) {
    const std::string reason = open ? e.missing() : e.without_read_ahead();
    c.read_ahead_min_blocks = absent(reason, kBlocks);
    c.read_ahead_on_hit = c.read_ahead_abort = c.read_ahead_resumes = absent(reason);
    return;
  }
  const auto stopped = cut_short(e.record());
  const auto count = segment_count(e.record());
  const bool two = retained(e.record()) && count && !count->settled &&
                   count->count - count->error >= 2;
  const std::string few =
      !e.record().setting.complete ? e.missing()
      : two ? "all that is read ahead passes under the heads before the next command is obeyed"
            : "not testable: needs two segments that keep requested blocks";
  if (!stopped) {
    c.read_ahead_min_blocks = absent(few, kBlocks);
    c.read_ahead_abort = c.read_ahead_resumes = absent(few);
  } else {
    const std::string method = "blocks after a read, right after the next read elsewhere";
    c.read_ahead_abort = measured(stopped->all ? 0 : 1, 0, stopped->samples, method);
    if (stopped->all) {
      c.read_ahead_min_blocks = absent("the next command waits until all has been read", kBlocks);
      c.read_ahead_resumes = absent("no command stops read-ahead");
    } else {
      c.read_ahead_min_blocks = measured(static_cast<double>(stopped->least_blocks), stopped->error,
                                         stopped->samples, method, kBlocks);
      c.read_ahead_resumes = e.yes_or_no(Question::interrupted,
                                         "read-ahead that was stopped, once the drive was idle");
    }
  }
  const Tally idle = tally_of(e.record(), Question::interrupted, 0);
  const Tally at_end = tally_of(e.record(), Question::hit_at_end, 0);
  const Verdict in_one = judge(at_end).verdict;
  // NOLINTNEXTLINE(bugprone-branch-clone): what tells most is asked first
  if (idle.all() > 0 && kind == model::ReadAhead::to_segment_full && in_one == Verdict::hit) {
    c.read_ahead_on_hit = e.yes_or_no(Question::hit_at_end,
                                      "a hit on the last block of completed read-ahead");
  } else if (judge(idle).verdict == Verdict::hit) {
    c.read_ahead_on_hit = absent("read-ahead goes on whatever the next read is");
  } else if (idle.all() > 0) {
    c.read_ahead_on_hit = e.yes_or_no(Question::interrupted_hit,
                                      "a hit on a segment whose read-ahead was cut short");
  } else if (at_end.all() > 0 && kind == model::ReadAhead::to_segment_full) {
    c.read_ahead_on_hit = e.yes_or_no(Question::hit_at_end,
                                      "a hit on the last block of completed read-ahead");
  } else {
    c.read_ahead_on_hit = absent(few);
  }
}

}  // namespace platter::cache_probe
