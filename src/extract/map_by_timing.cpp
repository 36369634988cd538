#include "extract/map_by_timing.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/layout_map.h"
#include "estimate/sector_end.h"
#include "extract/timed_surfaces.h"
#include "layout_by_timing/common_skews.h"
#include "layout_by_timing/judgement.h"
#include "layout_by_timing/surfaces_of_map.h"
#include "layout_by_timing/to_layout.h"
#include "model/error.h"
#include "model/validate.h"
#include "scsi/several_callers.h"
#include "statistics/circular.h"
#include "statistics/distribution.h"

namespace platter::extract {
namespace {

namespace timing = layout_by_timing;

// One past the last block that is no guess.
std::uint64_t end_of_mapped(const std::vector<timing::Run>& runs) {
  const auto last = std::find_if(runs.rbegin(), runs.rend(), [](const timing::Run& run) {
    return run.standing != timing::Standing::guessed;
  });
  return last == runs.rend() ? 0 : last->end();
}

// Blocks: of 400 a share of 99 % is known to half a percent.
constexpr std::size_t kJudged = 400, kJudgedEnough = 250;
constexpr std::uint32_t kTracksApart = 4;

bool is_high(const mtbrc::Context& context) { return context.precision == mtbrc::Precision::high; }

const char* name_of(timing::Standing standing) {
  return standing == timing::Standing::interpolated ? "interpolated" : "guessed";
}

// Of runs one after another, those that were not looked at themselves, joined.
void add_standing(const std::vector<timing::Run>& runs, const timing::MediaTiming& media,
                  std::uint64_t logical, model::TimedMap& timed) {
  std::uint64_t unlocated = 0;
  for (const timing::Run& run : runs) {
    for (const timing::Loss& loss : run.losses)
      if (!loss.located) unlocated += loss.sectors;
    if (run.standing == timing::Standing::seen) continue;
    const std::uint64_t first = media.first_lbn() + run.first * media.logical_blocks();
    const std::uint64_t end = std::min(media.first_lbn() + run.end() * media.logical_blocks(),
                                       logical);
    if (first >= end) continue;
    const std::string standing = name_of(run.standing);
    if (!timed.stretches.empty() && timed.stretches.back().standing == standing &&
        timed.stretches.back().last_lbn + 1 == first)
      timed.stretches.back().last_lbn = end - 1;
    else
      timed.stretches.push_back({first, end - 1, standing});
  }
  timed.unlocated_sectors += unlocated * media.logical_blocks();
}

// What another arm reaches, behind it, on surfaces of its own; its angles are told from `zero_rev`.
void append(model::Layout part, double zero_rev, model::Layout& layout) {
  const engine::LayoutMap before(layout);
  for (model::LayoutNode& zone : part.zones) {
    zone.head += static_cast<std::int32_t>(before.heads());
    zone.angle_rev = statistics::turn_rev(zone.angle_rev - zero_rev);
    layout.zones.push_back(std::move(zone));
  }
  for (model::Skip skip : part.skips) {
    skip.first_slot += before.slots();
    layout.skips.push_back(skip);
  }
}

const char* ended_by(bool out_of_time) {
  return out_of_time ? "the time ended" : "blocks that cannot be read ended the map";
}

}  // namespace

struct MapByTiming::OfArm {
  OfArm(mtbrc::Context& context, const LbnRange& range, bool watches, std::uint64_t seed_of)
      : blocks(range), media(context, range, watches), seed(seed_of) {}
  std::uint64_t logical() const { return blocks.last + 1 - blocks.first; }
  bool is_whole() const {
    constexpr double kWhole = 0.9;  // the rest is guessed, and judged with what is not
    return static_cast<double>(mapped) >= kWhole * static_cast<double>(media.blocks());
  }

