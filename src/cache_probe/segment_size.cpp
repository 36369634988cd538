// How many blocks a segment holds: what is held of one request that is larger.
// What follows: segments.cpp.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"

namespace platter::cache_probe {

namespace {

// Chosen: how many sizes and places are tried before one is given up.
constexpr std::int64_t kRequestGrowth = 4;  // of requests
constexpr int kBoundaryTrials = 6, kMostSizesInVain = 2;

bool at_an_end(const Record& record, std::int64_t last_hit) {
  return std::ranges::any_of(record.observations, [&](const Observation& seen) {
    return seen.question == Question::held_upper && seen.x == last_hit &&
           (seen.x == seen.to_track_end || seen.x == seen.to_cylinder_end);
  });
}

// Behind requests that end with a track: is the end of one of the next two where read-ahead ends?
// Tracks being of several lengths, that is another number of blocks at each place.
void find_boundary_behind(Prober& prober, const Prober::Prepare& prepare) {
  for (const auto end : {&Setup::to_track_end, &Setup::to_cylinder_end}) {
    int in_vain = 0;
    for (int i = 0; i < kBoundaryTrials && in_vain < kMostSizesInVain && !prober.spent(); ++i) {
      const auto prepared = prepare(0);
      if (!prepared) return;
      const std::int64_t beyond = i % 2;
      const std::int64_t x = prepared->setup.*end + beyond;
      prober.probe(Question::held_upper, x, prepared->target(x), prepared->least_rev,
                   prepared->setup);
      in_vain += is_fast(prober.record(), prober.record().observations.back()) == (beyond == 0) ? 0
                                                                                                : 1;
    }
    if (end_behind(prober.record())) return;
  }
}

// What is held of one request that is larger than a segment, from both ends.
class SegmentSizeTest {
 public:
  explicit SegmentSizeTest(Prober& prober)
      : prober_(prober),
        record_(prober.record()),
        reach_(reach_blocks(prober.record())),
        bounded_(ends_at_boundary(prober.record())),
        behind_(sequential_tracks(prober.record()) ? 2 * (reach_ + 1) : reach_),
        sizes_(expected(prober, &scsi::CachePage::segment_blocks)) {}

  void run() {
    if (first_held(1) != Verdict::hit) {
      upper_ = read_ahead_end(record_);
      find_lower_of_read_ahead();
      return;
    }
    if (!find_overflowing()) return;
    // Where read-ahead has no end that was found, neither has what a segment holds.
    if (const auto edge = reach_edge(record_); edge && !edge->first_miss) return;
    find_upper();
    find_lower();
    // Where read-ahead did not end alike: the largest request whose first block stays.
    if (request_ == 1) return;
    const auto size = segment_size(record_);
    if (!size || size->source == SegmentSize::Source::largest_kept)
      prober_.search(
          Question::held_first, 1, request_, kRequestGrowth,
          prober_.trial_of(Question::held_first, [&](std::int64_t x) { return roomy(x)(x); }));
    // May read-ahead push out what was requested? A request that fills a segment tells.
    if (const auto found = segment_size(record_); found && !found->bound)
      first_held(
          std::max<std::int64_t>(1, static_cast<std::int64_t>(found->blocks - found->error)));
  }

 private:
  using Offset = std::function<std::int64_t(std::int64_t x, const Setup& setup)>;

  // Requests that are larger than a segment; the probes' places are counted from the first block.
  Prober::Prepare large(std::int64_t request, std::int64_t ahead, Offset offset) {
    return [this, request, ahead,
            offset = std::move(offset)](std::int64_t) -> std::optional<Prober::Prepared> {
      const auto at = place_for_large(prober_, request, behind_);
      if (!at) return std::nullopt;
      prober_.refresh_angle();
      prober_.read(at->lbn, static_cast<std::uint32_t>(request));
      return Prober::Prepared{[at, offset](std::int64_t x) {
                                return at->lbn + static_cast<std::uint64_t>(offset(x, at->setup));
                              },
                              ahead > 0 ? reading_rev(prober_, ahead) : 0, at->setup};
    };
  }

