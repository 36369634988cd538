#include <algorithm>
#include <cstdint>
#include <span>

#include "layout_by_timing/following.h"
#include "layout_by_timing/mender.h"

namespace platter::layout_by_timing {
namespace {

class BandMender {
 public:
  BandMender(MapSoFar& map, Settler& settler, Run& band, std::span<const Reading> ends)
      : map_(map),
        settler_(settler),
        band_(band),
        ends_(ends),
        tracks_(std::min(band.tracks, map.tracks_left(band))) {}

  bool mend() {
    if (tracks_ < 3) return false;
    const std::uint32_t late = tracks_ - 2;
    const auto lost = map_.loss_finder.lost_before(band_, first_of_late(late, tracks_ / 8), late, 0,
                                                   band_.slots + band_.slots / 2, false, ends_);
    if (lost && lost->lost > 0 && (by_format(*lost) || by_loss(*lost))) return true;
    std::uint32_t right = 0;
    if (lost) right = lost->track;
    // It was the border's reading.
    if (right + 1 < tracks_ && holds_at(band_, tracks_ - 1)) return settled(band_, true);
    if (!(right > 0 && holds_at(band_, right))) right = 0;
    if (lost && lost->lost == 0 && right + 2 < tracks_ && by_track_in_turn()) return true;
    const std::uint32_t wrong = first_wrong_track(right);
    return by_earlier_end(wrong) || by_walk(wrong);
  }

 private:
  bool settled(const Run& run, bool as_expected) {
    settler_.settle(run, as_expected);
    return true;
  }
  bool settled_if_it_holds(Run& run) { return settler_.holds(run) && settled(run, true); }
  bool holds_at(const Run& run, std::uint32_t track) { return map_.prober.check(run, track).holds; }
  Run cut_to(std::uint32_t tracks) const {
    Run cut = band_;
    cut.tracks = tracks;
    cut.tail = 0;
    return cut;
  }
  RingPlace& place() { return map_.place_of(band_); }
  // Between one that is where the band has it, and the last, which is not.
  std::uint32_t first_wrong_track(std::uint32_t right) {
    std::uint32_t wrong = tracks_ - 1;
    while (wrong - right > 1) {
      const std::uint32_t middle = right + (wrong - right) / 2;
      (holds_at(band_, middle) ? right : wrong) = middle;
    }
    return wrong;
  }

  // As many on each track up to there: tracks of another size.
  bool by_format(const LossFinder::Found& found) {
    constexpr std::uint32_t kFewest = 3;
    const std::uint32_t tracks = found.track + 1;
    if (tracks < kFewest || found.lost % tracks != 0) return false;
    Run other = band_;
    other.slots -= found.lost / tracks;
    if (!holds_at(other, found.track / 2) || !settler_.holds(other)) return false;
    ++map_.counts.formats;
    return settled(other, false);
  }

  bool by_loss(const LossFinder::Found& found) {
    Run with = band_;
    add_loss(with, found.track / 2, found.lost, false);
    const bool to_its_end = holds_at(with, tracks_ - 1);
    if (!to_its_end && !holds_at(with, found.track)) return false;
    ++map_.counts.losses;
    if (settler_.is_short_of_time() && settled_if_it_holds(with)) return true;
    map_.loss_finder.locate(band_, 0, found.track, found.lost);
    return to_its_end ? settled(band_, true) : by_more_losses(found.track);
  }

  // More sectors may be lost behind that track.
  bool by_more_losses(std::uint32_t right) {
    const std::uint32_t last = std::min(band_.tracks, map_.tracks_left(band_)) - 1;
    for (int tries = 0; tries < 3; ++tries) {
      if (settled_if_it_holds(band_)) return true;
      if (right + 1 >= last) return false;
      const auto more = map_.loss_finder.lost_before(band_, last - 1, last - 1, 0,
                                                     band_.slots + band_.slots / 2);
      if (!more || more->lost == 0) return false;
      map_.loss_finder.locate(band_, right, last - 1, more->lost);
    }
    return false;
  }

  // Bands of a surface with tracks of its own width are a track shorter or longer in turn.
  bool by_track_in_turn() {
    for (std::uint32_t less = 1; less <= 2; ++less) {
      const Run cut = cut_to(tracks_ - less);
      if (!holds_at(cut, cut.tracks - 1)) continue;
      if (!map_.prober.begins_here(map_.pattern->next(cut))) break;
      ++map_.counts.shorter;
      return settled(cut, true);
    }
    return false;
  }

  // Shorter than it was: the next band begins here.
  bool by_earlier_end(std::uint32_t wrong) {
    const Run cut = cut_to(wrong);
    if (wrong + 12 <= tracks_ || !map_.prober.begins_here(map_.pattern->next(cut))) return false;
    ++map_.counts.shorter;
    return settled(cut, true);
  }

  bool by_walk(std::uint32_t wrong) {
    ++map_.counts.walked_on;
    Run cut = cut_to(wrong), next;
    switch (look_behind(map_, cut, wrong - 1, next)) {
      case Behind::loss:
        return goes_on_behind_loss(cut, wrong);
      case Behind::another_run:
        settler_.settle(cut, false);
        return (next.same_band && band_.tracks > cut.tracks) ||
                       map_.goes_on_with_band(map_.runs.back(), map_.tracks_of_last_band(), next)
                   ? goes_on_with(next, cut)
                   : next_band_is(next);
      case Behind::nothing_new:
      case Behind::wrong_there:
      case Behind::not_understood:
        break;
    }
    return false;
  }

  bool goes_on_behind_loss(Run& cut, std::uint32_t wrong) {
    cut.tracks = band_.tracks;
    cut.tail = band_.tail;
    if (settled_if_it_holds(cut)) return true;
    cut.tracks = wrong + 1;
    follow(map_, cut);
    return settled(cut, false);
  }

  // As many tracks as the band had left, or what is found of them; their number in its place stays
  // that of the whole band.
  bool goes_on_with(Run& next, const Run& cut) {
    Run rest = next;
    rest.tracks = band_.tracks - cut.tracks;
    rest.tail = band_.tail;
    rest.skew_rev = cut.tracks > 2 ? cut.skew_rev : place().skew_rev;
    rest.ring_place = band_.ring_place;
    if (!settler_.holds(rest)) {
      follow(map_, next);
      rest = next;
      rest.ring_place = band_.ring_place;
    }
    rest.same_band = true;
    map_.pattern->change_format(static_cast<std::size_t>(band_.ring_place), rest.slots,
                                rest.spares);
    map_.push(rest);
    place().tracks = band_.tracks;
    return true;
  }

  bool next_band_is(Run& next) {
    follow(map_, next);
    next.same_band = false;
    next.ring_place = map_.pattern->next(band_).ring_place;
    return settled(next, false);
  }

  MapSoFar& map_;
  Settler& settler_;
  Run& band_;
  const std::span<const Reading> ends_;  // of late tracks, seen where the band does not have them
  const std::uint32_t tracks_;  // of it up to the drive's end, when nothing of it was mended
};

}  // namespace

bool Mender::mend_inside(Run& band, std::span<const Reading> ends) {
  return BandMender(map_, settler_, band, ends).mend();
}

}  // namespace platter::layout_by_timing
