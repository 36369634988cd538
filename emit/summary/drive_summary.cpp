#include "emit/summary/drive_summary.h"

#include <algorithm>

#include "engine/layout_map.h"
#include "engine/tables.h"
#include "model/interruption.h"
#include "model/seek_curve.h"

namespace platter::emit_summary {
namespace {

constexpr std::size_t kBins = 2048;  // of neighbouring cylinders, where there are more
constexpr double kRandomBytes = 4096;

// Blocks and turns from the first track of a zone to the first of the next.
struct Passage {
  std::uint64_t first_lbn = 0, blocks = 0, slots = 0;
  double tracks = 0, turns = 0;
};

// Calls `see` with each track and how many blocks it holds, remaps ignored.
template <typename See>
void each_track(const engine::LayoutMap& map, const See& see) {
  std::uint64_t lbn = 0, number = 0;
  for (std::uint64_t slot = 0; slot < map.slots();) {
    if (++number % 4096 == 0) stop_if_asked();
    const engine::Track track = map.track_of_slot(slot);
    slot = track.first_slot + track.sectors;
    const std::uint64_t next = map.lbn_at_or_after_slot(slot, std::min(lbn, map.blocks() - 1));
    see(track, lbn, next - lbn);
    lbn = next;
  }
}

std::vector<ZoneRate> rates_of(const std::vector<Passage>& zones, double period_s,
                               std::uint32_t block_bytes) {
  std::vector<ZoneRate> rates;
  for (const Passage& zone : zones) {
    if (zone.blocks == 0) continue;
    const double bytes = static_cast<double>(zone.blocks) * block_bytes;
    const double sectors = static_cast<double>(zone.slots) / zone.tracks;
    rates.push_back({zone.first_lbn, zone.blocks, sectors * block_bytes / period_s,
                     bytes / (zone.turns * period_s)});
  }
  return rates;
}

double third(double cylinders) { return cylinders / 3; }

}  // namespace

double average_seek_ms(const model::Seek& seek, const std::vector<std::uint64_t>& cylinder_blocks) {
  const std::size_t width = (cylinder_blocks.size() + kBins - 1) / kBins;
  std::vector<double> bins((cylinder_blocks.size() + width - 1) / width);
  double all = 0;
  for (std::size_t i = 0; i < cylinder_blocks.size(); ++i) {
    bins[i / width] += static_cast<double>(cylinder_blocks[i]);
    all += static_cast<double>(cylinder_blocks[i]);
  }
  double sum = 0;
  for (std::size_t apart = 0; apart < bins.size(); ++apart) {
    double pairs = 0;
    for (std::size_t i = 0; i + apart < bins.size(); ++i) pairs += bins[i] * bins[i + apart];
    const auto cylinders = static_cast<double>(width);
    // Two in one bin are a third of it apart.
    const double distance = apart == 0 ? (width == 1 ? 0 : third(cylinders))
                                       : static_cast<double>(apart) * cylinders;
    if (distance > 0) sum += (apart == 0 ? 1 : 2) * pairs * model::seek_time_ms(seek, distance);
  }
  return sum / (all * all);
}

double DriveSummary::random_read_ms() const {
  return read_overhead_ms + average_seek_ms + rotational_latency_ms +
         1e3 * kRandomBytes / sustained_bytes_s;
}

double DriveSummary::random_write_ms() const {
  return write_overhead_ms + average_seek_ms + write_settle_ms + rotational_latency_ms +
         1e3 * kRandomBytes / sustained_bytes_s;
}

DriveSummary summary_of(const model::DriveModel& model) {
  const engine::Tables tables(model);
  const engine::LayoutMap& map = tables.layout;
  const double period_s = static_cast<double>(tables.motion.numerator_ns) /
                          static_cast<double>(tables.motion.denominator) / 1e9;
  std::vector<std::uint64_t> cylinder_blocks(map.cylinders());
  std::vector<Passage> zones;
  engine::Track before{};
  std::uint32_t zone = 0;
  each_track(map, [&](const engine::Track& track, std::uint64_t lbn, std::uint64_t blocks) {
    cylinder_blocks[track.cylinder] += blocks;
    // From the start of the track before: its turn, and the skew.
    if (before.sectors > 0)
      zones.back().turns += 1 + engine::rev_from_angle(track.angle - before.angle);
    if (zones.empty() || track.zone != zone) zones.push_back({lbn, 0, 0, 0, 0});
    zone = track.zone;
    before = track;
    zones.back().blocks += blocks;
    zones.back().slots += track.sectors;
    zones.back().tracks += 1;
  });
  zones.back().turns += 1;
  DriveSummary summary;
  summary.name = model.identity.name;
  summary.blocks = model.identity.blocks == 0 ? map.blocks() : model.identity.blocks;
  summary.block_bytes = model.identity.block_bytes;
  summary.heads = map.heads();
  summary.cylinders = map.cylinders();
  summary.tracks = map.tracks();
  summary.rpm = 60 / period_s;
  summary.rotational_latency_ms = 1e3 * period_s / 2;
  const model::Seek seek = model::mean_seek(model);
  const double farthest = map.cylinders() - 1.0;
  summary.average_seek_ms = average_seek_ms(seek, cylinder_blocks);
  summary.third_stroke_ms = model::seek_time_ms(seek, third(farthest));
  summary.full_stroke_ms = model::seek_time_ms(seek, farthest);
  summary.track_to_track_ms = model::seek_time_ms(seek, 1);
  summary.write_settle_ms = tables.seeks.apart()
                                ? model::seek_time_ms(model::write_seek(model), third(farthest)) -
                                      model::seek_time_ms(model.seek, third(farthest))
                                : to_ms(tables.motion.write_settle_ns);
  summary.head_switch_ms = to_ms(tables.motion.head_switch_ns);
  summary.read_overhead_ms = to_ms(tables.overheads.per_request + tables.overheads.read_miss[0] +
                                   tables.overheads.read_completion);
  summary.write_overhead_ms = to_ms(tables.overheads.per_request + tables.overheads.write_miss[1] +
                                    tables.overheads.write_completion);
  summary.zones = rates_of(zones, period_s, summary.block_bytes);
  double turns = 0;
  for (const Passage& passage : zones) turns += passage.turns;
  summary.sustained_bytes_s = static_cast<double>(map.blocks()) * summary.block_bytes /
                              (turns * period_s);
  summary.segments = tables.cache.present != 0 ? tables.cache.segments : 0;
  summary.segment_blocks = tables.cache.segment_blocks;
  summary.ata = model.firmware && model.firmware->ata;
  return summary;
}

}  // namespace platter::emit_summary
