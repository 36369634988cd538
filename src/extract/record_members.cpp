#include "extract/record_members.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/passed_over.h"

namespace platter::extract {
namespace {

struct Payload {
  std::string_view name;
  std::vector<std::string_view> members;  // as find_unknown_members takes them
};

const std::vector<Payload>& payloads() {
  static const std::vector<Payload> kPayloads = {
      {"facts",
       {"known", "known.*", "no_write_settle", "no_media_writes", "not_taken_back", "power_asked"}},
      {"session",
       {"stages_before", "begun_anew", "cut", "lost_seconds", "before", "before.drive_seconds",
        "before.commands", "before.translations", "before.bytes_written", "settings",
        "settings.mode_pages", "settings.ata", "settings.ata.write_cache",
        "settings.ata.look_ahead", "settings.ata.power_level", "writable", "seed", "skipped"}},
      {"time_jump", {"kind", "at_ns", "by_ns"}},
      {"answer",
       {"lbn", "places", "format", "remapped", "alternate_track", "reserved_area", "place"}},
      {"taken_back", {"parts", "samples", "media_accesses", "probes"}},
      {"disturbed", {"from", "durations_stay"}},
      {"timing",
       {"experiment", "group", "write", "lbn", "blocks", "issued_ns", "completed_ns", "after_write",
        "after_lbn", "after_completed_ns", "verify", "dispatched_ns", "returned_ns"}},
      {"media_accesses", {"issued_ns", "took_ns", "blocks"}},
      {"cache_setting",
       {"period_ns", "track_blocks", "angles_trusted", "writes_allowed", "complete", "map_known",
        "page", "page.write_cache_enabled", "page.read_cache_disabled", "page.read_ahead_disabled",
        "page.segments", "page.segment_blocks", "page.min_prefetch", "page.max_prefetch",
        "page.prefetch_ceiling"}},
      {"cache_probe",
       {"question", "write", "lbn", "blocks", "issued_ns", "completed_ns", "phase_rev",
        "request_blocks", "to_track_end", "to_cylinder_end", "ahead_rev", "nth", "x_blocks",
        "x_requests", "x_us", "x_setting", "exercise"}},
      {"requests", {"of", "caches", "depth"}},
      {"request", {"lbn", "blocks", "write", "issue_ns", "response_ns"}},
      {"queue", {"asked", "taken", "refused_when_full", "commands", "begins"}},
      {"part", {"notes"}},
      {"stage",
       {"name", "drive_seconds", "commands", "so_far", "so_far.drive_seconds", "so_far.commands",
        "so_far.translations", "so_far.bytes_written", "notes", "failed_write_in"}},
      {"end",
       {"finished", "missing", "failed_write_in", "notes", "last_notes", "source", "date",
        "wall_seconds", "drive_seconds", "commands", "translations", "bytes_written", "seed"}},
  };
  return kPayloads;
}

}  // namespace

void find_unknown_members(const samples::Line& line,
                          const std::function<void(const std::string& member)>& found) {
  const auto payload = std::ranges::find(payloads(), line.payload, &Payload::name);
  if (payload == payloads().end()) return found(line.payload);
  if (!line.fields.is_object()) return;  // whoever takes it says so
  model::find_unknown_members(line.fields, payload->members, [&](const std::string& member) {
    found(line.payload + "." + member);
  });
}

}  // namespace platter::extract
