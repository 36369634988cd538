#include "engine/shingles.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/arms.h"
#include "engine/in_parts.h"
#include "engine/layout_map.h"
#include "engine/queue.h"
#include "engine/step.h"
#include "model/stand_ins.h"

namespace platter::engine {
namespace {

// A command that comes while a band is cleaned waits for the end of a step.
constexpr Nanoseconds kLongestStep = 100 * kMillisecond;

std::uint32_t bounded(double value, std::uint32_t most) {
  return static_cast<std::uint32_t>(std::clamp(value, 0.0, static_cast<double>(most)));
}

std::uint64_t slots_of(const model::LayoutNode& node) {
  std::uint64_t slots = node.sectors;
  for (const model::LayoutNode& child : node.children) slots += slots_of(child);
  return slots * node.count;
}

// The first part of the node that has so many slots, and not much more.
model::LayoutNode front_of(const model::LayoutNode& node, std::uint64_t slots) {
  model::LayoutNode front = node;
  const std::uint64_t each = slots_of(node) / node.count;
  front.count = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((slots + each - 1) / each, 1, node.count));
  if (front.count > 1 || front.children.empty()) return front;
  front.children.clear();
  for (const model::LayoutNode& child : node.children) {
    const std::uint64_t has = slots_of(child);
    front.children.push_back(has >= slots ? front_of(child, slots) : child);
    if (has >= slots) break;
    slots -= has;
  }
  return front;
}

}  // namespace

shingled::Settings compile_shingling(const model::DriveModel& model) {
  shingled::Settings settings;
  if (!model.shingling || model.arms || model.identity.blocks == 0) return settings;
  const model::Shingling& s = *model.shingling;
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  settings.blocks = LayoutMap(model.layout).blocks();
  settings.cache_blocks = bounded(acting(s, s.media_cache_blocks), kMost);
  settings.band_blocks = bounded(acting(s, s.band_blocks), kMost);
  if (!settings.act() || settings.blocks / settings.band_blocks >= shingled::kMostBands) return {};
  const std::uint32_t entries = bounded(acting(s, s.map_entries), shingled::kMostEntries);
  settings.entries = entries > 0 ? entries
                                 : bounded(static_cast<double>(settings.cache_blocks),
                                           shingled::kMostEntries);
  settings.when_idle = acting(s, s.cleans_when_idle) != 0 ? 1 : 0;
  settings.idle_ns = from_ms(acting(s, s.idle_threshold));
  settings.cleaning_ns = from_ms(acting(s, s.band_cleaning));
  return settings;
}

model::Layout with_media_cache(const model::Layout& layout, std::uint64_t cache_blocks) {
  model::Layout tracks;
  for (const model::LayoutNode& zone : layout.zones) {
    tracks.zones.push_back(front_of(zone, cache_blocks));
    const std::uint64_t has = slots_of(tracks.zones.back());
    if (has >= cache_blocks) break;
    cache_blocks -= has;
  }
  const auto cylinders = static_cast<std::int32_t>(LayoutMap(tracks).cylinders());
  model::Layout all = layout;
  for (model::LayoutNode& zone : all.zones) zone.cylinder += cylinders;
  std::ranges::move(tracks.zones, std::back_inserter(all.zones));
  return all;
}

// From start_ns on, at most until until_ns but for the step under way then; when it left off.
Nanoseconds Shingles::clean_band(Nanoseconds start_ns, Nanoseconds until_ns) {
  const Nanoseconds needed_ns = tables_.shingling.cleaning_ns;
  Nanoseconds time_ns = start_ns;
  while (time_ns < until_ns && translation_.worked_ns() < needed_ns) {
    const Nanoseconds step_ns = std::min(kLongestStep, needed_ns - translation_.worked_ns());
    translation_.work(step_ns);
    time_ns += step_ns;
  }
  const std::uint64_t band = *translation_.next_dirty();
  Step(tables_, state_).seek(band * tables_.shingling.band_blocks, start_ns, {});
  Core& core = state_.core;
  core.now_ns = core.taken_until_ns = core.idle_since_ns =
      std::max({time_ns, core.now_ns, core.media_free_ns});
  core.media_free_ns = core.now_ns;
  if (translation_.worked_ns() >= needed_ns) translation_.come_home();
  return core.now_ns;
}

