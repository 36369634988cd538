#include "mtbrc/passing_sectors.h"

#include <algorithm>
#include <cmath>

#include "estimate/passing_sectors.h"
#include "estimate/samples.h"
#include "estimate/zone_shape.h"
#include "mtbrc/track_reads.h"

namespace platter::mtbrc {
namespace {

// Nothing more has to be read.
bool is_decided(const estimate::ZonePassing& zone, const PassingOptions& options) {
  constexpr double kSharp = 0.2;  // the nearest whole number is the right one
  if (zone.untrue || zone.uneven || zone.disturbed > estimate::kDisturbed) return true;
  if (zone.hidden > 0) return zone.passing->error < kSharp;
  if (!zone.passing) return zone.sectors == 0 && zone.pairs > 0;
  const double more = std::abs(zone.passing->value - zone.sectors);
  return more + 2 * zone.passing->error < 0.5 ||
         (more + 2 * zone.passing->error) / zone.sectors < options.negligible_rev;
}

class Measurement {
 public:
  Measurement(Context& context, const model::Layout& layout, const PassingOptions& options)
      : context_(context),
        options_(options),
        layout_(layout),
        map_(layout),
        accesses_(context),
        reference_(accesses_, context, map_, options.anchor_every_ns, options.anchor_reads),
        meter_(context, options.budget),
        first_sample_(context.samples.size()) {}

  estimate::PassingSectors run() {
    noise_rev_ = reference_.begin();
    constexpr std::uint32_t kTracks = 400;  // of all zones
    const auto zones = static_cast<std::uint32_t>(layout_.zones.size());
    const std::uint32_t first = std::max({options_.fewest_tracks,
                                          std::min(options_.first_tracks, kTracks / zones),
                                          options_.most_tracks / zones});
    std::uint64_t slot = 0;
    for (std::uint32_t i = 0; i < zones && !meter_.exhausted(); ++i) {
      const estimate::ZoneShape shape(layout_.zones[i], slot, map_, context_.drive.left_out());
      slot += shape.slots();
      const PartOfTime fair(context_, 1.0 / (zones - i));
      survey(i, shape, first);
      context_.report("angles", 0.2 * (i + 1) / zones);
    }
    reference_.refresh_now();
    return estimate::estimate_passing_sectors(samples_since(first_sample_), context_.rotation,
                                              layout_);
  }

 private:
  estimate::Samples samples_since(std::size_t first) const {
    return {context_.samples.begin() + static_cast<std::ptrdiff_t>(first), context_.samples.end()};
  }

  // Ever more tracks, until the zone is known or there are enough.
  void survey(std::uint32_t zone, const estimate::ZoneShape& shape, std::uint32_t first) {
    const std::size_t before = context_.samples.size();
    const Meter own(context_, Budget{});
    std::uint32_t tracks = 0;
    for (std::uint32_t wanted = first; tracks < options_.most_tracks; wanted *= 2) {
      bool any = false;
      for (; tracks < std::min(wanted, options_.most_tracks) && !meter_.exhausted() &&
             !own.exhausted();
           ++tracks)
        any |= visit(shape);
      if (!any) return;
      const auto so_far = estimate::judge_zones(samples_since(before), context_.rotation, layout_,
                                                map_, noise_rev_);
      if (is_decided(so_far.zones[zone], options_)) return;
    }
  }

  // Both ends of a track, which lie as far apart as can be, and two sectors between, each twice.
  bool visit(const estimate::ZoneShape& shape) {
    constexpr int kAttempts = 16;
    std::uniform_int_distribution<std::uint64_t> anywhere(shape.first_slot(),
                                                          shape.first_slot() + shape.slots() - 1);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const estimate::TrackPath path = shape.path_of_slot(anywhere(context_.random));
      if (!shape.usable(path)) continue;
      const std::uint64_t track = shape.first_slot_of(path);
      const std::uint32_t sectors = shape.sectors_of(path);
      const auto first = readable_near(map_, track, sectors, 0);
      const auto last = last_readable(map_, track, sectors);
      if (!first || *first == *last) continue;
      const auto between = [&] {
        return *readable_near(
            map_, track, sectors,
            std::uniform_int_distribution<std::uint64_t>(0, sectors - 1)(context_.random));
      };
      const std::uint64_t a = between(), b = between();
      reference_.refresh();
      for (const std::uint64_t lbn : {*first, *last, a, *last, b, *first, a, b})
        if (const auto at = accessible_near(context_, map_, track, sectors,
                                            map_.slot_of_lbn(lbn) - track))
          accesses_.probe(estimate::Experiment::angle, *at);
      return true;
    }
    return false;
  }

  Context& context_;
  PassingOptions options_;
  const model::Layout& layout_;
  engine::LayoutMap map_;
  Accesses accesses_;
  ReferenceReads reference_;
  Meter meter_;
  std::size_t first_sample_;
  double noise_rev_ = 0;
};

}  // namespace

estimate::PassingSectors measure_passing_sectors(Context& context, const model::Layout& layout,
                                                 const PassingOptions& options) {
  return Measurement(context, layout, options).run();
}

}  // namespace platter::mtbrc
