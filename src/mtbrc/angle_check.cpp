#include "mtbrc/angle_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "estimate/layout_angles.h"
#include "estimate/rotation.h"
#include "estimate/samples.h"
#include "estimate/sector_end.h"
#include "model/validate.h"
#include "mtbrc/rotation.h"
#include "statistics/circular.h"

namespace platter::mtbrc {
namespace {

constexpr double kHarmless_rev = 1.0 / 500;  // single reads after a seek have a tail of their own

void forget_errors(model::LayoutNode& node) {
  node.angle_error_rev.reset();
  node.angle_step_error_rev.reset();
  for (model::LayoutNode& child : node.children) forget_errors(child);
}

// Without the worst sixth, which something may have disturbed.
double rms_of_most(std::vector<double> misses) {
  std::ranges::sort(misses);
  misses.resize(misses.size() - misses.size() / 6);
  const double squares = std::inner_product(misses.begin(), misses.end(), misses.begin(), 0.0);
  return std::sqrt(squares / static_cast<double>(misses.size()));
}

class Check {
 public:
  Check(Context& context, Accesses& accesses, ReferenceReads& reference,
        const std::vector<bool>& left, double noise_rev, estimate::LayoutAngles& found)
      : context_(context),
        accesses_(accesses),
        reference_(reference),
        left_(left),
        noise_rev_(noise_rev),
        found_(found),
        map_(found.layout),
        starts_(model::zone_starts(found.layout)),
        misses_(found.layout.zones.size()) {
    starts_.push_back(map_.slots());
    reference_width_rev_ = estimate::on_track(map_, reference.lbn()).width_rev;
  }

  void run() {
    // Of wrong tracks, two in a hundred, one is among so many with a chance of nine tenths.
    constexpr std::size_t kReads = 120, kWhereTimeIsShort = 48;
    const std::size_t reads = context_.limited() ? kWhereTimeIsShort : kReads;
    for (std::size_t i = 0; i < reads; ++i)
      read(std::uniform_int_distribution<std::uint64_t>(0, map_.slots() - 1)(context_.random));
    judge_zones();
    tell_odd_tracks();
  }

 private:
  void judge_zones() {
    constexpr std::size_t kOfSuspect = 12, kOfEach = 4;
    look_into_suspects(kOfSuspect);
    if (refuted().empty()) return;
    read_anew(refuted(), kOfSuspect);
    if (refuted().empty()) return;
    // Where one is wrong others may be, in which hardly any sector was read.
    for (std::size_t zone = 0; zone < misses_.size(); ++zone) read_in(zone, kOfEach);
    look_into_suspects(kOfSuspect);
    leave_out(refuted());
  }

  bool is_judged(std::size_t zone) const {
    return !(zone < left_.size() && left_[zone]) && found_.zone_error_rev[zone] < 1;
  }
  double bound_rev(std::size_t zone) const {
    return std::max(kHarmless_rev, 3 * std::hypot(noise_rev_, found_.zone_error_rev[zone]));
  }
  std::uint64_t slots_of(std::size_t zone) const { return starts_[zone + 1] - starts_[zone]; }

  // A sector's track, and how far behind its place the sector ends.
  struct Miss {
    engine::Track track;
    double off_rev = 0;
  };

  std::optional<Miss> miss_at(std::uint64_t slot) {
    const std::uint64_t lbn = map_.lbn_at_or_after_slot(slot);
    if (lbn >= map_.blocks() || map_.is_remapped(lbn)) return std::nullopt;
    if (context_.reads_once && !is_fresh(context_, lbn)) return std::nullopt;
    const engine::Track track = map_.track_of_slot(map_.slot_of_lbn(lbn));
    if (!is_judged(track.zone)) return std::nullopt;
    reference_.refresh();
    const std::uint32_t session = context_.session;
    const auto sample = accesses_.probe(estimate::Experiment::other, lbn);
    if (!sample || context_.session != session) return std::nullopt;
    return Miss{track,
                statistics::wrap_rev(estimate::phase_rev(context_.rotation, sample->completed_ns) -
                                     reference_.phase_rev() + reference_width_rev_ -
                                     estimate::sector_end_rev(map_, lbn))};
  }

  void read(std::uint64_t slot) {
    constexpr double kWrong_rev = 1.0 / 125;
    const auto miss = miss_at(slot);
    if (!miss) return;
    misses_[miss->track.zone].push_back(std::abs(miss->off_rev));
    if (std::abs(miss->off_rev) > std::max(kWrong_rev, 2 * bound_rev(miss->track.zone)))
      odd_.push_back(*miss);
  }

  // Whether other sectors of its track are off by as much, which is more than one that is where it
  // should be: else something had disturbed the read.
  bool is_confirmed(const Miss& odd) {
    constexpr int kAlike = 2, kReads = 4;
    std::uniform_int_distribution<std::uint64_t> anywhere(0, odd.track.sectors - 1);
    int alike = 0;
    for (int i = 0; i < kReads && alike < kAlike; ++i) {
      const auto again = miss_at(odd.track.first_slot + anywhere(context_.random));
      if (again && again->track.first_slot == odd.track.first_slot &&
          std::abs(statistics::wrap_rev(again->off_rev - odd.off_rev)) < bound_rev(odd.track.zone))
        ++alike;
    }
    return alike == kAlike;
  }