// What was begun in idle time up to now_ns. Nothing is outstanding.
void Shingles::clean_until(Nanoseconds now_ns) {
  if (tables_.shingling.when_idle == 0 || translation_.all_home()) return;
  const Core& core = state_.core;
  Nanoseconds time_ns = std::max({core.now_ns, core.taken_until_ns, core.media_free_ns,
                                  core.bus_free_ns, translation_.heard_ns}) +
                        tables_.shingling.idle_ns;
  if (time_ns >= now_ns) return;
  state_.undo_count = 0;
  while (time_ns < now_ns && translation_.next_dirty()) time_ns = clean_band(time_ns, now_ns);
}

void Shingles::make_room(const Request& request, Nanoseconds now_ns) {
  if (translation_.has_room(request.lbn, request.blocks)) return;
  Outstanding(tables_, state_).drain();
  state_.undo_count = 0;
  Nanoseconds time_ns =
      std::max({now_ns, state_.core.now_ns, state_.core.taken_until_ns, state_.core.media_free_ns});
  constexpr Nanoseconds kWhole = std::numeric_limits<Nanoseconds>::max();
  while (!translation_.has_room(request.lbn, request.blocks) && translation_.next_dirty())
    time_ns = clean_band(time_ns, kWhole);
}

// What the request does to the translation; the place of its first block.
std::uint64_t Shingles::begin(const Request& request, Nanoseconds now_ns) {
  translation_.heard_ns = now_ns;
  if (!request.write) return translation_.run_from(request.lbn, request.blocks).at;
  if (translation_.goes_home(request.blocks)) {
    translation_.forget(request.lbn, request.blocks);
    return request.lbn;
  }
  make_room(request, now_ns);
  return translation_.write(request.lbn, request.blocks);
}

// A read whose blocks lie apart: one part after the other, done when the last of them is.
Completion Shingles::serve_in_parts(const Request& request, Nanoseconds now_ns) {
  const std::uint64_t end = request.lbn + request.blocks;
  return engine::serve_in_parts(
      state_, request, now_ns,
      [&](std::uint64_t lbn) { return translation_.run_from(lbn, end - lbn); },
      [&](const shingled::Run& run) {
        Request part = request;
        part.lbn = run.at;
        part.blocks = static_cast<std::uint32_t>(run.blocks);
        return serve_in_turn(tables_, state_, part, now_ns);
      });
}

Completion Shingles::service(const Request& request, Nanoseconds now_ns) {
  clean_until(now_ns);
  Request there = request;
  there.lbn = begin(request, now_ns);
  if (!request.write && translation_.run_from(request.lbn, request.blocks).blocks < request.blocks)
    return serve_in_parts(request, now_ns);
  return serve_in_turn(tables_, state_, there, now_ns);
}

bool Shingles::submit(const Request& request, Nanoseconds arrival_ns) {
  Outstanding outstanding(tables_, state_);
  if (state_.waiting_count + state_.done_count >= state_.room()) return false;
  if (arrival_ns - translation_.heard_ns > tables_.shingling.idle_ns) {
    outstanding.advance(arrival_ns);
    if (state_.waiting_count == 0) clean_until(arrival_ns);
  }
  Request there = request;
  there.lbn = begin(request, arrival_ns);
  if (request.write || translation_.run_from(request.lbn, request.blocks).blocks == request.blocks)
    return outstanding.submit(there, arrival_ns);
  outstanding.drain();
  state_.undo_count = 0;
  outstanding.hand_in(serve_in_parts(request, arrival_ns), state_.served++);
  return true;
}

}  // namespace platter::engine
