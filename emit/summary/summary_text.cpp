#include "emit/summary/summary_text.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "emit/summary/simulators.h"
#include "model/json_text.h"

namespace platter::emit_summary {

std::string summary_json(const DriveSummary& drive) {
  nlohmann::ordered_json json = model::json_head("platter-emit-summary");
  json.update({{"name", drive.name},
               {"blocks", drive.blocks},
               {"block_bytes", drive.block_bytes},
               {"heads", drive.heads},
               {"cylinders", drive.cylinders},
               {"tracks", drive.tracks},
               {"rpm", drive.rpm},
               {"rotational_latency_ms", drive.rotational_latency_ms},
               {"average_seek_ms", drive.average_seek_ms},
               {"third_stroke_ms", drive.third_stroke_ms},
               {"full_stroke_ms", drive.full_stroke_ms},
               {"track_to_track_ms", drive.track_to_track_ms},
               {"write_settle_ms", drive.write_settle_ms},
               {"head_switch_ms", drive.head_switch_ms},
               {"read_overhead_ms", drive.read_overhead_ms},
               {"write_overhead_ms", drive.write_overhead_ms},
               {"sustained_bytes_s", drive.sustained_bytes_s},
               {"random_read_ms", drive.random_read_ms},
               {"random_write_ms", drive.random_write_ms},
               {"random_read_error_ms", drive.random_read_error_ms},
               {"random_write_error_ms", drive.random_write_error_ms}});
  json["zones"] = nlohmann::ordered_json::array();
  for (const ZoneRate& zone : drive.zones)
    json["zones"].push_back({{"first_lbn", zone.first_lbn},
                             {"blocks", zone.blocks},
                             {"media_bytes_s", zone.media_bytes_s},
                             {"sustained_bytes_s", zone.sustained_bytes_s}});
  json["simulators"] = nlohmann::ordered_json::array();
  for (const Simulator& simulator : simulators(drive))
    json["simulators"].push_back(
        {{"name", simulator.name}, {"note", simulator.note}, {"text", simulator.text}});
  return model::json_text(json, model::JsonForm::indented) + "\n";
}

std::string summary_in_words(const DriveSummary& drive) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}: {} blocks of {} bytes, {} cylinders, {} heads, {:.2f} rpm\n", drive.name,
                 drive.blocks, drive.block_bytes, drive.cylinders, drive.heads, drive.rpm);
  fmt::format_to(
      out,
      "seek          average over all blocks {:.3f} ms, a third of the stroke {:.3f} ms, "
      "full stroke {:.3f} ms, track to track {:.3f} ms\n",
      drive.average_seek_ms, drive.third_stroke_ms, drive.full_stroke_ms, drive.track_to_track_ms);
  fmt::format_to(out,
                 "rotation      latency {:.3f} ms; head switch {:.3f} ms, write settle {:.3f} ms\n",
                 drive.rotational_latency_ms, drive.head_switch_ms, drive.write_settle_ms);
  fmt::format_to(out, "overheads     read {:.3f} ms, write {:.3f} ms\n", drive.read_overhead_ms,
                 drive.write_overhead_ms);
  const ZoneRate& first = drive.zones.front();
  const ZoneRate& last = drive.zones.back();
  fmt::format_to(
      out,
      "media rate    {} zones: first {:.3f} MB/s (from track to track {:.3f}), last {:.3f} "
      "({:.3f}); end to end {:.3f}\n",
      drive.zones.size(), first.media_bytes_s / 1e6, first.sustained_bytes_s / 1e6,
      last.media_bytes_s / 1e6, last.sustained_bytes_s / 1e6, drive.sustained_bytes_s / 1e6);
  fmt::format_to(
      out,
      "4 KiB         anywhere, without caches: read {:.3f} +- {:.3f} ms, write {:.3f} +- {:.3f} "
      "ms\n",
      drive.random_read_ms, drive.random_read_error_ms, drive.random_write_ms,
      drive.random_write_error_ms);
  for (const Simulator& simulator : simulators(drive))
    fmt::format_to(out, "\n{}: {}\n{}", simulator.name, simulator.note, simulator.text);
  return text;
}

}  // namespace platter::emit_summary
