// A section of the file and the engine's, field by field: written in one place for both ways.

#include <algorithm>
#include <iterator>
#include <limits>

#include "emit/table/parts.h"

namespace platter::emit_table {
namespace {

template <typename From, typename To>
void convert(const From& from, To& to) {
  to = static_cast<To>(from);
}

struct ToWire {
  template <typename Flat, typename Wire>
  void operator()(const Flat& flat, Wire& wire) const {
    convert(flat, wire);
  }
};

struct FromWire {
  template <typename Flat, typename Wire>
  void operator()(Flat& flat, const Wire& wire) const {
    convert(wire, flat);
  }
};

template <typename Flat, typename Wire, typename Pair>
void motion_fields(Flat& flat, Wire&& wire, const Pair& pair) {
  pair(flat.numerator_ns, wire.period_numerator_ns);
  pair(flat.denominator, wire.period_denominator);
  pair(flat.head_switch_ns, wire.head_switch_ns);
  pair(flat.write_settle_ns, wire.write_settle_ns);
  pair(flat.inward_seek_ns, wire.inward_seek_ns);
}

template <typename Flat, typename Wire, typename Pair>
void overheads_fields(Flat& flat, Wire&& wire, const Pair& pair) {
  pair(flat.read_hit[0], wire.read_hit_after_read_ns);
  pair(flat.read_hit[1], wire.read_hit_after_write_ns);
  pair(flat.read_miss[0], wire.read_miss_after_read_ns);
  pair(flat.read_miss[1], wire.read_miss_after_write_ns);
  pair(flat.write_hit[0], wire.write_hit_after_read_ns);
  pair(flat.write_hit[1], wire.write_hit_after_write_ns);
  pair(flat.write_miss[0], wire.write_miss_after_read_ns);
  pair(flat.write_miss[1], wire.write_miss_after_write_ns);
  pair(flat.per_request, wire.per_request_ns);
  pair(flat.read_completion, wire.read_completion_ns);
  pair(flat.write_completion, wire.write_completion_ns);
  pair(flat.data_preparation, wire.data_preparation_ns);
  pair(flat.first_reselect, wire.first_reselect_ns);
  pair(flat.other_reselect, wire.other_reselect_ns);
  pair(flat.read_disconnect[0], wire.read_disconnect_after_read_ns);
  pair(flat.read_disconnect[1], wire.read_disconnect_after_write_ns);
  pair(flat.write_disconnect, wire.write_disconnect_ns);
  pair(flat.extra_write_disconnect, wire.extra_write_disconnect);
  pair(flat.extra_command, wire.extra_disconnect_command_ns);
  pair(flat.extra_first, wire.extra_disconnect_first_ns);
  pair(flat.extra_inter, wire.extra_disconnect_inter_ns);
  pair(flat.extra_second, wire.extra_disconnect_second_ns);
  pair(flat.extra_seek_delta, wire.extra_disconnect_seek_delta_ns);
  pair(flat.minimum_seek_delay, wire.minimum_seek_delay_ns);
  pair(flat.minimum_read_seek_delay, wire.minimum_read_seek_delay_ns);
  pair(flat.sequential_read_hit, wire.sequential_read_hit_delta_ns);
  pair(flat.sequential_write_hit, wire.sequential_write_hit_delta_ns);
  pair(flat.sequential_read_within, wire.sequential_read_hit_within_ns);
}

template <typename Flat, typename Wire, typename Pair>
void bus_fields(Flat& flat, Wire&& wire, const Pair& pair) {
  pair(flat.read_block_ns, wire.read_block_ns);
  pair(flat.write_block_ns, wire.write_block_ns);
  pair(flat.high_read_watermark, wire.high_read_watermark);
  pair(flat.watermark_by_request, wire.watermark_by_request_size);
}

template <typename Flat, typename Wire, typename Pair>
void cache_fields(Flat& flat, Wire&& wire, const Pair& pair) {
  pair(flat.present, wire.read_enabled);
  pair(flat.write_back_level, wire.write_back_level);
  pair(flat.segments, wire.segments);
  pair(flat.segment_blocks, wire.segment_blocks);
  pair(flat.buffer_blocks, wire.buffer_blocks);
  pair(flat.fewest_segments, wire.adaptive_min_segments);
  pair(flat.window, wire.adaptive_window_requests);
  pair(flat.write_segments, wire.write_segments);
  pair(flat.separate_write_segment, wire.separate_write_segment);
  pair(flat.replacement, wire.replacement);
  pair(flat.read_ahead, wire.read_ahead);
  pair(flat.read_ahead_min, wire.read_ahead_min_blocks);
  pair(flat.read_ahead_max, wire.read_ahead_max_blocks);
  pair(flat.read_ahead_ceiling, wire.read_ahead_ceiling_blocks);
  pair(flat.read_ahead_longest_request, wire.read_ahead_longest_request_blocks);
  pair(flat.read_ahead_over_requested, wire.read_ahead_over_requested);
  pair(flat.read_ahead_on_hit, wire.read_ahead_on_hit);
  pair(flat.read_ahead_by_request, wire.read_ahead_by_request);
  pair(flat.read_ahead_after_sequential, wire.read_ahead_after_sequential);
  pair(flat.read_ahead_to_its_end, wire.read_ahead_to_its_end);
  pair(flat.read_ahead_resumes, wire.read_ahead_resumes);
  pair(flat.stop_in_sector, wire.stop_read_ahead_in_sector);
  pair(flat.write_hit_keeps_read_ahead, wire.write_hit_keeps_read_ahead);
  pair(flat.read_free_blocks, wire.read_free_blocks);
  pair(flat.zero_latency_read, wire.zero_latency_read);
  pair(flat.zero_latency_write, wire.zero_latency_write);
  pair(flat.read_hit_on_written, wire.read_hit_on_written);
  pair(flat.almost_read_hits, wire.almost_read_hits);
  pair(flat.discards_after_transfer, wire.discards_after_transfer);
  pair(flat.combine_writes, wire.combine_sequential_writes);
  pair(flat.write_updates_segments, wire.write_updates_segments);
  pair(flat.destage_behind, wire.destage_behind);
  pair(flat.destage_idle_ns, wire.destage_idle_ns);
  pair(flat.destage_by_lbn, wire.destage_order);
  pair(flat.destage_in_passing, wire.destage_in_passing);
  pair(flat.read_ahead_streams, wire.read_ahead_streams);
  pair(flat.read_ahead_fixed_end, wire.read_ahead_fixed_end);
  pair(flat.segments_grow, wire.segments_grow);
}

template <typename Flat, typename Wire, typename Pair>
void written_fields(Flat& flat, Wire&& wire, const Pair& pair) {
  pair(flat.most_blocks, wire.written_blocks);
  pair(flat.persist, wire.written_persist);
  pair(flat.synchronize_ns, wire.synchronize_ns);
}

template <typename Flat, typename Wire, typename Pair>
void queue_fields(Flat& flat, Wire&& wire, const Pair& pair) {
  pair(flat.scheduler, wire.scheduler);
  pair(flat.depth, wire.depth);
  pair(flat.preseeking, wire.preseeking);
  pair(flat.hits_overtake, wire.hits_overtake);
}

template <typename Flat, typename Wire, typename Pair>
void validity_fields(Flat& flat, Wire&& wire, const Pair& pair) {
  pair(flat.first_lbn, wire.first_lbn);
  pair(flat.last_lbn, wire.last_lbn);
  pair(flat.min_blocks, wire.min_blocks);
  pair(flat.max_blocks, wire.max_blocks);
  pair(flat.max_depth, wire.max_depth);
  pair(flat.reads, wire.reads);
  pair(flat.writes, wire.writes);
}

template <typename WireTable>
typename WireTable::NativeTableType native(const WireTable* table) {
  typename WireTable::NativeTableType fields;
  table->UnPackTo(&fields);
  return fields;
}

}  // namespace

WireSections write_sections(flatbuffers::FlatBufferBuilder& builder,
                            const engine::TableSections& sections, const std::string& note) {
  wire::MotionT motion;
  wire::OverheadsT overheads;
  wire::BusT bus;
  wire::CacheT cache;
  wire::QueueT queue;
  wire::ValidityT validity;
  motion_fields(sections.motion, motion, ToWire());
  overheads_fields(sections.overheads, overheads, ToWire());
  bus_fields(sections.bus, bus, ToWire());
  cache_fields(sections.cache, cache, ToWire());
  written_fields(sections.written, cache, ToWire());
  queue_fields(sections.queue, queue, ToWire());
  validity_fields(sections.validity, validity, ToWire());
  validity.note = note;
  return {wire::CreateMotion(builder, &motion), wire::CreateOverheads(builder, &overheads),
          wire::CreateBus(builder, &bus),       wire::CreateCache(builder, &cache),
          wire::CreateQueue(builder, &queue),   wire::CreateValidity(builder, &validity)};
}

flatbuffers::Offset<wire::Arms> write_arms(flatbuffers::FlatBufferBuilder& builder,
                                           const engine::ArmTable& arms) {
  if (!arms.several()) return 0;
  wire::ArmsT wire;
  std::uint64_t before = 0;
  for (std::uint32_t i = 0; i < arms.ranges; ++i) {
    wire.range_blocks.push_back(arms.ends[i] - before);
    wire.range_arms.push_back(static_cast<std::uint8_t>(arms.arms[i]));
    before = arms.ends[i];
  }
  wire.interference_ns = arms.interference_ns;
  return wire::CreateArms(builder, &wire);
}

flatbuffers::Offset<wire::Shingling> write_shingling(flatbuffers::FlatBufferBuilder& builder,
                                                     const shingled::Settings& s) {
  if (!s.act()) return 0;
  return wire::CreateShingling(builder, s.blocks, s.cache_blocks, s.band_blocks, s.entries,
                               s.when_idle != 0, s.idle_ns, s.cleaning_ns);
}

namespace {

shingled::Settings read_shingling(const wire::Shingling* wire) {
  shingled::Settings s;
  if (wire == nullptr) return s;
  s.blocks = wire->blocks();
  s.cache_blocks = wire->cache_blocks();
  s.band_blocks = wire->band_blocks();
  s.entries = wire->entries();
  s.when_idle = wire->when_idle() ? 1 : 0;
  s.idle_ns = wire->idle_ns();
  s.cleaning_ns = wire->cleaning_ns();
  return s;
}

engine::ArmTable read_arms(const wire::Arms* wire) {
  engine::ArmTable arms{};
  if (wire == nullptr) return arms;
  const auto& blocks = aligned(*wire->range_blocks());
  const auto& numbers = *wire->range_arms();
  if (blocks.size() != numbers.size() || blocks.size() < 2 ||
      blocks.size() > engine::kMostArmRanges)
    throw Contradiction("its arms have a number of ranges that is none");
  std::uint64_t end = 0;
  for (const std::uint64_t count : blocks) {
    if (count > std::numeric_limits<std::uint64_t>::max() - end)
      throw Contradiction("its arms reach more blocks than there can be");
    end += count;
    arms.ends[arms.ranges] = end;
    arms.arms[arms.ranges] = numbers[arms.ranges];
    arms.count = std::max<std::uint32_t>(arms.count, arms.arms[arms.ranges] + 1);
    ++arms.ranges;
  }
  arms.interference_ns = wire->interference_ns();
  return arms;
}

engine::PowerTable read_power(const wire::Power* wire) {
  engine::PowerTable power{};
  if (wire == nullptr) return power;
  const auto& wake = aligned(*wire->wake_ns());
  const auto& after = aligned(*wire->after_ns());
  if (wake.size() != engine::kPowerConditions || after.size() != engine::kPowerConditions)
    throw Contradiction("it has a number of power conditions that is none");
  std::copy(wake.begin(), wake.end(), power.wake_ns);
  std::copy(after.begin(), after.end(), power.after_ns);
  power.present = std::ranges::any_of(power.wake_ns, [](std::int64_t ns) { return ns > 0; });
  return power;
}

}  // namespace

flatbuffers::Offset<wire::Power> write_power(flatbuffers::FlatBufferBuilder& builder,
                                             const engine::PowerTable& power) {
  if (power.present == 0) return 0;
  wire::PowerT wire;
  wire.wake_ns.assign(std::begin(power.wake_ns), std::end(power.wake_ns));
  wire.after_ns.assign(std::begin(power.after_ns), std::end(power.after_ns));
  return wire::CreatePower(builder, &wire);
}

engine::TableSections read_sections(const wire::Drive& drive) {
  engine::TableSections sections;
  motion_fields(sections.motion, native(drive.motion()), FromWire());
  overheads_fields(sections.overheads, native(drive.overheads()), FromWire());
  bus_fields(sections.bus, native(drive.bus()), FromWire());
  const wire::CacheT cache = native(drive.cache());
  cache_fields(sections.cache, cache, FromWire());
  written_fields(sections.written, cache, FromWire());
  queue_fields(sections.queue, native(drive.queue()), FromWire());
  validity_fields(sections.validity, native(drive.validity()), FromWire());
  sections.arms = read_arms(drive.arms());
  sections.power = read_power(drive.power());
  sections.shingling = read_shingling(drive.shingling());
  return sections;
}

}  // namespace platter::emit_table
