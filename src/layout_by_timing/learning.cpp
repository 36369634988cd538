// The mapper without a pattern: walks, and runs followed to their ends.
#include <algorithm>
#include <cmath>
#include <utility>

#include "layout_by_timing/line.h"
#include "layout_by_timing/mapper.h"
#include "model/error.h"
#include "statistics/circular.h"

namespace platter::layout_by_timing {
namespace {

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

}  // namespace

// A size of which tracks were seen, where the slope allows it; else the nearest whole number.
std::uint32_t Mapper::slots_like(double around, double error) const {
  const double slots = around - spares_;
  const double tolerance = std::max(1.0, 3 * error);
  std::uint32_t best = 0;
  for (const std::uint32_t format : formats())
    if (std::abs(format - slots) < tolerance &&
        (best == 0 || std::abs(format - slots) < std::abs(best - slots)))
      best = format;
  return best != 0 ? best : static_cast<std::uint32_t>(std::lround(slots));
}

// The run of which a piece is the first track, beginning with that block. Its skew is known where
// the next piece goes on with it; else it has one track.
std::optional<Run> Mapper::run_from(const std::vector<Piece>& pieces, std::size_t index,
                                    std::uint64_t first) {
  const Piece& piece = pieces[index];
  Run run;
  run.first = first;
  run.spares = spares_;
  run.slots = slots_like(piece.around, piece.around_error);
  run.tracks = 1;
  if (index + 1 < pieces.size()) {
    const Piece& behind = pieces[index + 1];
    const std::uint64_t second = first + run.slots;
    // Where arithmetic has the border, if both of its sides say so; else it is looked for.
    const bool possible = second > piece.last && second <= behind.first;
    std::optional<std::uint64_t> border;
    if (possible && walker_.begins_with(second, piece, behind, run.around(), behind.around))
      border = second;
    if (!border) border = walker_.border(piece, behind, run.around(), behind.around);
    if (!border || *border <= first) return std::nullopt;
    run.slots = static_cast<std::uint32_t>(*border - first);
    if (std::abs(run.around() - piece.around) >
        std::max(0.05 * piece.around, 6 * piece.around_error))
      return std::nullopt;  // a short track: its slope says another length
    run.start_rev = statistics::turn_rev(piece.end_rev(first, run.around()) - 1.0 / run.around());
    const double next_start =
        statistics::turn_rev(behind.end_rev(*border, behind.around) - 1.0 / behind.around);
    const bool same = std::abs(behind.around - run.around()) <
                      std::max(1.5, 4 * behind.around_error);
    run.skew_rev = statistics::turn_rev(next_start - run.start_rev);
    if (same) run.tracks = 2;
  } else {
    run.start_rev = statistics::turn_rev(piece.end_rev(first, run.around()) - 1.0 / run.around());
  }
  return run;
}

// Sectors of each track that hold no block: tracks in a row have as many blocks, and more sectors.
// A track that lost some is not followed by one that lost as many.
std::uint32_t Mapper::spares_seen(const std::vector<Piece>& pieces, const Run& run) {
  std::size_t alike = 1;  // pieces that are whole tracks of the run
  while (1 + alike + 1 < pieces.size()) {
    const Piece& last = pieces[alike];
    const auto border = walker_.border(pieces[alike + 1], pieces[alike + 2], last.around,
                                       last.around);
    if (!border || *border != run.first + (alike + 1) * std::uint64_t{run.slots}) break;
    ++alike;
  }
  if (alike < 2) return 0;
  const Around around = pooled_around(std::span(pieces).subspan(1, alike));
  const double more = around.sectors - run.slots;
  return more < std::max(0.6, 5 * around.error) ? 0 : static_cast<std::uint32_t>(std::lround(more));
}

std::uint32_t Mapper::tracks_left(const Run& run) const {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>((end() - run.first + run.lost()) / run.slots, 0x7FFFFFFF));
}

