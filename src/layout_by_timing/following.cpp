#include "layout_by_timing/following.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "layout_by_timing/line.h"
#include "statistics/circular.h"

namespace platter::layout_by_timing {
namespace {

Run track_of(const MapSoFar& map, const Piece& piece, std::uint64_t first, std::uint32_t slots) {
  Run run;
  run.first = first;
  run.slots = slots;
  run.spares = map.spares;
  run.start_rev = piece.start_rev(first, run.around());
  return run;
}

// A size of which tracks were seen, where the slope allows it; else the nearest whole number.
std::uint32_t slots_like(const MapSoFar& map, const Piece& piece) {
  const double slots = piece.around - map.spares;
  const double tolerance = std::max(1.0, 3 * piece.around_error);
  std::uint32_t best = 0;
  for (const std::uint32_t format : map.formats())
    if (std::abs(format - slots) < tolerance &&
        (best == 0 || std::abs(format - slots) < std::abs(best - slots)))
      best = format;
  return best != 0 ? best : static_cast<std::uint32_t>(std::lround(slots));
}

struct Around {
  double sectors = 0, error = 0;
};

// The slopes of tracks that are as large as the first of them: their mean, weighted.
Around pooled_around(std::span<const Piece> pieces) {
  double sum = 0, weight = 0;
  for (const Piece& piece : pieces) {
    if (std::abs(piece.around - pieces.front().around) >
        5 * std::hypot(piece.around_error, pieces.front().around_error) + 0.5)
      continue;
    const double w = 1 / (piece.around_error * piece.around_error);
    sum += w * piece.around, weight += w;
  }
  return {sum / weight, 1 / std::sqrt(weight)};
}

// A first track that lost some sectors looks like one of another size, and all behind it would be a
// run of such tracks, each of which begins so much earlier. Where tracks end and begin tells.
bool lost_in_first_track(MapSoFar& map, Run& run, std::uint32_t sectors) {
  constexpr std::uint32_t kFew = 16, kFrom = 2, kTo = 8;  // sectors, tracks
  Run whole = run;
  whole.slots += sectors;
  whole.tracks = kTo + 2;
  if (sectors > kFew || whole.tracks > map.tracks_left(whole)) return false;
  add_loss(whole, 0, sectors, true);
  if (!map.loss_finder.none_lost(whole, kFrom, kTo) ||
      !map.loss_finder.begins_right(whole, kFrom, kTo))
    return false;
  ++map.counts.losses;
  run = whole;
  run.tracks = 2;
  return true;
}

// The run of which a piece is the first track, beginning with that block. Its skew is known where
// the next piece goes on with it; else it has one track.
std::optional<Run> run_from(MapSoFar& map, const std::vector<Piece>& pieces, std::size_t index,
                            std::uint64_t first) {
  const Piece& piece = pieces[index];
  Run run = begun_track(map, piece, first);
  if (index + 1 == pieces.size()) return run;
  const Piece& behind = pieces[index + 1];
  const std::uint64_t second = first + run.slots;
  // Where arithmetic has the border, if both of its sides say so; else it is looked for.
  const bool possible = second > piece.last && second <= behind.first;
  std::optional<std::uint64_t> border;
  if (possible && map.walker.begins_with(second, piece, behind, run.around(), behind.around))
    border = second;
  if (!border) border = map.walker.border(piece, behind, run.around(), behind.around);
  if (!border || *border <= first) return std::nullopt;
  run = track_of(map, piece, first, static_cast<std::uint32_t>(*border - first));
  if (std::abs(run.around() - piece.around) > std::max(0.05 * piece.around, 6 * piece.around_error))
    return std::nullopt;  // a short track: its slope says another length
  run.skew_rev = statistics::turn_rev(behind.start_rev(*border, behind.around) - run.start_rev);
  if (std::abs(behind.around - run.around()) < std::max(1.5, 4 * behind.around_error)) {
    const auto slots = begun_track(map, piece, first).slots;
    if (slots > run.slots && lost_in_first_track(map, run, slots - run.slots)) return run;
    run.tracks = 2;
  }
  return run;
}

// Sectors of each track that hold no block: tracks in a row have as many blocks, and more sectors.
// A track that lost some is not followed by one that lost as many.
std::uint32_t spares_seen(MapSoFar& map, const std::vector<Piece>& pieces, const Run& run) {
  std::size_t alike = 1;  // pieces that are whole tracks of the run
  while (1 + alike + 1 < pieces.size()) {
    const Piece& last = pieces[alike];
    const auto border = map.walker.border(pieces[alike + 1], pieces[alike + 2], last.around,
                                          last.around);
    if (!border || *border != run.first + (alike + 1) * std::uint64_t{run.slots}) break;
    ++alike;
  }
  if (alike < 2) return 0;
  const Around around = pooled_around(std::span(pieces).subspan(1, alike));
  const double more = around.sectors - run.slots;
  return more < std::max(0.6, 5 * around.error) ? 0 : static_cast<std::uint32_t>(std::lround(more));
}

// Sectors that the run has lost up to its last tracks, found and located; whether there are any.
bool mend_losses(MapSoFar& map, Run& run) {
  if (run.tracks < 3) return false;
  const std::uint32_t late = run.tracks - 2;
  const std::uint32_t from = first_of_late(late, run.tracks / 8);
  if (map.loss_finder.none_lost(run, from, late)) return false;
  const auto found = map.loss_finder.lost_before(run, from, late, 0, run.slots + run.slots / 2);
  if (!found || found->lost == 0) return false;
  map.loss_finder.locate(run, 0, found->track, found->lost);
  ++map.counts.losses;
  return true;
}

// Sectors that it has lost in front of a track.
std::uint64_t lost_before(const Run& run, std::uint32_t track) {
  std::uint64_t lost = 0;
  for (const Loss& loss : run.losses)
    if (run.place_of(run.first + loss.behind).track < track) lost += loss.sectors;
  return lost;
}

}  // namespace

Run begun_track(const MapSoFar& map, const Piece& piece, std::uint64_t first) {
  return track_of(map, piece, first, slots_like(map, piece));
}

// By its borders and its slope.
std::optional<Run> whole_track(const MapSoFar& map, const Piece& piece, std::uint64_t first,
                               std::uint64_t border) {
  const double sure = std::max(1.5, 5 * piece.around_error);
  const auto blocks = static_cast<std::uint32_t>(border - first);
  const double lacks = piece.around - map.spares - blocks;
  if (lacks < -sure || 2 * lacks > piece.around) return std::nullopt;
  if (lacks <= sure) return track_of(map, piece, first, blocks);
  Run run = begun_track(map, piece, first);
  run.tail = run.slots - blocks;
  return run;
}

std::optional<Run> begin_at(MapSoFar& map, std::uint64_t block) {
  const auto around = map.walker.find_around(block);
  if (!around) return std::nullopt;
  map.walker.find_gap(block, *around);
  auto pieces = map.walker.walk(block, *around, 5.5);
  ++map.counts.walks;
  if (pieces.size() < 3) return std::nullopt;
  const Piece& front = pieces[0];
  const auto border = map.walker.border(front, pieces[1], front.around, pieces[1].around);
  if (!border) return std::nullopt;
  const double own = std::exchange(pieces[1].around,
                                   pooled_around(std::span(pieces).subspan(1)).sectors);
  auto run = run_from(map, pieces, 1, *border);
  if (!run) return run;
  pieces[1].around = own;
  if (map.runs.empty() && map.spares == 0)
    run->spares = map.spares = spares_seen(map, pieces, *run);
  const auto blocks = static_cast<std::uint32_t>(*border - block);
  if (blocks == run->slots) {  // a whole track in front: the same run, if the skew is
    const double start = front.start_rev(block, run->around());
    if (std::abs(statistics::wrap_rev(run->start_rev - start - run->skew_rev)) < 0.01) {
      run->first = block, run->start_rev = start, ++run->tracks;
      return run;
    }
  }
  // A whole track, of another size perhaps, or the last part of one.
  Run before = track_of(map, front, block, blocks);
  if (front.around - before.around() > std::max(1.5, 5 * front.around_error)) {
    before.spares += slots_like(map, front) - blocks;
    before.start_rev = front.start_rev(block, before.around());
  }
  map.push(before);
  return run;
}

namespace {

// A run that is followed to its end.
class Follower {
 public:
  Follower(MapSoFar& map, Run& run)
      : map_(map), run_(run), base_(run), sigma_(map.frame.jitter().sigma_rev) {
    const double walked = 12;  // readings of a walked track, about
    add(0, 0, walked), add(run.tracks - 1, 0, walked);
  }

