#include "emit/summary/drive_summary.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>

#include "engine/engine.h"
#include "engine/layout_map.h"
#include "engine/tables.h"
#include "model/interruption.h"
#include "model/seek_curve.h"

namespace platter::emit_summary {
namespace {

constexpr std::size_t kBins = 2048;  // of neighbouring cylinders, where there are more
constexpr std::uint32_t kRandomBytes = 4096;

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

struct Mean {
  double mean_ms = 0, error_ms = 0;
};

// Each request follows the answer to the one before.
Mean mean_of_random(const std::shared_ptr<const engine::Tables>& tables, std::uint64_t blocks,
                    std::uint32_t block_bytes, bool write) {
  constexpr std::uint64_t kSeed = 1;
  engine::Engine engine(tables);
  engine.set_cache({.read_cache = false, .write_cache = false, .read_ahead = false}, 0);
  engine::Request request;
  request.blocks = std::max(1U, kRandomBytes / block_bytes);
  request.write = write;
  std::mt19937_64 random(kSeed);
  std::uniform_int_distribution<std::uint64_t> place(
      0, blocks - std::min<std::uint64_t>(blocks, request.blocks));
  Nanoseconds now_ns = 0;
  double mean_ms = 0, squares = 0;
  for (int n = 1; n <= kRandomRequests; ++n) {
    if (n % 4096 == 0) stop_if_asked();
    request.lbn = place(random);
    const Nanoseconds done_ns = engine.service(request, now_ns).completion_ns;
    const double apart_ms = to_ms(done_ns - now_ns) - mean_ms;
    mean_ms += apart_ms / n;
    squares += apart_ms * (to_ms(done_ns - now_ns) - mean_ms);
    now_ns = done_ns;
  }
  return {mean_ms, std::sqrt(squares / kRandomRequests / kRandomRequests)};
}

double third(double cylinders) { return cylinders / 3; }

}  // namespace

BlocksOfCylinders::BlocksOfCylinders(std::size_t cylinders)
    : width_((cylinders + kBins - 1) / kBins), bins_((cylinders + width_ - 1) / width_) {}

double average_seek_ms(const model::Seek& seek, const BlocksOfCylinders& blocks) {
  const std::vector<double>& bins = blocks.bins();
  const std::size_t width = blocks.width();
  const double all = std::accumulate(bins.begin(), bins.end(), 0.0);
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

DriveSummary summary_of(const model::DriveModel& model, RandomMeans means) {
  const auto compiled = std::make_shared<const engine::Tables>(model);
  const engine::Tables& tables = *compiled;
  const engine::LayoutMap& map = tables.layout;
  const double period_s = static_cast<double>(tables.motion.numerator_ns) /
                          static_cast<double>(tables.motion.denominator) / 1e9;
  BlocksOfCylinders cylinder_blocks(map.cylinders());
  std::vector<Passage> zones;
  engine::Track before{};
  std::uint32_t zone = 0;
  each_track(map, [&](const engine::Track& track, std::uint64_t lbn, std::uint64_t blocks) {
    cylinder_blocks.add(track.cylinder, blocks);
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
  const std::uint64_t blocks = std::min(summary.blocks, map.blocks());
  if (means == RandomMeans::computed) {
    const Mean read = mean_of_random(compiled, blocks, summary.block_bytes, false);
    const Mean write = mean_of_random(compiled, blocks, summary.block_bytes, true);
    summary.random_read_ms = read.mean_ms;
    summary.random_read_error_ms = read.error_ms;
    summary.random_write_ms = write.mean_ms;
    summary.random_write_error_ms = write.error_ms;
  }
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
