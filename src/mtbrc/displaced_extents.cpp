#include "mtbrc/displaced_extents.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "estimate/sector_end.h"
#include "estimate/write_seeks.h"
#include "model/stand_ins.h"
#include "mtbrc/home_reads.h"
#include "statistics/circular.h"

namespace platter::mtbrc {
namespace {

constexpr double kFound_bytes = 10e6;  // from that length on none lies between two probes
constexpr double kLeastStep_bytes = 2e6;
constexpr std::uint64_t kSharp_bytes = 64 << 10;
// Shorter than these are blocks that the drive has replaced one by one.
constexpr std::uint64_t kShortest_bytes = 256 << 10;
constexpr double kProbe_s = 1.1e-3;

constexpr double kTells_rev = 0.06;   // more, a seek is told from another
constexpr double kMargin_rev = 0.01;  // what comes later than aimed at has not come in time

class ExtentSearch {
 public:
  ExtentSearch(Context& context, const model::DriveModel& model)
      : context_(context),
        model_(model),
        home_(context),
        map_(*context.map),
        widening_(std::max(1.0, needs_s() / left_s())) {}

  DisplacedExtents run() {
    std::uint64_t next_report = 0, lbn = first_told();
    leave_untold(0, lbn);
    for (told_to_ = lbn; lbn < map_.blocks() && !out_of_time(); lbn += step(lbn)) {
      if (lbn >= next_report) {
        context_.report("displaced extents",
                        static_cast<double>(lbn) / static_cast<double>(map_.blocks()));
        next_report = lbn + map_.blocks() / 100;
      }
      take(lbn, state_at(lbn));
    }
    if (lbn < map_.blocks()) leave_untold(std::max(told_to_, std::min(lbn, at_lbn_)));
    if (began_) end_extent(map_.blocks());
    if (untold_from_) leave_untold(*untold_from_);
    return std::move(found_);
  }

 private:
  enum class State : std::uint8_t { home, away, untold };

  std::uint64_t step(std::uint64_t lbn) {
    const std::uint32_t sectors = map_.track_of_slot(map_.slot_of_lbn(lbn)).sectors;
    const double track_bytes = static_cast<double>(sectors) * context_.drive.block_bytes();
    const double bytes = widening_ * std::max(kLeastStep_bytes, kFound_bytes - track_bytes);
    const auto blocks = static_cast<std::uint64_t>(bytes / context_.drive.block_bytes());
    found_.from_blocks = std::max(found_.from_blocks, blocks + sectors);
    return blocks;
  }
  double needs_s() const {
    return displaced_extents_s(static_cast<double>(map_.blocks()) * context_.drive.block_bytes());
  }
  double left_s() const {
    constexpr double kUsable = 0.8;
    if (context_.deadline_ns == 0) return needs_s();
    const Nanoseconds left_ns = context_.deadline_ns - context_.drive.now_ns();
    return std::max(1e-3, kUsable * static_cast<double>(left_ns) * 1e-9);
  }
  bool out_of_time() const {
    return context_.deadline_ns != 0 && context_.drive.now_ns() > context_.deadline_ns;
  }

  // Where the arm is at the outer edge as soon as on another track, blocks that are away come in
  // time, too.
  std::uint64_t first_told() {
    std::uint64_t lbn = 0;
    while (lbn < map_.blocks() &&
           seek_to_edge_rev(map_.track_of_slot(map_.slot_of_lbn(lbn))) < seek_rev(1) + kTells_rev)
      lbn += step(lbn);
    return std::min(lbn, map_.blocks());
  }
  double seek_to_edge_rev(const engine::Track& track) const {
    constexpr double kOfSeek = 0.85;  // by what tells it from shorter ones
    return kOfSeek * seek_rev(track.cylinder);
  }

  // What the probe at `at_lbn_`, behind `told_to_`, makes of the stretch between.
  void take(std::uint64_t lbn, State state) {
    if (began_ && state != State::away) end_extent(edge(at_away_, at_lbn_, false));
    if (state == State::away) {
      if (!began_) began_ = edge(std::min(told_to_, at_lbn_), at_lbn_, true);
      at_away_ = at_lbn_;
    }
    if (state == State::untold) {
      if (!untold_from_) untold_from_ = told_to_;
      return;
    }
    if (untold_from_) leave_untold(*untold_from_, state == State::away ? *began_ : at_lbn_);
    untold_from_.reset();
    told_to_ = std::max(lbn, at_lbn_);
    // From the one before it, all that was done so far.
    if (state == State::home) start_from(map_.track_of_slot(map_.slot_of_lbn(at_lbn_)));
  }