  // Tracks that lie elsewhere in zones whose other tracks do not.
  void tell_odd_tracks() {
    constexpr std::size_t kMost = 16;
    std::size_t wrong = 0, looked = 0;
    double most_rev = 0;
    for (const Miss& odd : odd_) {
      if (!is_judged(odd.track.zone)) continue;
      if (looked++ == kMost) break;
      if (!is_confirmed(odd)) continue;
      ++wrong;
      most_rev = std::max(most_rev, std::abs(odd.off_rev));
    }
    if (wrong == 0) return;
    std::size_t reads = 0;
    for (const std::vector<double>& misses : misses_) reads += misses.size();
    found_.notes.emplace_back(
        model::Code::angles_odd,
        fmt::format("angles: {} of {} sectors, read to check them, lie up to {:.3f} revolutions "
                    "from where the layout has them, and others of their tracks as well: some "
                    "tracks do not follow their zone's rule",
                    wrong, reads, most_rev));
  }

  void read_in(std::size_t zone, std::size_t reads) {
    if (!is_judged(zone)) return;
    const std::size_t tries = 2 * reads;
    for (std::size_t i = 0; i < tries && misses_[zone].size() < reads; ++i)
      read(std::uniform_int_distribution<std::uint64_t>(starts_[zone],
                                                        starts_[zone + 1] - 1)(context_.random));
  }

  // Time may have jumped behind a look at the reference, and all reads up to the next be off by
  // that.
  void read_anew(const std::vector<std::size_t>& zones, std::size_t reads) {
    for (const std::size_t zone : zones) {
      misses_[zone].clear();
      reference_.refresh_now();
      read_in(zone, reads);
    }
  }

  void look_into_suspects(std::size_t reads) {
    for (std::size_t zone = 0; zone < misses_.size(); ++zone)
      if (std::ranges::any_of(misses_[zone], [&](double miss) { return miss > bound_rev(zone); }))
        read_in(zone, reads);
  }

  std::vector<std::size_t> refuted() const {
    constexpr std::size_t kFewest = 4;
    std::vector<std::size_t> zones;
    for (std::size_t zone = 0; zone < misses_.size(); ++zone)
      if (misses_[zone].size() >= kFewest && rms_of_most(misses_[zone]) > bound_rev(zone))
        zones.push_back(zone);
    return zones;
  }

  void leave_out(const std::vector<std::size_t>& zones) {
    std::vector<double> off;
    for (const std::size_t zone : zones) {
      forget_errors(found_.layout.zones[zone]);
      found_.zone_error_rev[zone] = 1;
      off.insert(off.end(), misses_[zone].begin(), misses_[zone].end());
    }
    double squares = 0, slots = 0;
    for (std::size_t zone = 0; zone < misses_.size(); ++zone) {
      if (found_.zone_error_rev[zone] >= 1) continue;
      const auto own = static_cast<double>(slots_of(zone));
      squares += own * found_.zone_error_rev[zone] * found_.zone_error_rev[zone];
      slots += own;
    }
    found_.complete = false;
    model::Parameter& angle = found_.layout.angle;
    const bool nothing_is_left = slots == 0;
    angle.error = nothing_is_left ? rms_of_most(off) : std::sqrt(squares / slots);
    angle.reason = nothing_is_left ? "sectors that were read to check the angles lie elsewhere"
                                   : "sectors that were read to check the angles of some zones lie "
                                     "elsewhere";
    found_.notes.emplace_back(
        nothing_is_left ? model::Code::angles_refuted : model::Code::angles_incomplete,
        fmt::format(
            "angles: {} sectors, read to check them, lie {:.3f} revolutions (RMS) from where "
            "the layout has them, in {} of {} zones, the first of them zone {}: {} no "
            "rotational positions",
            off.size(), rms_of_most(off), zones.size(), misses_.size(), zones.front(),
            zones.size() > 1 ? "these tell" : "it tells"));
  }

  Context& context_;
  Accesses& accesses_;
  ReferenceReads& reference_;
  const std::vector<bool>& left_;
  double noise_rev_;
  estimate::LayoutAngles& found_;
  engine::LayoutMap map_;
  std::vector<std::uint64_t> starts_;        // slots; and the end of the last zone
  std::vector<std::vector<double>> misses_;  // by zone
  std::vector<Miss> odd_;
  double reference_width_rev_ = 0;
};

}  // namespace

void check_angles(Context& context, Accesses& accesses, ReferenceReads& reference,
                  const std::vector<bool>& left, double noise_rev, estimate::LayoutAngles& found) {
  if (found.layout.angle.error) Check(context, accesses, reference, left, noise_rev, found).run();
}

}  // namespace platter::mtbrc
