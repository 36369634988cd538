// In which order the tracks of a zone are filled: a few tracks that were met at its start, then a
// cycle that repeats with a constant step. One form for head-first cylinders (cycle of H tracks),
// cylinder serpentines (2 H) and surface serpentines (bands of tracks on one surface).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/drive_model.h"

namespace platter::layout {

struct TrackPlace {
  std::int64_t cylinder = 0, head = 0;
  auto operator<=>(const TrackPlace&) const = default;
};

class TrackOrder {
 public:
  TrackOrder() = default;
  // Tracks met so far, in order; what follows is learned from them.
  explicit TrackOrder(std::vector<TrackPlace> met);

  // The track number `track`; places that no drive has (negative numbers) where the guess is wrong.
  TrackPlace at(std::uint64_t track) const;
  // The first track not before `from` that lies there.
  std::optional<std::uint64_t> find(TrackPlace place, std::uint64_t from = 0) const;

  // Tracks before `track` stay what they are, `place` is track number `track`; the guess of what
  // follows is made anew.
  void continue_with(std::uint64_t track, TrackPlace place);
  // The same without a guess: for tracks that follow no rule.
  void append(TrackPlace place);
  // The orders in which tracks before `track` stay what they are and `place` is track number
  // `track`, though the cycle has another there (a cylinder left out turns a serpentine round): all
  // since an earlier such break comes again, the latest of them first, or a part of the cycle goes
  // on. None where too many tracks would be listed one by one; as many as `most`.
  std::vector<TrackOrder> continued_at(std::uint64_t track, TrackPlace place,
                                       std::size_t most) const;
  // The orders that begin with `tracks`, one or more, and go on as some part of this cycle does;
  // those that begin where it breaks, or where one of its runs begins, come first. As many as
  // `most`: each is as long as the cycle.
  std::vector<TrackOrder> restarts(std::span<const TrackPlace> tracks, std::size_t most) const;

  std::size_t cycle() const { return cycle_.size(); }    // tracks of one repetition
  std::int64_t head_step() const { return head_step_; }  // from one repetition to the next
  std::size_t met_before_cycle() const { return prefix_.size(); }
  bool is_inherited() const { return inherited_; }  // from another zone
  // The first track behind `track` where each repetition goes on otherwise than it did before: an
  // order that was taken at another phase shows there.
  std::optional<std::uint64_t> break_behind(std::uint64_t track) const;
  // So many tracks must be seen one by one before jumps may be taken.
  std::uint64_t tracks_to_walk() const {
    return inherited_ ? 0 : prefix_.size() + 2 * cycle_.size() + 1;
  }
  // Cylinders move on evenly, and `tracks` tracks are enough to know.
  bool repeated(std::uint64_t tracks) const;

  // Tracks that lie before track 0 in the same sweep over the heads of one cylinder, and after
  // `tracks` tracks until that sweep ends: both belong to the drive though no block is there.
  std::uint64_t missing_before() const;
  std::uint64_t missing_after(std::uint64_t tracks) const;
  TrackOrder extended_back(std::uint64_t tracks) const;

  // The first `tracks` tracks as one node (a zone) of the model.
  model::LayoutNode node(std::uint64_t tracks,
                         const std::function<std::uint32_t(TrackPlace)>& sectors_of) const;

 private:
  void guess();
  std::size_t guessed_period() const;
  void normalize();
  bool starts_run(std::size_t position) const;
  std::vector<bool> breaks_of_cycle() const;
  std::vector<bool> bands_of_cycle(std::size_t phase) const;  // by its positions
  TrackPlace cyclic(std::int64_t index) const;  // index 0: first track of the cycle; may be
                                                // negative

  std::optional<std::uint64_t> find_listed(TrackPlace place, std::uint64_t from) const;
  std::optional<std::uint64_t> find_repeated(TrackPlace place, std::uint64_t from) const;
  // Of position `i` of the cycle, if it lies there in some repetition.
  std::optional<std::uint64_t> track_of(TrackPlace place, std::size_t position) const;
  bool is_indexed() const;
  void changed() { index_.reset(), sought_ = 0; }

  // Where each place of prefix and cycle is, for orders that are searched often: those of large
  // drives are of thousands. Copies share it until one of them changes.
  struct Index;
  mutable std::shared_ptr<const Index> index_;
  mutable std::uint32_t sought_ = 0;  // since the last change

  std::vector<TrackPlace> prefix_, cycle_;
  std::int64_t cylinder_step_ = 0, head_step_ = 0;
  bool inherited_ = false;  // known from the zone before
  // Tracks where it went on otherwise than its cycle then; those behind the prefix, up to one cycle
  // further, come again.
  std::vector<std::uint64_t> breaks_;
};

}  // namespace platter::layout