  // From its blocks up to the last probe, or those of the track before: what follows may be away.
  // Not by an extent's end, where neither may have blocks at home.
  void start_from(const engine::Track& track) {
    const std::uint64_t first = map_.lbn_at_or_after_slot(track.first_slot);
    if (is_known_away(first) || (first > 0 && is_known_away(first - 1))) return;
    home_track_ = track;
    home_lbn_ = at_lbn_;
  }

  void end_extent(std::uint64_t end) {
    const std::uint64_t blocks = end > *began_ ? end - *began_ : 0;
    const std::uint64_t bytes = blocks * context_.drive.block_bytes();
    if (bytes >= kShortest_bytes && is_away_within(*began_, end))
      found_.extents.push_back({*began_, end - 1});
    else
      leave_untold(*began_, end);
    began_.reset();
  }
  // Most of some blocks of it; each may be one that the drive has replaced.
  bool is_away_within(std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t kPlaces = 4;
    std::uint64_t away = 0;
    for (std::uint64_t i = 1; i < kPlaces; ++i)
      away += located(begin + (end - begin) / kPlaces * i) == State::away ? 1 : 0;
    return 2 * away >= kPlaces;
  }
  void leave_untold(std::uint64_t from) { leave_untold(from, map_.blocks()); }
  void leave_untold(std::uint64_t from, std::uint64_t to) {
    if (to > from) found_.untold.push_back({from, to - 1});
  }

  // A probe of that track. One that is not at home at once, or may come from somewhere else than
  // home, is looked at from there; by another block, for one may have been replaced. A map that was
  // made since may have blocks that are away at the angle where they are.
  State state_at(std::uint64_t lbn) {
    constexpr std::uint64_t kApart = 3;
    note_where_the_arm_is();
    const engine::Track track = map_.track_of_slot(map_.slot_of_lbn(lbn));
    const bool tells = arm_is_home_ && tells_from(at_, track) &&
                       seek_to_edge_rev(at_) > move_rev(at_, track) + lead_rev_ + 2 * kMargin_rev;
    at_lbn_ = passing_next(lbn);
    if (tells) {
      const Nanoseconds before_ns = context_.drive.now_ns();
      const auto miss_rev = home_.miss_rev(at_lbn_);
      const bool in_time = miss_rev && since_rev(before_ns) <= aimed_rev_ + kMargin_rev;
      if (miss_rev) follow(in_time);
      if (in_time && std::abs(*miss_rev) <= kAtHome_rev) return State::home;
      const std::uint64_t apart = kApart * context_.write_unit();
      if (at_lbn_ >= apart) at_lbn_ -= apart;
    }
    const State state = located(at_lbn_);
    arm_is_home_ = state == State::home;
    return state;
  }

  // Whether the arm is sooner there than at the outer edge: from the run's reference it may not be.
  bool tells_from(const engine::Track& from, const engine::Track& to) const {
    return seek_to_edge_rev(from) > move_rev(from, to) + kTells_rev;
  }
  double since_rev(Nanoseconds before_ns) const {
    return static_cast<double>(context_.drive.now_ns() - before_ns) / context_.period_ns();
  }
  // The lead follows what reads take: of a hundred one comes too late, and waits for a whole turn.
  void follow(bool in_time) {
    constexpr double kMore_rev = 0.006, kLess_rev = 0.0001, kLeast_rev = 0.01, kMost_rev = 0.5;
    lead_rev_ = std::clamp(lead_rev_ + (in_time ? -kLess_rev : kMore_rev), kLeast_rev, kMost_rev);
  }
  void note_where_the_arm_is() {
    const std::uint64_t commands = context_.drive.commands();
    home_.refreshed_ns();
    if (context_.drive.commands() == commands) return;
    at_ = map_.track_of_slot(map_.slot_of_lbn(home_.reference_lbn()));
    arm_is_home_ |= home_track_.sectors > 0;
  }

  // On the track of that block: the sector that comes by when the arm is there.
  std::uint64_t passing_next(std::uint64_t lbn) {
    const engine::Track track = map_.track_of_slot(map_.slot_of_lbn(lbn));
    const double lead_rev = move_rev(at_, track) + lead_rev_;
    aimed_rev_ = lead_rev + 1.0 / track.sectors;
    at_ = track;
    return at_angle(track, home_.angle_rev(context_.drive.now_ns()) + lead_rev).value_or(lbn);
  }

