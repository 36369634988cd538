#include "engine/tables.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "engine/layout_tables.h"
#include "engine/shingles.h"
#include "model/error.h"
#include "model/power.h"
#include "model/stand_ins.h"
#include "model/validate.h"

namespace platter::engine {
namespace {

static_assert(kLeastWindow == model::kLeastWindowRequests &&
              kMostWindow == model::kMostWindowRequests);

// What was not measured is compiled as what acts in its place (model/stand_ins.h).
using model::acting;

Nanoseconds ns(double ms) { return from_ms(ms); }

std::uint8_t flag(bool set) { return set ? 1 : 0; }

std::uint32_t count(double value) {
  if (!(value >= 0 && value <= std::numeric_limits<std::uint32_t>::max()))
    throw Error(ExitStatus::bad_input,
                "the model's cache has a size that is none; correct the model file");
  return static_cast<std::uint32_t>(value);
}

std::uint8_t policy(double number, std::uint32_t most) {
  return static_cast<std::uint8_t>(std::min(count(number), most));
}

// Writes that were not measured are taken to cost what reads cost; such requests lie outside the
// model's validity, which is told with each of them.
CommandOverheads compile_overheads(const model::Overheads& o) {
  CommandOverheads c{};
  const auto time = [&o](const model::Parameter& figure) { return ns(acting(o, figure)); };
  c.read_hit[0] = time(o.read_hit_after_read);
  c.read_hit[1] = time(o.read_hit_after_write);
  c.read_miss[0] = time(o.read_miss_after_read);
  c.read_miss[1] = time(o.read_miss_after_write);
  c.write_hit[0] = time(o.write_hit_after_read);
  c.write_hit[1] = time(o.write_hit_after_write);
  c.write_miss[0] = time(o.write_miss_after_read);
  c.write_miss[1] = time(o.write_miss_after_write);
  c.per_request = time(o.per_request);
  c.read_completion = time(o.read_completion);
  c.write_completion = time(o.write_completion);
  c.data_preparation = time(o.data_preparation);
  c.first_reselect = time(o.first_reselect);
  c.other_reselect = time(o.other_reselect);
  c.read_disconnect[0] = time(o.read_disconnect_after_read);
  c.read_disconnect[1] = time(o.read_disconnect_after_write);
  c.write_disconnect = time(o.write_disconnect);
  c.extra_write_disconnect = acting(o, o.extra_write_disconnect) != 0 ? 1 : 0;
  c.extra_command = time(o.extra_disconnect_command);
  c.extra_first = time(o.extra_disconnect_first);
  c.extra_inter = time(o.extra_disconnect_inter);
  c.extra_second = time(o.extra_disconnect_second);
  c.extra_seek_delta = time(o.extra_disconnect_seek_delta);
  c.minimum_seek_delay = time(o.minimum_seek_delay);
  c.minimum_read_seek_delay = time(o.minimum_read_seek_delay);
  c.sequential_read_hit = time(o.sequential_read_hit_delta);
  c.sequential_write_hit = time(o.sequential_write_hit_delta);
  c.sequential_read_within = time(o.sequential_read_hit_within);
  return c;
}

BusTable compile_bus(const model::Bus& b) {
  BusTable bus{};
  bus.read_block_ns = std::max<Nanoseconds>(0, ns(acting(b, b.block_transfer)));
  bus.write_block_ns = std::max<Nanoseconds>(0, ns(acting(b, b.write_block_transfer)));
  bus.high_read_watermark = std::clamp(acting(b, b.high_read_watermark).value, 0.0, 1.0);
  bus.watermark_by_request = count(acting(b, b.watermark_by_request_size));
  return bus;
}

// As many segments of that size; or fewer of them at a time, as many as the buffer holds.
void compile_segments(const model::Cache& c, CacheTable& cache) {
  cache.segments = std::min(count(acting(c, c.segments)), kMaxSegments);
  cache.segment_blocks = count(acting(c, c.segment_blocks));
  cache.buffer_blocks = std::uint64_t{cache.segments} * cache.segment_blocks;
  const std::uint32_t fewest = count(acting(c, c.adaptive_min_segments));
  cache.fewest_segments = static_cast<std::uint16_t>(fewest < cache.segments ? fewest : 0);
  if (const std::uint32_t window = count(acting(c, c.adaptive_window_requests));
      cache.fewest_segments > 0 && window > 0)
    cache.window = static_cast<std::uint16_t>(std::clamp(window, kLeastWindow, kMostWindow));
  if (const std::uint32_t buffer = count(acting(c, c.buffer_blocks));
      buffer > 0 && buffer < cache.buffer_blocks) {
    if (cache.fewest_segments > 0) cache.segment_blocks = buffer / cache.segments;
    cache.segment_blocks = std::min(cache.segment_blocks, buffer);
    cache.buffer_blocks = cache.fewest_segments > 0
                              ? std::uint64_t{cache.segments} * cache.segment_blocks
                              : buffer;
  }
  cache.replacement = policy(acting(c, c.replacement), 2);
  cache.separate_write_segment = flag(acting(c, c.separate_write_segment) != 0 &&
                                      cache.segments > 1);
  // A drive with segments of their own for writes has at least one, and leaves one for reads.
  const std::uint32_t most = cache.separate_write_segment ? cache.segments - 1 : cache.segments;
  cache.write_segments = std::clamp(count(acting(c, c.write_segments)), std::min(1u, most), most);
}

}  // namespace

CacheTable compile_cache(const model::Cache& c) {
  CacheTable cache{};
  cache.write_back_level =
      static_cast<std::uint8_t>(std::min(count(acting(c, c.write_back_level)), 2u));
  compile_segments(c, cache);
  cache.present = flag(acting(c, c.read_enabled) != 0 && cache.segments > 0 &&
                       cache.segment_blocks > 0);
  const double kind = acting(c, c.read_ahead);
  cache.read_ahead = kind >= 0 && kind <= 4 ? static_cast<std::uint8_t>(kind)
                                            : static_cast<std::uint8_t>(model::ReadAhead::none);
  cache.read_ahead_min = count(acting(c, c.read_ahead_min_blocks));
  cache.read_ahead_max = count(acting(c, c.read_ahead_max_blocks));
  cache.read_ahead_over_requested = flag(acting(c, c.read_ahead_over_requested) != 0);
  cache.read_ahead_on_hit = flag(acting(c, c.read_ahead_on_hit) != 0);
  cache.read_free_blocks = flag(acting(c, c.read_free_blocks) != 0);
  cache.zero_latency_read = flag(acting(c, c.zero_latency_read) != 0);
  cache.zero_latency_write = flag(acting(c, c.zero_latency_write) != 0);
  cache.read_hit_on_written = flag(acting(c, c.read_hit_on_written) != 0);
  cache.combine_writes = flag(acting(c, c.combine_sequential_writes) != 0);
  cache.stop_in_sector = flag(acting(c, c.stop_read_ahead_in_sector) != 0);
  cache.almost_read_hits = flag(acting(c, c.almost_read_hits) != 0);
  cache.discards_after_transfer = flag(acting(c, c.discards_after_transfer) != 0 ||
                                       acting(c, c.read_ahead_over_requested) < 0);
  cache.read_ahead_ceiling = count(acting(c, c.read_ahead_ceiling_blocks));
  cache.read_ahead_longest_request = count(acting(c, c.read_ahead_longest_request_blocks));
  cache.read_ahead_by_request = flag(acting(c, c.read_ahead_by_request) != 0);
  cache.read_ahead_after_sequential = flag(acting(c, c.read_ahead_after_sequential) != 0);
  cache.read_ahead_to_its_end = flag(acting(c, c.read_ahead_abort) == 0);
  cache.read_ahead_resumes = flag(acting(c, c.read_ahead_resumes) != 0);
  cache.read_ahead_streams = policy(acting(c, c.read_ahead_streams), kMostStreams);
  cache.read_ahead_fixed_end = flag(acting(c, c.read_ahead_fixed_end) != 0);
  cache.segments_grow = flag(acting(c, c.segments_grow) != 0 && cache.pooled());
  cache.write_hit_keeps_read_ahead = flag(acting(c, c.write_hit_stops_read_ahead) == 0);
  cache.destage_behind = flag(acting(c, c.destage_behind) != 0 && cache.write_back_level > 0);
  cache.destage_idle_ns = ns(acting(c, c.destage_idle));
  cache.destage_by_lbn = flag(policy(acting(c, c.destage_order), 1) != 0);
  cache.destage_in_passing = flag(acting(c, c.destage_in_passing) != 0);
  cache.write_updates_segments = flag(acting(c, c.write_updates_segments) != 0);
  return cache;
}

namespace {

WrittenTable compile_written(const model::Cache& c) {
  WrittenTable written{};
  written.synchronize_ns = std::max<Nanoseconds>(0, ns(acting(c, c.synchronize)));
  written.most_blocks = count(acting(c, c.written_blocks));
  written.persist = flag(acting(c, c.written_persist) != 0);
  return written;
}

QueueTable compile_queue(const model::Queue& q) {
  const double depth = std::clamp(acting(q, q.depth).value, 0.0, double{kMaxOutstanding});
  const auto preseeking =
      static_cast<std::uint8_t>(std::clamp(acting(q, q.preseeking).value, 0.0, 2.0));
  return {static_cast<std::uint32_t>(scheduler_of(q)), static_cast<std::uint32_t>(depth),
          preseeking, flag(acting(q, q.hits_overtake) != 0)};
}

ValidityTable compile_validity(const model::Validity& v) {
  return {v.first_lbn, v.last_lbn,    v.min_blocks,  v.max_blocks,
          v.max_depth, flag(v.reads), flag(v.writes)};
}

static_assert(kMostArms == model::kMostArms && kMostArmRanges == model::kMostArmRanges);

ArmTable compile_arms(const model::DriveModel& model) {
  ArmTable table{};
  if (!model.arms) return table;
  const model::Arms& arms = *model.arms;
  table.interference_ns = std::max<Nanoseconds>(0, ns(acting(arms, arms.interference)));
  table.count = arm_count(model);
  for (const model::ArmRange& range : arms.ranges) {
    table.ends[table.ranges] = range.last_lbn + 1;
    table.arms[table.ranges++] = range.arm;
  }
  return table;
}

static_assert(kPowerConditions == model::kPowerConditions.size());

PowerTable compile_power(const model::DriveModel& model) {
  PowerTable table{};
  if (!model.power) return table;
  for (std::size_t i = 0; i < kPowerConditions; ++i) {
    const model::Parameter& wake = (*model.power).*model::kPowerConditions[i].wake;
    table.wake_ns[i] = std::max<Nanoseconds>(0, ns(acting(*model.power, wake)));
    if (table.wake_ns[i] > 0) table.present = 1;
  }
  for (const model::PowerTimer& timer : model.identity.power_timers)
    if (const std::size_t i = model::power_condition(timer.condition); i < kPowerConditions)
      table.after_ns[i] = timer_ns(timer.after_ms);
  return table;
}

constexpr Nanoseconds kLongest = 1000 * kSecond;

bool is_time(Nanoseconds time) { return time >= -kLongest && time <= kLongest; }

bool are_flags(std::initializer_list<std::uint64_t> values) {
  return std::ranges::all_of(values, [](std::uint64_t value) { return value <= 1; });
}

std::optional<std::string> motion_defect(const FlatMotion& motion) {
  if (!Platter::possible(motion.numerator_ns, motion.denominator))
    return "its rotation is no drive's";
  if (motion.head_switch_ns < 0 || !is_time(motion.head_switch_ns) ||
      !is_time(motion.write_settle_ns) || !is_time(motion.inward_seek_ns))
    return "its head switch or write settle time is none";
  return std::nullopt;
}

std::optional<std::string> overheads_defect(const CommandOverheads& o) {
  for (const auto* pair : {o.read_hit, o.read_miss, o.write_hit, o.write_miss, o.read_disconnect})
    if (!is_time(pair[0]) || !is_time(pair[1])) return "an overhead is no time";
  for (const Nanoseconds time :
       {o.per_request, o.read_completion, o.write_completion, o.data_preparation, o.first_reselect,
        o.other_reselect, o.write_disconnect, o.extra_command, o.extra_first, o.extra_inter,
        o.extra_second, o.extra_seek_delta, o.minimum_seek_delay, o.minimum_read_seek_delay,
        o.sequential_read_hit, o.sequential_write_hit, o.sequential_read_within})
    if (!is_time(time)) return "an overhead is no time";
  if (!are_flags({static_cast<std::uint64_t>(o.extra_write_disconnect)}))
    return "a flag of its overheads is neither 0 nor 1";
  return std::nullopt;
}

std::optional<std::string> bus_defect(const BusTable& bus) {
  constexpr Nanoseconds kSlowestBlock = 100 * kMillisecond;  // times 2^32 blocks: no overflow
  if (bus.read_block_ns < 0 || bus.read_block_ns > kSlowestBlock || bus.write_block_ns < 0 ||
      bus.write_block_ns > kSlowestBlock)
    return "its bus needs a time for a block that is none";
  if (!(bus.high_read_watermark >= 0 && bus.high_read_watermark <= 1))
    return "its bus has a watermark that is no share";
  constexpr std::uint64_t kMostOfPortion = std::uint64_t{1} << 32;
  if (bus.watermark_by_request > kMostOfPortion)
    return "its bus sends in portions that no request has";
  return std::nullopt;
}

std::optional<std::string> cache_defect(const CacheTable& c) {
  if (c.segments > kMaxSegments) return "its cache has more segments than an engine";
  if (c.present != 0 && (c.segments == 0 || c.segment_blocks == 0))
    return "its cache has no segments to be present";
  if (c.separate_write_segment != 0 && c.segments < 2)
    return "its cache has no segment to keep for writes";
  if (c.write_segments > c.segments - c.separate_write_segment ||
      (c.segments > 0 && c.write_segments == 0))
    return "its cache has a number of segments for writes that is none";
  if (c.fewest_segments >= std::max(c.segments, 1u))
    return "its cache has a smallest number of segments that is none";
  if (c.window != 0 &&
      (c.fewest_segments == 0 || c.window < kLeastWindow || c.window > kMostWindow))
    return "its cache is divided after a number of requests that is none";
  if (c.buffer_blocks > std::uint64_t{c.segments} * c.segment_blocks ||
      (c.buffer_blocks < c.segment_blocks && c.segments > 0))
    return "its buffer is of a size that is none";
  if (c.replacement > static_cast<std::uint8_t>(model::Replacement::random))
    return "its cache has a kind of replacement that is none";
  if (c.destage_idle_ns < 0 || !is_time(c.destage_idle_ns))
    return "its cache waits for a time that is none";
  if (c.write_back_level > 2) return "its cache has a write-back level that is none";
  if (c.read_ahead > static_cast<std::uint8_t>(model::ReadAhead::to_next_track_if_sequential))
    return "its cache has a kind of read-ahead that is none";
  if (!are_flags({c.present,
                  c.separate_write_segment,
                  c.read_ahead_over_requested,
                  c.read_ahead_on_hit,
                  c.read_free_blocks,
                  c.zero_latency_read,
                  c.zero_latency_write,
                  c.read_hit_on_written,
                  c.combine_writes,
                  c.stop_in_sector,
                  c.almost_read_hits,
                  c.discards_after_transfer,
                  c.read_ahead_by_request,
                  c.read_ahead_after_sequential,
                  c.read_ahead_to_its_end,
                  c.read_ahead_resumes,
                  c.write_hit_keeps_read_ahead,
                  c.destage_behind,
                  c.destage_by_lbn,
                  c.destage_in_passing,
                  c.write_updates_segments,
                  c.read_ahead_fixed_end,
                  c.segments_grow}))
    return "a flag of its cache is neither 0 nor 1";
  if (c.read_ahead_streams > kMostStreams) return "its cache remembers more streams than an engine";
  if (c.segments_grow != 0 && !c.pooled()) return "its segments have no common buffer to grow in";
  return std::nullopt;
}

std::optional<std::string> written_defect(const WrittenTable& w) {
  if (w.synchronize_ns < 0 || !is_time(w.synchronize_ns))
    return "its cache is synchronized in a time that is none";
  if (!are_flags({w.persist})) return "a flag of its cache is neither 0 nor 1";
  return std::nullopt;
}

std::optional<std::string> queue_defect(const QueueTable& queue) {
  if (queue.scheduler > static_cast<std::uint32_t>(Scheduler::sptf))
    return "its queue has a scheduler that is none";
  if (queue.depth > kMaxOutstanding) return "its queue is deeper than an engine's";
  if (queue.preseeking > 2) return "its queue has a level of preseeking that is none";
  if (!are_flags({queue.hits_overtake})) return "a flag of its queue is neither 0 nor 1";
  return std::nullopt;
}

std::optional<std::string> validity_defect(const ValidityTable& v, std::uint64_t blocks) {
  if (v.first_lbn > v.last_lbn || v.last_lbn >= blocks || v.min_blocks > v.max_blocks)
    return "its validity names a range that is none";
  if (!are_flags({v.reads, v.writes})) return "a flag of its validity is neither 0 nor 1";
  return std::nullopt;
}

std::optional<std::string> arms_defect(const ArmTable& arms, std::uint64_t blocks) {
  if (arms.interference_ns < 0 || !is_time(arms.interference_ns))
    return "its arms disturb each other for a time that is none";
  if (!arms.several())
    return arms.count == 1 && arms.ranges == 0
               ? std::nullopt
               : std::optional<std::string>("it has a number of arms that is none");
  if (arms.count > kMostArms || arms.ranges < arms.count || arms.ranges > kMostArmRanges)
    return "it has a number of arms that is none";
  std::uint64_t before = 0;
  std::uint32_t named = 0;  // a bit each
  for (std::uint32_t i = 0; i < arms.ranges; ++i) {
    if (arms.ends[i] <= before || arms.arms[i] >= arms.count)
      return "its arms reach ranges that are none";
    before = arms.ends[i];
    named |= 1U << arms.arms[i];
  }
  if (before != blocks || named != (1U << arms.count) - 1)
    return "its arms do not reach all of its blocks";
  return std::nullopt;
}

std::optional<std::string> power_defect(const PowerTable& power) {
  std::uint64_t present = 0;
  for (std::size_t i = 0; i < kPowerConditions; ++i) {
    if (power.wake_ns[i] < 0 || !is_time(power.wake_ns[i]) || power.after_ns[i] < 0 ||
        power.after_ns[i] > kLongestTimer)
      return "its power conditions have times that are none";
    if (power.wake_ns[i] > 0) present = 1;
  }
  if (power.present != present) return "its power conditions are there and are not";
  return std::nullopt;
}

std::optional<std::string> shingling_defect(const shingled::Settings& s, const ArmTable& arms,
                                            std::uint64_t blocks) {
  if (s == shingled::Settings{}) return std::nullopt;
  if (!s.act() || arms.several() || s.blocks == 0 || s.blocks >= blocks ||
      s.cache_blocks > blocks - s.blocks || s.blocks / s.band_blocks >= shingled::kMostBands)
    return "its bands or its media cache are none";
  if (s.entries == 0 || s.entries > shingled::kMostEntries)
    return "its media cache has a number of extents that is none";
  if (s.idle_ns < 0 || !is_time(s.idle_ns) || s.cleaning_ns < 0 || !is_time(s.cleaning_ns))
    return "its bands are cleaned in a time that is none";
  if (!are_flags({s.when_idle})) return "a flag of its media cache is neither 0 nor 1";
  return std::nullopt;
}

// What a model's compilation does not judge.
std::optional<std::string> defect_of_times(const TableSections& t) {
  if (auto defect = motion_defect(t.motion)) return defect;
  if (auto defect = overheads_defect(t.overheads)) return defect;
  if (auto defect = bus_defect(t.bus)) return defect;
  if (auto defect = cache_defect(t.cache)) return defect;
  if (auto defect = written_defect(t.written)) return defect;
  if (auto defect = power_defect(t.power)) return defect;
  return queue_defect(t.queue);
}

bool is_larger_than_any_drive(const FlatLayout& totals) {
  return totals.slots > model::kMostSlots || totals.cylinders > model::kMostCylinders ||
         totals.heads > model::kMostHeads;
}

std::optional<std::string> completed(TableParts& parts) {
  LayoutArrays& layout = parts.layout;
  if (auto defect = complete_layout(layout, parts.piece_blocks)) return "its layout " + *defect;
  if (is_larger_than_any_drive(layout.totals)) return "its layout is larger than any drive";
  if (has_tracks_at_one_place(layout.totals)) return "two tracks of its layout lie at one place";
  if (auto defect = seek_defect(parts.seek, layout.totals.cylinders))
    return "its seek curve " + *defect;
  parts.sections.blocks = layout.totals.blocks;
  return sections_defect(parts.sections);
}

}  // namespace

bool has_tracks_at_one_place(const FlatLayout& totals) {
  return totals.tracks > std::uint64_t{totals.cylinders} * totals.heads;
}

std::optional<std::string> sections_defect(const TableSections& sections) {
  if (auto defect = defect_of_times(sections)) return defect;
  if (auto defect = arms_defect(sections.arms, sections.blocks)) return defect;
  if (auto defect = shingling_defect(sections.shingling, sections.arms, sections.blocks))
    return defect;
  return validity_defect(sections.validity, sections.blocks);
}

tl::expected<std::shared_ptr<const Tables>, std::string> tables_of(TableParts parts) {
  if (auto defect = completed(parts)) return tl::unexpected(*defect);
  const auto layout = std::make_shared<const LayoutArrays>(std::move(parts.layout));
  return std::make_shared<const Tables>(LayoutMap(layout->view(), layout), SeekTable(parts.seek),
                                        parts.sections);
}

Tables::Tables(const model::DriveModel& model)
    : shingling(compile_shingling(model)),
      layout(shingling.act() ? LayoutMap(with_media_cache(model.layout, shingling.cache_blocks))
                             : LayoutMap(model.layout)),
      motion{model.rotation.numerator_ns, model.rotation.denominator,
             ns(acting(model, model.head_switch)), ns(acting(model, model.write_settle)),
             ns(acting(model, model.inward_seek_delta))},
      rotation(motion.numerator_ns, motion.denominator),
      seeks(model),
      overheads(compile_overheads(model.overheads)),
      bus(compile_bus(model.bus)),
      cache(compile_cache(model.cache)),
      written(compile_written(model.cache)),
      queue(compile_queue(model.queue)),
      validity(compile_validity(model.validity)),
      arms(compile_arms(model)),
      power(compile_power(model)) {
  auto defect = defect_of_times(sections());
  if (!defect) defect = arms_defect(arms, layout.blocks());
  if (!defect) defect = shingling_defect(shingling, arms, layout.blocks());
  if (!defect) {
    defect = seek_defect(seeks.points(), layout.cylinders());
    if (defect) defect = "its seek curve " + *defect;
  }
  if (defect)
    throw Error(ExitStatus::bad_input,
                "the model cannot run: " + *defect + "; correct the model file");
}

Tables::Tables(LayoutMap map, SeekTable seek_table, const TableSections& sections)
    : shingling(sections.shingling),
      layout(std::move(map)),
      motion(sections.motion),
      rotation(motion.numerator_ns, motion.denominator),
      seeks(std::move(seek_table)),
      overheads(sections.overheads),
      bus(sections.bus),
      cache(sections.cache),
      written(sections.written),
      queue(sections.queue),
      validity(sections.validity),
      arms(sections.arms),
      power(sections.power) {}

TableSections Tables::sections() const {
  return {layout.blocks(), motion,   overheads, bus,   cache,    written,
          queue,           validity, arms,      power, shingling};
}

Nanoseconds timer_ns(std::uint64_t after_ms) {
  const std::uint64_t most_ms = static_cast<std::uint64_t>(kLongestTimer / kMillisecond);
  return std::max<Nanoseconds>(
      1, static_cast<Nanoseconds>(std::min(after_ms, most_ms)) * kMillisecond);
}

}  // namespace platter::engine