  LbnRange blocks;
  timing::MediaTiming media;
  std::uint64_t seed;
  std::optional<timing::Mapper> mapper{};
  std::vector<timing::Run> runs{};
  std::uint64_t mapped = 0;  // physical blocks
  timing::Surfaces surfaces{};
  bool out_of_time = false;
  std::string why_none{};
};

FoundMap MapByTiming::none(const std::string& why) {
  layout_ = {};
  layout_.reason = translates_ ? why : "the drive does not translate addresses, and " + why;
  return {layout_, {"layout: " + layout_.reason}};
}

// A drive whose order of tracks is not understood would be walked track by track, for days; one of
// 30,000 tracks is walked in ten minutes.
Nanoseconds MapByTiming::deadline_ns() const {
  constexpr double kMuchLonger = 10;  // than such a drive's map takes
  if (how_ == MapByTime::whole) return 0;
  if (context_.deadline_ns > 0) return context_.deadline_ns;
  const scsi::Drive& drive = context_.drive;
  const double bytes = static_cast<double>(drive.blocks()) * drive.block_bytes();
  return context_.drive.now_ns() + from_ms(kMuchLonger * timed_map_s(bytes) * 1e3);
}

std::optional<double> MapByTiming::expected_s() const {
  // Measured: those of the catalogue took 50 to 612 s, and spares and slips are told less well.
  constexpr double kOld_bytes = 50e9, kOfOld_s = 250;
  if (how_ == MapByTime::none) return std::nullopt;
  std::uint64_t blocks = context_.arms.empty() ? context_.drive.blocks() : 0;
  for (const LbnRange& arm : context_.arms) blocks = std::max(blocks, arm.last + 1 - arm.first);
  const double bytes = static_cast<double>(blocks) * context_.drive.block_bytes();
  return bytes < kOld_bytes ? kOfOld_s : timed_map_s(bytes);
}

timing::Surfaces MapByTiming::find_surfaces(OfArm& arm) {
  constexpr double kMost_s = 30, kOfWhatIsLeft = 0.1;
  timing::SurfaceOptions how;
  how.most_ns = from_ms(kMost_s * 1e3);
  if (context_.deadline_ns > 0)
    how.most_ns = std::min(
        how.most_ns,
        static_cast<Nanoseconds>(
            kOfWhatIsLeft * static_cast<double>(context_.deadline_ns - context_.drive.now_ns())));
  // A question is two commands, between which nobody else may ask.
  if (translates_ && believed_ && context_.arms.empty())
    how.told = [&](std::uint64_t block) -> std::optional<timing::ToldPlace> {
      const auto told = context_.drive.addresses().translate(arm.media.first_lbn() +
                                                             block * arm.media.logical_blocks());
      if (!told || told->places.empty()) return std::nullopt;
      return timing::ToldPlace{told->places[0].cylinder, told->places[0].head};
    };
  return timing::surfaces_of_map(*arm.mapper, arm.runs, how);
}

// Blocks whose places are guesses.
void MapByTiming::say_what_is_not_mapped(const OfArm& arm, model::Notes& notes) {
  const std::uint64_t first_lbn = arm.media.first_lbn() + arm.mapped * arm.media.logical_blocks();
  const std::string why = fmt::format(
      "{} when {:.1f} % of the blocks{} were mapped by timing: from LBN {} on places are guesses",
      ended_by(arm.out_of_time),
      100.0 * static_cast<double>(first_lbn - arm.blocks.first) /
          static_cast<double>(arm.logical()),
      context_.arms.empty() ? "" : fmt::format(" up to LBN {}", arm.blocks.last), first_lbn);
  layout_.not_understood.push_back({first_lbn, arm.blocks.last, why});
  notes.emplace_back(model::Code::layout_unfinished, "layout: " + why);
}

void MapByTiming::map_arm(OfArm& arm, const std::function<void(double)>& progress) {
  timing::MapperOptions options;
  options.seed = arm.seed;
  if (!is_high(context_)) options.tracks_apart = kTracksApart;
  options.deadline_ns = deadline_ns();
  options.progress = progress;
  arm.mapper.emplace(arm.media, context_.period_ns(), options);
  try {
    arm.mapper->map();
  } catch (const Error& error) {
    if (error.status() != ExitStatus::unsupported) throw;
    arm.why_none = error.what();
    return;
  }
  arm.out_of_time = options.deadline_ns > 0 && context_.drive.now_ns() > options.deadline_ns;
  arm.mapped = end_of_mapped(arm.mapper->runs());
  constexpr double kOfUse = 0.02;  // of the blocks: of less there is no seek to measure
  const auto all = static_cast<double>(arm.media.blocks());
  if (static_cast<double>(arm.mapped) < kOfUse * all) {
    arm.why_none = fmt::format("{} when {:.1f} % of its blocks were mapped by timing",
                               ended_by(arm.out_of_time),
                               100.0 * static_cast<double>(arm.mapped) / all);
    return;
  }
  const std::uint64_t unit = arm.media.logical_blocks();
  arm.runs = timing::without_gaps(arm.mapper->runs(),
                                  (arm.blocks.last - arm.media.first_lbn() + unit) / unit);
  timing::take_common_skews(arm.runs);
  arm.surfaces = find_surfaces(arm);
}

// All arms at once: while one waits for its block another one's is on its way.
void MapByTiming::map_all(std::span<const std::unique_ptr<OfArm>> arms) {
  std::vector<double> shares(arms.size());
  std::vector<std::function<void()>> all;
  for (std::size_t i = 0; i < arms.size(); ++i)
    all.emplace_back([this, i, &arms, &shares] {
      map_arm(*arms[i], [&, i](double share) {
        shares[i] = share;
        context_.report("layout", statistics::mean(shares));
      });
    });
  if (all.size() == 1)
    all.front()();
  else
    context_.callers->run(std::move(all));
}

// Every arm's frame has a zero of its own; how far they are apart, one moment tells.
timing::Surfaces MapByTiming::take_layout(std::span<const std::unique_ptr<OfArm>> arms) {
  const Nanoseconds now_ns = arms.front()->media.now_ns();
  const double zero_rev = arms.front()->mapper->frame().angle_rev(now_ns);
  timing::Surfaces surfaces = arms.front()->surfaces;
  surfaces.heads = 0;
  layout_ = {};
  for (const auto& arm : arms) {
    const std::uint64_t in_front = arm->media.first_lbn() - arm->blocks.first;
    model::Layout part = timing::to_layout(
        arm->runs, {arm->logical(), arm->media.logical_blocks(), in_front}, arm->surfaces);
    if (arm == arms.front())
      layout_ = std::move(part);
    else
      append(std::move(part), arm->mapper->frame().angle_rev(now_ns) - zero_rev, layout_);
    surfaces.heads += arm->surfaces.heads;
    if (is_sure(arm->surfaces)) continue;
    surfaces.told &= arm->surfaces.told;
    if (arms.size() > 1) surfaces.measured.reset(), surfaces.others.clear();
  }
  return surfaces;
}

FoundMap MapByTiming::find(std::vector<Answer>&) {
  translates_ = context_.drive.addresses().translates();
  if (how_ == MapByTime::none) return none("a map by timing was not wanted");
  std::vector<LbnRange> ranges = context_.arms;
  if (ranges.empty()) ranges.push_back({0, context_.drive.blocks() - 1});
  std::vector<std::unique_ptr<OfArm>> arms;
  for (const LbnRange& range : ranges)
    arms.push_back(
        std::make_unique<OfArm>(context_, range, arms.empty(), context_.seed + arms.size()));
  map_all(arms);
  for (const auto& arm : arms)
    if (!arm->why_none.empty()) return none(arm->why_none);
  const timing::Surfaces surfaces = take_layout(arms);
  if (const std::uint64_t nodes = model::count_nodes(layout_); nodes > model::kMostNodes)
    return none(
        fmt::format("what was mapped by timing has so little that repeats that it takes {} "
                    "nodes, more than the {} of a model",
                    nodes, model::kMostNodes));
  FoundMap found;
  say_surfaces(context_.drive, surfaces, layout_);
  layout_.timed.emplace();
  layout_.angle.reason = "angles are measured, but against no index";
  layout_.angle.error = 0;
  layout_.angle.unit = "rev";
  layout_.angle.method = "timing";
  for (const auto& arm : arms) {
    add_standing(arm->runs, arm->media, arm->blocks.last + 1, *layout_.timed);
    layout_.angle.error = std::max(*layout_.angle.error, arm->mapper->frame().jitter().sigma_rev);
    found.notes.push_back(
        fmt::format("layout: found by timing alone; {} bands of tracks on {} surfaces, {}",
                    arm->runs.size(), arm->surfaces.heads, arm->surfaces.in_words()));
    if (!arm->is_whole()) say_what_is_not_mapped(*arm, found.notes);
  }
  found.layout = layout_;
  return found;
}

double MapByTiming::visits() const {
  return static_cast<double>(is_high(context_) ? kJudged : kJudgedEnough);
}

FoundMap MapByTiming::with_angles() {
  timing::MediaTiming media(context_);
  timing::Frame frame(media, context_.period_ns(), media.blocks() / 2);
  timing::Prober prober(media, frame, context_.seed + 1);
  prober.set_deadline(context_.deadline_ns);
  const engine::LayoutMap map(layout_);
  const auto end_rev = [&](std::uint64_t block) {
    return estimate::sector_end_rev(map,
                                    media.first_lbn() + (block + 1) * media.logical_blocks() - 1);
  };
  const std::vector<double> offs = timing::offs_of_random_blocks(
      prober, media.blocks(), is_high(context_) ? kJudged : kJudgedEnough, end_rev);
  if (!layout_.timed) layout_.timed.emplace();
  layout_.timed->blocks = offs.size();
  layout_.timed->shares = timing::shares_of(offs);
  return {layout_, {}};
}

}  // namespace platter::extract