// A run from a walk that begins anywhere; the blocks in front of its first border are a run of one
// track, or belong to it.
std::optional<Run> Mapper::begin_at(std::uint64_t block) {
  const auto around = walker_.find_around(block);
  if (!around) return std::nullopt;
  walker_.find_gap(block, *around);
  auto pieces = walker_.walk(block, *around, 5.5);
  ++counts_.walks;
  if (pieces.size() < 3) return std::nullopt;
  const auto border = walker_.border(pieces[0], pieces[1], pieces[0].around, pieces[1].around);
  if (!border) return std::nullopt;
  const double own = std::exchange(pieces[1].around,
                                   pooled_around(std::span(pieces).subspan(1)).sectors);
  auto run = run_from(pieces, 1, *border);
  if (!run) return run;
  pieces[1].around = own;
  if (runs_.empty() && spares_ == 0) run->spares = spares_ = spares_seen(pieces, *run);
  const std::uint64_t front = *border - block;
  if (front == run->slots) {  // a whole track in front: the same run, if the skew is
    const double start =
        statistics::turn_rev(pieces[0].end_rev(block, run->around()) - 1.0 / run->around());
    if (std::abs(statistics::wrap_rev(run->start_rev - start - run->skew_rev)) < 0.01) {
      run->first = block, run->start_rev = start, ++run->tracks;
      return run;
    }
  }
  // A whole track, of another size perhaps, or the last part of one.
  Run before;
  before.first = block;
  before.slots = static_cast<std::uint32_t>(front);
  before.spares = spares_;
  const std::uint32_t whole = slots_like(pieces[0].around, pieces[0].around_error);
  if (pieces[0].around - spares_ - static_cast<double>(front) >
      std::max(1.5, 5 * pieces[0].around_error))
    before.spares += whole - static_cast<std::uint32_t>(front);
  before.start_rev =
      statistics::turn_rev(pieces[0].end_rev(block, before.around()) - 1.0 / before.around());
  push(before);
  return run;
}

// The first track that is not where the run has it, between one that is and one that is not.
std::uint32_t Mapper::first_wrong_track(const Run& run, std::uint32_t right, std::uint32_t wrong) {
  while (wrong - right > 1) {
    const std::uint32_t middle = right + (wrong - right) / 2;
    (prober_.check(run, middle).holds ? right : wrong) = middle;
  }
  return wrong;
}

// Farther and farther along the run, each time as far as its skew is known well enough, until a
// track is not where it should be. The skew is sharpened on the way.
void Mapper::follow(Run& run) {
  constexpr double kUnsure_rev = 0.012;
  if (run.tracks < 2) return;
  ++counts_.followed;
  const double sigma = frame_.jitter().sigma_rev;
  const Run base = run;
  Line line;
  const double walked = 12;  // readings of a walked track, about
  line.add(0, 0, walked), line.add(run.tracks - 1, 0, walked);
  const auto take_line = [&] {
    run.start_rev = statistics::turn_rev(base.start_rev + line.at(0));
    run.skew_rev = statistics::turn_rev(base.skew_rev + line.slope());
  };
  const auto note = [&](std::uint32_t track, const Verdict& seen) {
    // Along a long run more than half a turn: not to be wrapped.
    line.add(track, line.at(track) + seen.off_rev, seen.readings);
    take_line();
  };
  bool met_wrong = false;
  const auto is_right = [&](std::uint32_t track, std::uint32_t beyond) {
    const Verdict there = prober_.check(run, track, line.error_at(track, sigma), 2);
    if (!there.holds) return false;
    if (track > beyond + 2) {
      // By chance one in fifty fits. The one in front of it must, too, and, where it may be of
      // another band, the one halfway.
      const Line before = line;
      const Run was = run;
      note(track, there);
      const std::uint32_t halfway = beyond + (track - beyond) / 2;
      if (prober_.check(run, track - 1, line.error_at(track - 1, sigma)).holds &&
          (met_wrong || prober_.check(run, halfway, line.error_at(halfway, sigma)).holds))
        return true;
      line = before, run = was;
      return false;
    }
    note(track, there);
    return true;
  };
  std::uint32_t right = run.tracks - 1, wrong = tracks_left(run);
  while (right + 1 < wrong) {
    std::uint32_t next = met_wrong ? right + (wrong - right) / 2
                                   : std::min(right * 4 + 1, wrong - 1);
    while (next > right + 1 && line.error_at(next, sigma) > std::max(kUnsure_rev, 2 * sigma))
      next = right + std::max<std::uint32_t>(1, (next - right) / 2);
    const bool holds = is_right(next, right);
    if (!holds) met_wrong = true;
    (holds ? right : wrong) = next;
  }
  run.tracks = wrong;
  mend_losses(run);
}