  void follow() {
    // Each sector that is lost on the way turns all behind it: some of them end the run, and bend
    // the line, until they are known.
    do find_end();
    while (mend_losses(map_, run_) && goes_on());
  }

 private:
  struct Off {
    std::uint32_t track = 0;
    double rev = 0;  // as if no sector were lost
    double weight = 0;
  };
  double lost_rev(std::uint32_t track) const {
    return static_cast<double>(lost_before(run_, track)) / run_.around();
  }
  void add(std::uint32_t track, double off_rev, double weight) {
    offs_.push_back({track, off_rev + lost_rev(track), weight});
    line_.add(track, off_rev, weight);
  }
  void take_line() {
    run_.start_rev = statistics::turn_rev(base_.start_rev + line_.at(0));
    run_.skew_rev = statistics::turn_rev(base_.skew_rev + line_.slope());
  }
  void note(std::uint32_t track, const Verdict& seen) {
    // Along a long run more than half a turn: not to be wrapped.
    add(track, line_.at(track) + seen.off_rev, seen.readings);
    take_line();
  }
  void forget_last(const Line& line, const Run& run) {
    offs_.pop_back();
    line_ = line, run_ = run;
  }
  Verdict look(std::uint32_t track, int least = 1) {
    return map_.prober.check(run_, track, line_.error_at(track, sigma_), least);
  }