  // The block of that track that begins there, or at the next one before.
  std::optional<std::uint64_t> at_angle(const engine::Track& track, double angle_rev) const {
    constexpr std::uint64_t kTries = 8;
    const double part = statistics::turn_rev(angle_rev - engine::rev_from_angle(track.angle));
    const auto slot = std::min(static_cast<std::uint64_t>(part * track.sectors),
                               std::uint64_t{track.sectors} - 1);
    for (std::uint64_t i = 0; i <= std::min(slot, kTries); ++i) {
      const auto lbn = map_.lbn_of_slot(track.first_slot + slot - i);
      if (lbn && !map_.is_remapped(*lbn)) return lbn;
    }
    return std::nullopt;
  }

  double switch_rev() const {
    return model::acting(model_, model_.head_switch).value * 1e6 / context_.period_ns();
  }
  double seek_rev(std::int64_t cylinders) const {
    return cylinders == 0
               ? 0
               : estimate::read_seek(model_, cylinders).value * 1e6 / context_.period_ns();
  }
  double move_rev(const engine::Track& from, const engine::Track& to) const {
    const double seek = seek_rev(std::int64_t{to.cylinder} - from.cylinder);
    return to.head == from.head ? seek : std::max(seek, switch_rev());
  }

  // From tracks at home nearby, so long before the block comes by as the arm needs to where the map
  // has it, and longer: as to other heads, where it does not reach the outer edge meanwhile; else
  // from bands of all heads, since the map may have that of the block wrong. Blocks nearby come in
  // time once that is aimed at where they were seen. Near the outer edge, where the media cache may
  // be, that tells nothing.
  State located(std::uint64_t lbn) {
    constexpr double kMore_rev = 0.02;
    const engine::Track track = map_.track_of_slot(map_.slot_of_lbn(lbn));
    if (home_track_.sectors == 0) home_track_ = track;  // it has to be believed once
    const double near_rev = move_rev(home_track_, track) + lead_rev_ + kMore_rev;
    const double other_head_rev = std::max(near_rev, switch_rev() + lead_rev_ + kMore_rev);
    const double edge_rev = seek_to_edge_rev(home_track_);
    std::vector<Start> starts(3, {home_track_, near_rev});
    if (edge_rev > other_head_rev) {
      starts.resize(5, {home_track_, (other_head_rev + edge_rev) / 2});
    } else {
      for (const engine::Track& start : tracks_of_bands()) {
        const double seek = seek_rev(std::int64_t{track.cylinder} - start.cylinder);
        const double edge = seek_to_edge_rev(start);
        if (edge > seek + kTells_rev)
          starts.insert(
              starts.end(), 2,
              {start, std::max(seek + lead_rev_ + kMore_rev, (seek + lead_rev_ + edge) / 2)});
      }
    }
    double miss_rev = 0;
    bool read = false, near = false;
    for (const Start& start : starts) {
      const auto in_time = comes_in_time(start, lbn, miss_rev);
      if (in_time.value_or(false) && std::abs(miss_rev) <= kAtHome_rev) return State::home;
      read |= in_time.has_value();
      near |= in_time.value_or(false);
    }
    return read && !near && tells_from(home_track_, track) ? State::away : State::untold;
  }

  struct Start {
    engine::Track track;
    double lead_rev = 0;  // so long before the block comes by
  };
  // Of the bands of tracks before that of the last probe at home, two for each head: its last
  // track.
  const std::vector<engine::Track>& tracks_of_bands() {
    constexpr int kMostTracks = 20'000;
    if (of_bands_slot_ == home_track_.first_slot) return of_bands_;
    of_bands_slot_ = home_track_.first_slot;
    of_bands_.clear();
    engine::Track track = home_track_;
    for (int i = 0; i < kMostTracks && track.first_slot > 0; ++i) {
      const std::uint32_t head = track.head;
      track = map_.track_of_slot(track.first_slot - 1);
      if (track.head == head || is_known_not_home(map_.lbn_at_or_after_slot(track.first_slot)))
        continue;
      of_bands_.push_back(track);
      if (of_bands_.size() == std::size_t{2} * map_.heads()) break;
    }
    return of_bands_;
  }
  static bool hold(const std::vector<LbnRange>& ranges, std::uint64_t lbn) {
    return std::ranges::any_of(ranges,
                               [lbn](const LbnRange& range) { return range.holds(lbn, 1); });
  }
  bool is_known_away(std::uint64_t lbn) const { return hold(found_.extents, lbn); }
  bool is_known_not_home(std::uint64_t lbn) const {
    return is_known_away(lbn) || hold(found_.untold, lbn);
  }