// Sectors that the run has lost up to its last tracks, found and located.
void Mapper::mend_losses(Run& run) {
  if (run.tracks < 3) return;
  const std::uint32_t late = run.tracks - 2;
  const std::uint32_t from = first_of_late(late, run.tracks / 8);
  if (loss_finder_.none_lost(run, from, late)) return;
  const auto found = loss_finder_.lost_before(run, from, late, 0, run.slots + run.slots / 2);
  if (!found || found->lost == 0) return;
  loss_finder_.locate(run, 0, found->track, found->lost);
  ++counts_.losses;
}

// What seems to be missing at the run's end may have been lost in front of its last track: then the
// end of the track before that is already so many blocks early.
void Mapper::mend_tail(Run& run) {
  if (run.tail == 0 || run.tracks < 3) return;
  const std::uint32_t before_last = run.tracks - 2;
  const auto found = loss_finder_.lost_before(run, before_last, before_last, 0, run.tail);
  if (!found || found->lost == 0) return;
  run.tail -= found->lost;
  loss_finder_.locate(run, 0, before_last, found->lost);
  ++counts_.losses;
}

// An entry to another track turned by as much as the lost sectors looks like them, but that track
// is whole: its last blocks are not on the next one.
bool Mapper::enters_whole(const Run& run, const Piece& before, const Piece& behind,
                          std::uint32_t lost) {
  const std::uint64_t track = run.slot_of(before.last) / run.slots + 1;
  const auto due = run.block_at(track * run.slots);
  if (!due || *due <= before.last || *due > behind.first) return false;
  double odds = 0;
  for (std::uint32_t back = 1; back <= std::min<std::uint32_t>(3, lost); ++back) {
    const std::uint64_t block = *due + run.slots - back;
    if (const auto rev = prober_.angle(block))
      odds += frame_.jitter().evidence(
          statistics::wrap_rev(*rev - behind.end_rev(block, run.around())));
    if (std::abs(odds) > 3) break;
  }
  return odds > 0;
}

// Whether the pieces from that one on are tracks of the run with some sectors lost in between.
bool Mapper::explain_by_loss(Run& run, const std::vector<Piece>& pieces, std::size_t from) {
  const double sigma = frame_.jitter().sigma_rev;
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
  if (from > 0 && enters_whole(run, pieces[from - 1], pieces[from], lost)) return false;
  const std::uint64_t fits = from > 0 ? pieces[from - 1].last : pieces[from].first;
  const Place place = run.place_of(fits + (pieces[from].first - fits) / 2);
  // By the angle about so many; by the ends of the next tracks exactly.
  constexpr std::uint32_t kMoreOrLess = 4;
  const auto exact = loss_finder_.lost_before(run, place.track + 1, place.track + 2,
                                              lost - std::min(lost, kMoreOrLess),
                                              lost + kMoreOrLess);
  if (!exact || exact->lost == 0)
    return false;  // an entry turned by as much looks alike but for that
  lost = exact->lost;
  add_loss(run, place.track, lost, true);
  ++counts_.losses;
  return true;
}

// From the middle of the track on, or of the one in front of it where sectors are lost in its first
// half already.
Mapper::Behind Mapper::look_behind(Run& run, std::uint32_t track, Run& next) {
  constexpr double kTurns = 2.3, kMoreTurns = 3.5;
  const Behind behind = walk_behind(run, track, next, kTurns);
  if (behind == Behind::loss || behind == Behind::another_run) return behind;
  return walk_behind(run, track - (behind == Behind::wrong_there && track > 0 ? 1 : 0), next,
                     kMoreTurns);
}

namespace {

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

}  // namespace