  bool is_right(std::uint32_t track, std::uint32_t beyond) {
    const Verdict there = look(track, 2);
    if (!there.holds) return false;
    const Line line = line_;
    const Run run = run_;
    note(track, there);
    if (track <= beyond + 2) return true;
    // By chance one in fifty fits. The one in front of it must, too, and, where it may be of
    // another band, the one halfway.
    if (look(track - 1).holds && (met_wrong_ || look(beyond + (track - beyond) / 2).holds))
      return true;
    forget_last(line, run);
    return false;
  }

  void find_end() {
    constexpr double kUnsure_rev = 0.012;
    met_wrong_ = false;
    std::uint32_t right = run_.tracks - 1, wrong = map_.tracks_left(run_);
    while (right + 1 < wrong) {
      std::uint32_t next = met_wrong_ ? right + (wrong - right) / 2
                                      : std::min(right * 4 + 1, wrong - 1);
      while (next > right + 1 && line_.error_at(next, sigma_) > std::max(kUnsure_rev, 2 * sigma_))
        next = right + std::max<std::uint32_t>(1, (next - right) / 2);
      const bool holds = is_right(next, right);
      if (!holds) met_wrong_ = true;
      (holds ? right : wrong) = next;
    }
    run_.tracks = wrong;
  }

  // By what was read, less the sectors that are known to be lost.
  bool goes_on() {
    line_ = Line();
    for (const Off& off : offs_) line_.add(off.track, off.rev - lost_rev(off.track), off.weight);
    take_line();
    for (const std::uint32_t more : {2U, 1U}) {
      if (run_.tracks + more > map_.tracks_left(run_)) continue;
      const std::uint32_t track = run_.tracks + more - 1;
      const Verdict there = look(track, 2);
      if (!there.holds) continue;
      note(track, there);
      run_.tracks += more;
      return true;
    }
    return false;
  }

