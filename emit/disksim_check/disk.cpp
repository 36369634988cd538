#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "emit/disksim/import_parts.h"
#include "emit/disksim/rules.h"
#include "emit/disksim_check/findings.h"

namespace platter::emit_disksim_check {
namespace {

using emit_disksim::Does;
using emit_disksim::Rule;
using emit_disksim::Told;

constexpr const char* kPostpass = "disksim_disk.c, disk_postpass_perdisk";

// Those that DiskSim looks at when it begins.
void check_flags(const Values& disk, Findings& findings) {
  struct Range {
    const char* name;
    std::int64_t most;
  };
  constexpr Range kLookedAt[] = {{"Read-ahead on idle hit", 1},
                                 {"Combine seq writes", 1},
                                 {"Hold bus entire read xfer", 1},
                                 {"Hold bus entire write xfer", 1},
                                 {"Allow almost read hits", 1},
                                 {"Allow sneaky full read hits", 1},
                                 {"Allow sneaky partial read hits", 1},
                                 {"Allow sneaky intermediate read hits", 1},
                                 {"Allow read hits on write data", 1},
                                 {"Allow write prebuffering", 1},
                                 {"Preseeking level", 2},
                                 {"Never disconnect", 1},
                                 {"Use separate write segment", 1},
                                 {"Fast write level", 2}};
  for (const Range& each : kLookedAt) {
    const std::int64_t value = disk.integer(each.name);
    if (value < 0 || value > each.most)
      findings.add(Effect::stops, disk.where(each.name),
                   fmt::format("\"{}\" = {} is not within 0 to {}", each.name, value, each.most),
                   kPostpass);
  }
}

// Blocks from which on a request makes DiskSim stop, by a rule of blocks that a trace can leave
// out.
std::int64_t first_to_leave_out(const Rule& rule, const Told& told) {
  const std::string_view parameter = rule.parameter;
  const double reach = parameter == "Buffer continuous read"   ? 0
                       : parameter == "Read-ahead on idle hit" ? told.of("Segment size (in blks)")
                                                               : told.longest_track;
  return static_cast<std::int64_t>(told.blocks - reach);
}

// Of a trace it is known whether a request comes there.
Effect effect_there(const Rule& rule, const Told& told, const Findings& findings) {
  if (findings.accesses() == nullptr) return Effect::stops_there;
  const std::int64_t from = first_to_leave_out(rule, told);
  const bool only_writes = std::string_view(rule.parameter) == "Immediate buffer write";
  const bool comes = std::ranges::any_of(*findings.accesses(), [&](const Access& access) {
    return access.write == only_writes && access.lbn + access.blocks >= from;
  });
  return comes ? Effect::stops : Effect::stops_there;
}

std::optional<Effect> effect_of(const Rule& rule, const Told& told, const Findings& findings) {
  switch (deed_of(rule, findings.program()).does) {
    case Does::stops:
      return Effect::stops;
    case Does::never_answers:
      return Effect::never_answers;
    case Does::otherwise:
      return Effect::otherwise;
    case Does::stops_there:
      return effect_there(rule, told, findings);
    case Does::as_told:
      break;
  }
  return rule.wd64.does == Does::stops ? std::optional(Effect::stops_64) : std::nullopt;
}

}  // namespace

std::int64_t most_read_on(const Block& block, const Block& model) {
  const Told told = emit_disksim::told_by(block);
  if (told.of("Enable caching in buffer") == 0) return 0;
  enum Ahead { kNone, kTrack, kCylinder, kSegment, kNextTrack };
  const double segment = told.of("Segment size (in blks)"),
               most = told.of("Maximum read-ahead (blks)");
  const auto track = static_cast<double>(longest_track(model)),
             surfaces = static_cast<double>(Values(model).integer("Number of data surfaces"));
  switch (static_cast<Ahead>(told.of("Buffer continuous read"))) {
    case kTrack:
      return static_cast<std::int64_t>(track);
    case kCylinder:
      return static_cast<std::int64_t>(track * surfaces);
    case kSegment:
      return static_cast<std::int64_t>(most > 0 ? std::min(most, segment) : segment);
    case kNextTrack:
      return static_cast<std::int64_t>(2 * track);
    case kNone:
      break;
  }
  return 0;
}

void check_disk(const Block& block, std::int64_t longest_track, std::int64_t blocks,
                Findings& findings) {
  const Values disk(block);
  check_flags(disk, findings);
  Told told = emit_disksim::told_by(block);
  told.blocks = static_cast<double>(blocks);
  told.values["Block count"] = told.blocks;
  told.longest_track = static_cast<double>(longest_track);
  for (const Rule& rule : emit_disksim::rules()) {
    if (!rule.holds(told)) continue;
    const std::optional<Effect> effect = effect_of(rule, told, findings);
    if (!effect) continue;
    const Program who = *effect == Effect::stops_64 ? Program::wd64 : findings.program();
    findings.add(*effect, disk.where(rule.parameter), in_words(rule, told, who), rule.source);
  }
}

void check_queue(const Block& block, Findings& findings) {
  const Values queue(block);
  const std::int64_t policy = queue.integer("Scheduling policy"),
                     mapping = queue.integer("Cylinder mapping strategy"),
                     priority = queue.integer("Scheduling priority scheme");
  constexpr std::int64_t kPolicies = 28, kAverage = 6;
  if (policy < 1 || policy > kPolicies)
    findings.add(Effect::never_answers, queue.where("Scheduling policy"),
                 fmt::format("\"Scheduling policy\" = {} is none of 1 to {}: what waits stays",
                             policy, kPolicies),
                 "disksim_ioqueue.c, ioqueue_get_next_request");
  if (mapping < 0 || mapping >= kAverage)
    findings.add(Effect::stops, queue.where("Cylinder mapping strategy"),
                 mapping == kAverage
                     ? "\"Cylinder mapping strategy\" = 6 divides by an average that is 0"
                     : fmt::format("\"Cylinder mapping strategy\" = {} is none of 0 to 5", mapping),
                 "disksim_ioqueue.c, ioqueue_get_cylinder_mapping");
  if (priority < 0 || priority > 1)
    findings.add(Effect::stops, queue.where("Scheduling priority scheme"),
                 fmt::format("\"Scheduling priority scheme\" = {} is neither 0 nor 1", priority),
                 "disksim_ioqueue.c, ioqueue_add_new_request");
}

}  // namespace platter::emit_disksim_check