Mapper::Behind Mapper::walk_behind(Run& run, std::uint32_t track, Run& next, double turns) {
  ++counts_.walks;
  const std::uint64_t from = middle_block(run, track);
  // Too near the end to tell.
  if (from + 4ull * run.slots >= end()) return Behind::not_understood;
  const double sigma = frame_.jitter().sigma_rev;
  const auto pieces = walker_.walk(from, run.around(), turns);
  const std::size_t deviates = first_deviating(pieces, run, sigma);
  if (deviates == pieces.size()) return Behind::nothing_new;
  if (deviates == 0) return Behind::wrong_there;
  if (explain_by_loss(run, pieces, deviates)) return Behind::loss;
  const Piece& before = pieces[deviates - 1];
  const auto first = border_behind(walker_, run, track, before, pieces[deviates]);
  if (!first) return Behind::not_understood;
  const auto found = run_from(pieces, deviates, *first);
  if (!found) return Behind::not_understood;
  if (const auto on = track_it_goes_on_with(run, *found, sigma)) {
    const Place hole = run.place_of(before.last + (*first - before.last) / 2);
    add_loss(run, hole.track, static_cast<std::uint32_t>(*on * run.slots - run.slot_of(*first)),
             true);
    ++counts_.losses;
    return Behind::loss;
  }
  if (!end_in_front_of(run, *first)) return Behind::not_understood;
  mend_tail(run);
  next = *found;
  next.same_band = is_of_same_band(next, run);
  return Behind::another_run;
}

// The last run is followed to its end, and the next one begun.
void Mapper::learn_one() {
  Run run = runs_.back();
  runs_.pop_back();
  follow(run);
  for (int tries = 0; tries < 12; ++tries) {
    if (run.tracks >= tracks_left(run)) {
      push(run);
      return;
    }
    Run next;
    switch (look_behind(run, run.tracks - 1, next)) {
      case Behind::another_run:
        push(run);
        push(next);
        return;
      case Behind::loss:
      case Behind::nothing_new:
        run.tracks += 2;
        follow(run);
        break;
      case Behind::wrong_there:
      case Behind::not_understood:
        push(run);
        anew();
        return;
    }
  }
  push(run);
  anew();
}

// A whole track, by its borders and its slope. What it lacks was lost, somewhere on it.
std::optional<Run> Mapper::single_track(const Piece& piece, std::uint64_t first,
                                        std::uint64_t border) const {
  const double sure = std::max(1.5, 5 * piece.around_error);
  const auto blocks = static_cast<double>(border - first);
  Run run;
  run.first = first;
  run.spares = spares_;
  run.slots = static_cast<std::uint32_t>(border - first);
  const double lacks = piece.around - spares_ - blocks;
  if (lacks < -sure || 2 * lacks > piece.around) return std::nullopt;
  if (lacks > sure) {
    run.slots = slots_like(piece.around, piece.around_error);
    run.tail = run.slots - static_cast<std::uint32_t>(border - first);
  }
  run.start_rev = statistics::turn_rev(piece.end_rev(first, run.around()) - 1.0 / run.around());
  return run;
}

// From the beginning of the last run, track after track, each by its own borders; the last one that
// is pushed has only begun.
void Mapper::learn_tracks() {
  constexpr double kTurns = 12.5;
  const Run begun = runs_.back();
  runs_.pop_back();
  const auto pieces = walker_.walk(begun.first, begun.around(), kTurns);
  ++counts_.walks;
  std::uint64_t first = begun.first;
  std::size_t index = 0;
  for (; index + 1 < pieces.size(); ++index) {
    const Piece &piece = pieces[index], &behind = pieces[index + 1];
    const auto border = walker_.border(piece, behind, piece.around, behind.around);
    if (!border || *border <= first) break;
    auto track = single_track(piece, first, *border);
    if (!track && index == 0 && *border < first + 2ull * begun.slots) {
      // The run before ends too early: what is left of its track, and this one.
      track = begun;
      track->tracks = 1, track->tail = 0, track->losses.clear();
      track->slots = static_cast<std::uint32_t>(*border - first);
    }
    if (!track) break;
    track->after_gap = index == 0 && begun.after_gap;
    push(*track);
    first = *border;
  }
  if (index == 0) {
    runs_.push_back(begun);
    learn_one();
    return;
  }
  Run last;
  last.first = first;
  last.spares = spares_;
  last.slots = slots_like(pieces[index].around, pieces[index].around_error);
  last.start_rev =
      statistics::turn_rev(pieces[index].end_rev(first, last.around()) - 1.0 / last.around());
  push(last);
}

