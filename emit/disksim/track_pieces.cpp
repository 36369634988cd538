#include "emit/disksim/track_pieces.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "emit/disksim/track_runs.h"
#include "model/error.h"

namespace platter::emit_disksim {
namespace {

// What DiskSim's files hold in one list; some 150 bytes each while they are written.
constexpr std::size_t kMostPieces = 5'000'000;

void require_at_most(std::size_t count, const char* what) {
  if (count <= kMostPieces) return;
  throw Error(ExitStatus::unsupported,
              fmt::format("the layout cannot be written for DiskSim: it has more than {} {}",
                          kMostPieces, what));
}

// Slots without a block.
struct Gap {
  std::uint64_t first, end;
  bool regular;  // one of several at equal distances
};

std::vector<Gap> gaps_of(const model::Layout& layout) {
  constexpr std::uint64_t kSeveral = 3;
  std::vector<Gap> gaps;
  for (const model::Skip& skip : layout.skips) {
    require_at_most(gaps.size() + skip.count, "runs of sectors without a block");
    for (std::uint64_t i = 0; i < skip.count; ++i) {
      const std::uint64_t first = skip.first_slot + i * skip.stride;
      gaps.push_back({first, first + skip.length, skip.count >= kSeveral});
    }
  }
  return gaps;
}

// Tracks that come at the same place of the layout's tree.
using Turn = std::pair<const model::LayoutNode*, std::uint32_t>;

// The sectors first..end-1 of a track.
struct Used {
  std::uint32_t first = 0, end = 0;

  bool holds(const Used& other) const { return first <= other.first && other.end <= end; }
};

class Cutter {
 public:
  Cutter(const model::Layout& layout, std::uint64_t slots)
      : slots_(slots), gaps_(gaps_of(layout)) {}

  void walk(const std::vector<model::LayoutNode>& nodes, const TrackPiece& from) {
    for (const model::LayoutNode& node : nodes) walk(node, from);
  }
  TrackPieces take() { return std::move(result_); }

 private:
  void walk(const model::LayoutNode& node, const TrackPiece& from) {
    const bool one_head = node.head_step == 0 &&
                          (node.cylinder_step == 1 || node.cylinder_step == -1);
    if (node.sectors > 0 && (one_head || node.count == 1)) {
      TrackPiece run = instance(node, from, 0);
      run.count = node.count;
      run.cylinder_step = node.count > 1 ? node.cylinder_step : 1;
      run.angle_step_rev = node.count > 1 ? fraction(node.angle_step_rev) : 0;
      return cut(run, {&node, 0});
    }
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const TrackPiece at = instance(node, from, i);
      if (node.sectors > 0) {
        cut(at, {&node, i});
      } else {
        walk(node.children, at);
      }
    }
  }

  static TrackPiece instance(const model::LayoutNode& node, const TrackPiece& from,
                             std::uint32_t i) {
    TrackPiece at;
    at.cylinder = from.cylinder + node.cylinder + static_cast<std::int32_t>(i) * node.cylinder_step;
    at.head = static_cast<std::uint32_t>(static_cast<std::int32_t>(from.head) + node.head +
                                         static_cast<std::int32_t>(i) * node.head_step);
    at.angle_rev = fraction(from.angle_rev + node.angle_rev + i * node.angle_step_rev);
    at.sectors = node.sectors;
    return at;
  }

  void cut(TrackPiece run, const Turn& turn) {
    run.first_slot = slot_;
    const std::uint64_t end = slot_ + std::uint64_t{run.count} * run.sectors;
    while (gap_ < gaps_.size() && gaps_[gap_].end <= slot_) ++gap_;
    slot_ = end;
    if (gap_ == gaps_.size() || gaps_[gap_].first >= end) {
      kept_[turn] = {0, run.sectors};
      return append(run, {0, run.sectors}, false);
    }
    TrackPiece track = run;
    track.count = 1;
    bool joins = false;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      track.first_slot = run.first_slot + std::uint64_t{i} * run.sectors;
      track.cylinder = run.cylinder + static_cast<std::int32_t>(i) * run.cylinder_step;
      track.angle_rev = fraction(run.angle_rev + i * run.angle_step_rev);
      if (const std::optional<Used> used = used_of(track, turn)) {
        append(track, *used, joins);
        joins = true;
      }
    }
  }