  MapSoFar& map_;
  Run& run_;
  const Run base_;
  const double sigma_;
  Line line_;  // through what was read: how far it is off the base
  std::vector<Off> offs_;
  bool met_wrong_ = false;
};

}  // namespace

void follow(MapSoFar& map, Run& run) {
  if (run.tracks < 2) return;
  ++map.counts.followed;
  Follower(map, run).follow();
}

namespace {

// Some sectors that are lost behind its last track, too few to show in a walk: then all behind them
// goes on with the run.
bool mend_few_behind(MapSoFar& map, Run& run) {
  constexpr double kMost_rev = 0.02;
  constexpr std::uint32_t kBehind = 2;  // tracks
  Run longer = run;
  longer.tracks += kBehind + 1;
  if (longer.tracks > map.tracks_left(longer)) return false;
  const std::uint32_t last = run.tracks - 1;
  const auto most = static_cast<std::uint32_t>(std::ceil(kMost_rev * run.around()));
  const auto found = map.loss_finder.lost_before(longer, last + 1, last + kBehind, 0, most);
  if (!found || found->lost == 0) return false;
  map.loss_finder.locate(longer, last, found->track, found->lost);
  if (!map.prober.check(longer, found->track, 0, 2).holds) return false;
  ++map.counts.losses;
  longer.tracks = found->track + 1;
  run = longer;
  return true;
}

}  // namespace

bool follow_on(MapSoFar& map, Run& run) {
  for (const std::uint32_t more : {2U, 1U}) {
    Run longer = run;
    longer.tracks += more;
    if (longer.tracks > map.tracks_left(longer)) continue;
    if (!map.prober.check(longer, longer.tracks - 1).holds) continue;
    follow(map, longer);
    run = longer;
    return true;
  }
  if (run.tracks < 2 || !mend_few_behind(map, run)) return false;
  follow(map, run);
  return true;
}

void mend_tail(MapSoFar& map, Run& run) {
  if (run.tail == 0 || run.tracks < 3) return;
  const std::uint32_t before_last = run.tracks - 2;
  const auto found = map.loss_finder.lost_before(run, before_last, before_last, 0, run.tail);
  if (!found || found->lost == 0) return;
  run.tail -= found->lost;
  map.loss_finder.locate(run, 0, before_last, found->lost);
  ++map.counts.losses;
}

namespace {

// An entry to another track turned by as much as the lost sectors looks like them, but that track
// is whole: its last blocks are not on the next one.
bool enters_whole(MapSoFar& map, const Run& run, const Piece& before, const Piece& behind,
                  std::uint32_t lost) {
  const std::uint64_t track = run.slot_of(before.last) / run.slots + 1;
  const auto due = run.block_at(track * run.slots);
  if (!due || *due <= before.last || *due > behind.first) return false;
  double odds = 0;
  for (std::uint32_t back = 1; back <= std::min<std::uint32_t>(3, lost); ++back) {
    const std::uint64_t block = *due + run.slots - back;
    if (const auto rev = map.prober.angle(block))
      odds += map.frame.jitter().evidence(
          statistics::wrap_rev(*rev - behind.end_rev(block, run.around())));
    if (std::abs(odds) > 3) break;
  }
  return odds > 0;
}

// Whether the pieces from that one on are tracks of the run with some sectors lost in between.
bool explain_by_loss(MapSoFar& map, Run& run, const std::vector<Piece>& pieces, std::size_t from) {
  const double sigma = map.frame.jitter().sigma_rev;
  const std::uint32_t most = 2 * run.slots + run.slots / 2;
  double least_off = 1;
  std::uint32_t lost = 0;
  for (std::uint32_t sectors = 1; sectors <= most; ++sectors) {
    double off = 0;
    for (std::size_t i = from; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      for (const std::uint64_t block : {piece.first, piece.last})
        off = std::max(
            off, std::abs(statistics::wrap_rev(piece.end_rev(block, run.around()) -
                                               run.end_of_slot_rev(run.slot_of(block) + sectors))));
    }
    if (off < least_off) least_off = off, lost = sectors;
  }
  // About whole tracks lost at a track's end are as well an entry to other tracks, of which there
  // are many more.
  const double off_rev = std::max(0.01, 3 * sigma);
  const double tracks_lost = static_cast<double>(lost) / run.slots;
  if (run.ring_place < 0 && std::round(tracks_lost) > 0 &&
      std::abs(tracks_lost - std::round(tracks_lost)) < off_rev)
    return false;
  if (least_off > std::max(0.6 / run.around() + 3 * sigma, 6 * sigma)) return false;
  if (from > 0 && enters_whole(map, run, pieces[from - 1], pieces[from], lost)) return false;
  const std::uint64_t fits = from > 0 ? pieces[from - 1].last : pieces[from].first;
  const Place place = run.place_of(fits + (pieces[from].first - fits) / 2);
  // By the angle about so many; by the ends of the next tracks exactly.
  constexpr std::uint32_t kMoreOrLess = 4;
  const auto exact = map.loss_finder.lost_before(run, place.track + 1, place.track + 2,
                                                 lost - std::min(lost, kMoreOrLess),
                                                 lost + kMoreOrLess);
  if (!exact || exact->lost == 0)
    return false;  // an entry turned by as much looks alike but for that
  lost = exact->lost;
  add_loss(run, place.track, lost, true);
  ++map.counts.losses;
  return true;
}

constexpr double kSameRun_rev = 0.006;

// From the middle of the track on; behind a hole, where it lies there.
std::uint64_t middle_block(const Run& run, std::uint32_t track) {
  std::uint64_t middle = std::uint64_t{track} * run.slots + run.slots / 2;
  auto block = run.block_at(middle);
  while (!block) block = run.block_at(++middle);
  return *block;
}

// The first piece that is not where the run has its blocks; their number: all are.
std::size_t first_deviating(const std::vector<Piece>& pieces, const Run& run, double sigma_rev) {
  const double most_rev = std::max(0.012, 5 * sigma_rev);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (const std::uint64_t block : {pieces[i].first, pieces[i].last})
      if (std::abs(statistics::wrap_rev(pieces[i].end_rev(block, pieces[i].around) -
                                        run.end_of_block_rev(block))) > most_rev)
        return i;
  return pieces.size();
}

// The first block of the piece: at the track's end or the next one's where both sides say so, else
// looked for.
std::optional<std::uint64_t> border_behind(Walker& walker, const Run& run, std::uint32_t track,
                                           const Piece& before, const Piece& piece) {
  const std::uint64_t due = run.block_at(std::uint64_t{track + 1} * run.slots).value_or(run.first);
  std::optional<std::uint64_t> first;
  for (const std::uint64_t candidate : {due, due + run.slots})
    if (candidate > before.last && candidate <= piece.first &&
        walker.begins_with(candidate, before, piece, run.around(), piece.around))
      first = candidate;
  if (!first) first = walker.border(before, piece, run.around(), piece.around);
  return first;
}

// Some tracks of the same run may be gone, all or nearly: the one with which it goes on at that
// block.
std::optional<std::uint64_t> track_it_goes_on_with(const Run& run, const Run& found,
                                                   double sigma_rev) {
  const std::uint64_t slot = run.slot_of(found.first);
  if (found.slots != run.slots ||
      std::abs(statistics::wrap_rev(found.skew_rev - run.skew_rev)) >= kSameRun_rev ||
      (run.ring_place < 0 && slot % run.slots == 0))
    return std::nullopt;
  // At a track's end a switch of heads may look like some tracks: as servo wedges 120 is 4 x 30.
  const std::uint32_t most = slot % run.slots == 0 ? 1 : 3;
  for (std::uint64_t on = slot / run.slots + 1; on <= slot / run.slots + most; ++on)
    if (std::abs(statistics::wrap_rev(run.track_start_rev(on) - found.start_rev)) <
        std::max(kSameRun_rev, 5 * sigma_rev))
      return on;
  return std::nullopt;
}

// What the run lacks of a whole track holds no block. False: it cannot end there.
bool end_in_front_of(Run& run, std::uint64_t first) {
  std::erase_if(run.losses, [&](const Loss& loss) { return run.first + loss.behind >= first; });
  const std::uint64_t slots = run.slot_of(first - 1) + 1;
  run.tracks = static_cast<std::uint32_t>((slots + run.slots - 1) / run.slots);
  run.tail = static_cast<std::uint32_t>(std::uint64_t{run.tracks} * run.slots - slots);
  return run.end() == first;
}

// Whether it goes on at the angle and with the skew of the run before.
bool is_of_same_band(const Run& next, const Run& run) {
  return std::abs(statistics::wrap_rev(next.start_rev - run.track_start_rev(run.tracks))) <
             kSameRun_rev &&
         next.tracks > 1 &&
         std::abs(statistics::wrap_rev(next.skew_rev - run.skew_rev)) < kSameRun_rev;
}

Behind walk_behind(MapSoFar& map, Run& run, std::uint32_t track, Run& next, double turns) {
  ++map.counts.walks;
  const std::uint64_t from = middle_block(run, track);
  // Too near the end to tell.
  if (from + 4ull * run.slots >= map.end()) return Behind::not_understood;
  const double sigma = map.frame.jitter().sigma_rev;
  const auto pieces = map.walker.walk(from, run.around(), turns);
  const std::size_t deviates = first_deviating(pieces, run, sigma);
  if (deviates == pieces.size()) return Behind::nothing_new;
  if (deviates == 0) return Behind::wrong_there;
  if (explain_by_loss(map, run, pieces, deviates)) return Behind::loss;
  const Piece& before = pieces[deviates - 1];
  const auto first = border_behind(map.walker, run, track, before, pieces[deviates]);
  if (!first) return Behind::not_understood;
  const auto found = run_from(map, pieces, deviates, *first);
  if (!found) return Behind::not_understood;
  if (const auto on = track_it_goes_on_with(run, *found, sigma)) {
    const Place hole = run.place_of(before.last + (*first - before.last) / 2);
    add_loss(run, hole.track, static_cast<std::uint32_t>(*on * run.slots - run.slot_of(*first)),
             true);
    ++map.counts.losses;
    return Behind::loss;
  }
  if (!end_in_front_of(run, *first)) return Behind::not_understood;
  mend_tail(map, run);
  next = *found;
  next.same_band = is_of_same_band(next, run);
  return Behind::another_run;
}

}  // namespace

// From the middle of the track on, or of the one in front of it where sectors are lost in its first
// half already.
Behind look_behind(MapSoFar& map, Run& run, std::uint32_t track, Run& next) {
  constexpr double kTurns = 2.3, kMoreTurns = 3.5;
  const Behind behind = walk_behind(map, run, track, next, kTurns);
  if (behind == Behind::loss || behind == Behind::another_run) return behind;
  return walk_behind(map, run, track - (behind == Behind::wrong_there && track > 0 ? 1 : 0), next,
                     kMoreTurns);
}

}  // namespace platter::layout_by_timing