// From the next block that is to be mapped, or behind what cannot be told: a track that lost many
// sectors, or a scratch over many tracks.
void Mapper::anew() {
  constexpr int kTries = 40, kNear = 8;
  ++counts_.begun_anew;
  lost_ = 0;
  std::uint64_t from = runs_.empty() ? 0 : runs_.back().end();
  std::uint64_t step = std::max<std::uint64_t>(200, runs_.empty() ? 0 : runs_.back().slots / 2);
  for (int tries = 0; tries < kTries && from < end(); ++tries) {
    if (auto run = begin_at(from)) {
      run->after_gap = true;
      push(*run);
      return;
    }
    if (tries >= kNear) step += step / 4;
    from += step;
  }
  if (runs_.empty())
    throw Error(ExitStatus::unsupported, "reads near the drive's beginning show no tracks");
}

// A run is begun behind the last one, which ends where it should.
void Mapper::begin_behind() {
  Run last = runs_.back(), next;
  if (last.tracks < tracks_left(last) &&
      look_behind(last, last.tracks - 1, next) == Behind::another_run) {
    runs_.back() = last;
    push(next);
    return;
  }
  if (!at_end()) anew();
}

void Mapper::push(Run run) {
  if (run.standing == Standing::seen) prober_.keep_frame_by(run);
  note_format(run);
  if (!run.same_band) count_last_band();
  runs_.push_back(std::move(run));
}

// Its tracks, be they of one run or of some, now that what is behind it is no part of it.
void Mapper::count_last_band() {
  if (runs_.size() <= counted_) return;  // what was behind it was taken back
  counted_ = runs_.size();
  if (runs_.empty() || !pattern_ || runs_.back().ring_place < 0) return;
  std::uint32_t tracks = runs_.back().tracks;
  for (std::size_t i = runs_.size() - 1; i > 0 && runs_[i].same_band; --i)
    tracks += runs_[i - 1].tracks;
  pattern_->count_tracks(static_cast<std::size_t>(runs_.back().ring_place), tracks,
                         runs_.back().standing);
}

// Parts of bands may have been taken for tracks of a size that the drive does not have.
bool Mapper::is_long(const Run& run) const {
  return pattern_ ? 2 * run.tracks >= pattern_->usual_tracks() : run.tracks > 1;
}

void Mapper::note_format(const Run& run) {
  if (is_long(run) && run.standing == Standing::seen) tracks_of_format_[run.slots] += run.tracks;
}

// Few tracks that lost a sector or two look like another format.
std::vector<std::uint32_t> Mapper::formats() const {
  constexpr std::uint32_t kMany = 4;
  std::vector<std::uint32_t> formats;
  for (const auto& [slots, tracks] : tracks_of_format_)
    if (tracks >= kMany) formats.push_back(slots);
  return formats;
}

// Where the order of the runs was lost, counting begins anew; unless that is too soon.
std::span<const Run> Mapper::since_gap(std::span<const Run> runs) {
  constexpr std::size_t kEnough = 24;
  std::size_t from = runs.size();
  while (from > 0 && !runs[from - 1].after_gap) --from;
  return runs.size() - from >= kEnough ? runs.subspan(from) : runs;
}

void Mapper::look_for_pattern() {
  pattern_ = Pattern::of(since_gap(std::span(runs_).first(runs_.size() - 1)));
  if (!pattern_) return;
  ++counts_.patterns;
  // The last run has only begun; the one before has the last place.
  Run& last = runs_[runs_.size() - 2];
  last.ring_place = static_cast<std::int32_t>(pattern_->last_place());
  runs_.pop_back();
  tracks_of_format_.clear();
  for (const Run& run : runs_) note_format(run);
  counted_ = runs_.size() - 1;
  gap_ = 4, streak_ = 0, settled_ = 0;
  surprising_ = 0;
  calm_pattern_ = pattern_;
  paced_from_ = {runs_.back().end(), drive_.now_ns()};
  calm_ = 0;
}

}  // namespace platter::layout_by_timing