  // As much is to be read ahead after others as ever is.
  Prober::Prepare roomy(std::int64_t request) {
    return [this, request](std::int64_t) -> std::optional<Prober::Prepared> {
      const auto place = clean_place_for(prober_,
                                         bounded_ ? Kind::starts_cylinder : Kind::any_track,
                                         request + 2 * reach_ + kAlignment);
      if (!place) return std::nullopt;
      prober_.refresh_angle();
      const std::uint64_t lbn = bounded_ ? place->first : aligned_start(*place, request);
      const auto blocks = static_cast<std::uint32_t>(request);
      prober_.read(lbn, blocks);
      return Prober::Prepared{[lbn](std::int64_t) { return lbn; }, reading_rev(prober_, reach_),
                              setup_of(*place, lbn, blocks)};
    };
  }

  // Is the first block of a request of x blocks still there when read-ahead is complete?
  Verdict first_held(std::int64_t x) {
    return prober_.decide(Question::held_first, x,
                          prober_.trial_of(Question::held_first, roomy(x)));
  }
  bool overflows(std::int64_t x) {
    const Offset first = [](std::int64_t, const Setup&) { return 0; };
    return prober_.decide(Question::held_first, x,
                          prober_.trial_of(Question::held_first, large(x, 0, first))) !=
           Verdict::hit;
  }

  // A request that overflows the segment; in pieces it would take a segment for each.
  bool find_overflowing() {
    const std::int64_t most = std::min<std::int64_t>(most_requested(prober_),
                                                     prober_.context().drive.most_blocks());
    const std::int64_t track = prober_.places().track_blocks();
    request_ = std::min(most, sizes_.empty() ? 2 * track : sizes_[0] + kAlignment);
    while (!overflows(request_) && request_ < most && !prober_.spent())
      request_ = std::min(most, 4 * request_);
    return judge(record_, Question::held_first, request_).verdict == Verdict::miss;
  }

  // The last block that is held.
  void find_upper() {
    std::vector<std::int64_t> ends = {reach_};
    for (const std::int64_t end : expected(prober_, &scsi::CachePage::max_prefetch))
      if (end <= 2 * reach_) ends.push_back(end);
    const std::int64_t farthest = *std::ranges::max_element(ends) + 1;
    const Offset from_last = [request = request_](std::int64_t x, const Setup&) {
      return request - 1 + x;
    };
    upper_ = prober_.locate(Question::held_upper, {0, 2 * behind_ + 8, farthest, ends},
                            large(request_, farthest - 1, from_last));
    if (sequential_tracks(record_) &&
        (!upper_ || upper_->mixed || at_an_end(record_, upper_->last_hit)))
      find_boundary_behind(prober_, large(request_, behind_, from_last));
  }

  // The first one, counted back from the last.
  void find_lower() {
    if (request_ > 1 && (upper_ || end_behind(record_))) {
      const std::int64_t top = request_ - 1 + (upper_ ? upper_->sure_hit : 0);
      prober_.locate(
          Question::held_lower, {0, top, top, sizes_},
          large(request_, upper_ && !end_behind(record_) ? upper_->sure_hit : behind_,
                [this](std::int64_t x, const Setup& setup) {
                  return request_ - 1 +
                         read_behind(record_, setup.to_track_end, setup.to_cylinder_end) - x;
                }));
    } else if (request_ == 1) {
      find_lower_of_read_ahead();
    }
  }

  // Where requested blocks are dropped, or no request is larger: of what was read ahead.
  void find_lower_of_read_ahead() {
    if (!upper_ && reach_ <= 0) return;
    const std::int64_t top = upper_ ? upper_->sure_hit : reach_;
    prober_.locate(Question::held_lower, {0, top, top, sizes_},
                   [this, top](std::int64_t x) -> std::optional<Prober::Prepared> {
                     auto prepared = roomy(1)(x);
                     if (!prepared) return std::nullopt;
                     const std::uint64_t last = prepared->target(0) +
                                                static_cast<std::uint64_t>(top);
                     prepared->target = [last](std::int64_t back) {
                       return last - static_cast<std::uint64_t>(back);
                     };
                     return prepared;
                   });
  }

  Prober& prober_;
  const Record& record_;
  std::int64_t reach_;
  bool bounded_;                     // read-ahead ends at the end of a track or cylinder
  std::int64_t behind_;              // blocks read ahead after such a request, at most
  std::vector<std::int64_t> sizes_;  // that the mode page names
  std::int64_t request_ = 1;
  std::optional<Edge> upper_{};
};

}  // namespace

void test_segment_size(Prober& prober) {
  const Record& record = prober.record();
  const bool shows = record.setting.map_known || !reads_ahead(record) ||
                     goes_as_far_from_anywhere(record);
  if (caches_reads(record) && shows) SegmentSizeTest(prober).run();
}

}  // namespace platter::cache_probe