  // `miss_rev`: by how much later than by the map it was seen; then is seen.
  std::optional<bool> comes_in_time(const Start& start, std::uint64_t lbn, double& miss_rev) {
    const double end_rev = estimate::sector_end_rev(map_, physical_last(lbn)) + miss_rev;
    home_.refreshed_ns();
    const auto width_rev = wait_at_home(start, end_rev);
    if (!width_rev) return std::nullopt;
    const Nanoseconds before_ns = context_.drive.now_ns();
    const auto missed_rev = home_.miss_rev(lbn);
    if (!missed_rev) return std::nullopt;
    miss_rev = *missed_rev;
    return since_rev(before_ns) <= start.lead_rev + 2 * *width_rev + kMargin_rev;
  }
  // A read that ends so long before that angle, and a little more, on that track at home or on one
  // before it, if there is time for another head: behind the last probe, an extent may begin on the
  // track itself. The width of a block there.
  std::optional<double> wait_at_home(const Start& start, double angle_rev) {
    constexpr int kTracks = 3;
    engine::Track track = start.track;
    for (int i = 0; i < kTracks; ++i) {
      const double width_rev = 1.0 / track.sectors;
      const auto from = at_angle(track, angle_rev - start.lead_rev - 2 * width_rev);
      const bool goes_on = track.first_slot > 0 && has_time(start, track.first_slot - 1);
      if (from && (*from <= home_lbn_ || !goes_on) && !is_known_away(*from)) {
        const auto miss_rev = home_.miss_rev(*from);
        at_ = track;
        if (miss_rev && std::abs(*miss_rev) <= kAtHome_rev) return width_rev;
      }
      if (!goes_on) break;
      track = map_.track_of_slot(track.first_slot - 1);
    }
    return std::nullopt;
  }
  bool has_time(const Start& start, std::uint64_t slot) const {
    return map_.track_of_slot(slot).head == start.track.head ||
           start.lead_rev >= switch_rev() + lead_rev_;
  }
  std::uint64_t physical_last(std::uint64_t lbn) const {
    return std::min(context_.drive.physical_blocks().covering(lbn, 1).last, map_.blocks() - 1);
  }

  // Between a block that is away and one that is not, the first that is as the second.
  std::uint64_t edge(std::uint64_t low, std::uint64_t high, bool high_is_away) {
    const std::uint64_t sharp = std::max<std::uint64_t>(
        context_.write_unit(), kSharp_bytes / context_.drive.block_bytes());
    while (high - low > sharp) {
      const std::uint64_t middle = low + (high - low) / 2;
      ((located(middle) == State::away) == high_is_away ? high : low) = middle;
    }
    return high;
  }

  Context& context_;
  const model::DriveModel& model_;
  HomeReads home_;
  const engine::LayoutMap& map_;
  double widening_;  // of the step, where time is short
  double lead_rev_ = 0.05, aimed_rev_ = 0;
  bool arm_is_home_ = false;               // else it may be where blocks are that are away
  engine::Track at_{}, home_track_{};      // the arm's; the last one that was at home
  std::vector<engine::Track> of_bands_{};  // before the one that begins there:
  std::uint64_t of_bands_slot_ = UINT64_MAX;
  std::uint64_t at_lbn_ = 0, told_to_ = 0;  // the last probe; the last of which something is known
  std::uint64_t home_lbn_ = UINT64_MAX;     // the last probe from whose track others are told
  std::uint64_t at_away_ = 0;               // the last one of an extent
  std::optional<std::uint64_t> began_{};    // the extent that goes on
  std::optional<std::uint64_t> untold_from_{};
  DisplacedExtents found_;
};

}  // namespace

double displaced_extents_s(double bytes) { return kProbe_s * bytes / (0.8 * kFound_bytes); }

DisplacedExtents find_displaced_extents(Context& context, const model::DriveModel& model) {
  return ExtentSearch(context, model).run();
}

}  // namespace platter::mtbrc