  // nullopt: no block at all. Where few sectors at an end are without a block, the places stay
  // those of the track before at this turn.
  std::optional<Used> used_of(const TrackPiece& track, const Turn& turn) {
    const std::uint64_t end = track.first_slot + track.sectors;
    while (gap_ < gaps_.size() && gaps_[gap_].end <= track.first_slot) ++gap_;
    Used used{0, track.sectors};
    bool regular = false;
    std::size_t gap = gap_;
    for (; gap < gaps_.size() && gaps_[gap].first <= track.first_slot + used.first; ++gap) {
      used.first = static_cast<std::uint32_t>(std::min(gaps_[gap].end, end) - track.first_slot);
      regular = regular || gaps_[gap].regular;
      if (used.first == track.sectors) return std::nullopt;
    }
    for (std::size_t next = gap; next < gaps_.size() && gaps_[next].first < end; ++next)
      gap = next + 1;
    for (; gap > gap_ && gaps_[gap - 1].end >= track.first_slot + used.end; --gap) {
      used.end = static_cast<std::uint32_t>(gaps_[gap - 1].first - track.first_slot);
      regular = regular || gaps_[gap - 1].regular;
    }
    const bool last_track = !gaps_.empty() && gaps_.back().end == slots_ &&
                            gaps_.back().first <= track.first_slot + used.end;
    const auto kept = kept_.find(turn);
    if (kept != kept_.end() && !regular && !last_track && kept->second.holds(used) &&
        kept->second.end - kept->second.first - (used.end - used.first) <= kFewSectors)
      return kept->second;
    kept_[turn] = used;
    return used;
  }

  // `joins`: to the piece before, where it carries on from it.
  void append(TrackPiece track, const Used& used, bool joins) {
    track.left_out = used.first;
    track.places = used.end - used.first;
    track.angle_rev = fraction(track.angle_rev + static_cast<double>(used.first) / track.sectors);
    if (track.count == 1) append_slips(track);
    result_.places += std::int64_t{track.count} * track.places;
    if (joins && follows(result_.pieces.back(), track)) {
      ++result_.pieces.back().count;
    } else {
      result_.pieces.push_back(track);
      require_at_most(result_.pieces.size(), "tracks that do not continue a run of one head");
    }
  }

  // Of tracks of one run.
  static bool follows(const TrackPiece& piece, const TrackPiece& track) {
    return piece.left_out == track.left_out && piece.places == track.places &&
           piece.cylinder + static_cast<std::int32_t>(piece.count) * piece.cylinder_step ==
               track.cylinder;
  }

  void append_slips(const TrackPiece& track) {
    const std::uint64_t first = track.first_slot + track.left_out, end = first + track.places;
    for (std::size_t gap = gap_; gap < gaps_.size() && gaps_[gap].first < end; ++gap) {
      const std::uint64_t from = std::max(first, gaps_[gap].first),
                          to = std::min(end, gaps_[gap].end);
      if (from >= to) continue;
      const std::int64_t place = result_.places + static_cast<std::int64_t>(from - first);
      const auto count = static_cast<std::int64_t>(to - from);
      auto& slips = result_.slips;
      if (!slips.empty() && slips.back().place + slips.back().count == place) {
        slips.back().count += count;
      } else {
        slips.push_back({place, count});
      }
    }
  }

  static constexpr std::uint32_t kFewSectors = 16;

  std::uint64_t slots_;
  std::vector<Gap> gaps_;
  std::size_t gap_ = 0;  // the first that does not end in front of slot_
  std::uint64_t slot_ = 0;
  std::map<Turn, Used> kept_{};
  TrackPieces result_{};
};

}  // namespace

TrackPieces track_pieces(const model::Layout& layout, std::uint64_t slots) {
  Cutter cutter(layout, slots);
  cutter.walk(layout.zones, {});
  return cutter.take();
}

}  // namespace platter::emit_disksim
