#include <fmt/core.h>

#include <algorithm>

#include "emit/disksim_check/findings.h"

namespace platter::emit_disksim_check {
namespace {

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

void check_buffer(const Values& disk, std::int64_t blocks, Findings& findings) {
  const auto stops = [&](const char* name, const std::string& what, const char* source) {
    findings.add(Effect::stops, disk.where(name), what, source);
  };
  const std::int64_t segments = disk.integer("Number of buffer segments"),
                     segment_blocks = disk.integer("Segment size (in blks)"),
                     write_segments = disk.integer("Maximum number of write segments");
  if (segments < 1)
    stops("Number of buffer segments", fmt::format("\"Number of buffer segments\" = {}", segments),
          kPostpass);
  if (segment_blocks < 1 || segment_blocks > blocks)
    stops("Segment size (in blks)",
          fmt::format("\"Segment size (in blks)\" = {} is not within 1 to the drive's {} blocks",
                      segment_blocks, blocks),
          kPostpass);
  else if (segment_blocks == 1)
    stops("Segment size (in blks)", "segments of 1 block hold no request of more",
          "disksim_diskctlr.c, disk_buffer_sector_done");
  if (write_segments < 1 || write_segments > segments)
    stops("Maximum number of write segments",
          fmt::format("\"Maximum number of write segments\" = {} is not within 1 to the {} that "
                      "there are",
                      write_segments, segments),
          kPostpass);
  if (segments <= 1 && disk.integer("Use separate write segment") != 0)
    stops("Use separate write segment", "a cache of one segment has none apart for writes",
          kPostpass);
  if (disk.integer("Minimum read-ahead (blks)") > segment_blocks && segment_blocks > 1)
    stops("Minimum read-ahead (blks)",
          fmt::format("\"Minimum read-ahead (blks)\" = {} is more than a segment of {} holds",
                      disk.integer("Minimum read-ahead (blks)"), segment_blocks),
          "disksim_diskctlr.c, disk_buffer_sector_done");
}

void check_caching(const Values& disk, Findings& findings) {
  if (disk.integer("Enable caching in buffer") == 0)
    for (const char* name : {"Buffer continuous read", "Read any free blocks", "Fast write level"})
      if (disk.integer(name) != 0)
        findings.add(Effect::stops, disk.where(name),
                     fmt::format("\"{}\" = {} without \"Enable caching in buffer\"", name,
                                 disk.integer(name)),
                     kPostpass);
  if (disk.integer("Hold bus entire read xfer") == 1)
    for (const char* name : {"Allow sneaky full read hits", "Allow sneaky partial read hits",
                             "Allow sneaky intermediate read hits"})
      if (disk.integer(name) == 1)
        findings.add(Effect::stops, disk.where(name),
                     fmt::format("\"{}\" = 1 with \"Hold bus entire read xfer\" = 1", name),
                     kPostpass);
}

}  // namespace

void check_disk(const Block& block, std::int64_t blocks, Findings& findings) {
  const Values disk(block);
  check_flags(disk, findings);
  check_buffer(disk, blocks, findings);
  check_caching(disk, findings);
  const std::int64_t depth = disk.integer("Max queue length");
  if (depth < 0)
    findings.add(Effect::stops, disk.where("Max queue length"),
                 fmt::format("\"Max queue length\" = {}", depth), kPostpass);
  else if (depth == 0)
    findings.add(Effect::never_answers, disk.where("Max queue length"),
                 "\"Max queue length\" is 0: the drive takes no request",
                 "disksim_iodriver.c, iodriver_send_event_down_path");
  if (disk.real("Per-request overhead time") > 0)
    findings.add(Effect::stops_64, disk.where("Per-request overhead time"),
                 fmt::format("\"Per-request overhead time\" = {}: requests that have one get no "
                             "number",
                             disk.real("Per-request overhead time")),
                 "docs/disksim.md of platter");
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
