#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/several.h"
#include "cli/streams.h"
#include "cli/subcommands.h"
#include "emit/summary/drive_summary.h"
#include "emit/summary/simulators.h"
#include "model/completeness.h"
#include "model/json.h"
#include "model/json_head.h"
#include "model/json_text.h"
#include "model/printable.h"

namespace platter::cli {
namespace {

using emit_summary::DriveSummary;

DriveSummary loaded(const std::string& path) {
  const model::DriveModel model = model::load_model(path);
  model::require_what_predicts(model, path, "be summed up");
  DriveSummary drive = emit_summary::summary_of(model);
  drive.name = model::printable(drive.name);
  return drive;
}

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
  for (const emit_summary::ZoneRate& zone : drive.zones)
    json["zones"].push_back({{"first_lbn", zone.first_lbn},
                             {"blocks", zone.blocks},
                             {"media_bytes_s", zone.media_bytes_s},
                             {"sustained_bytes_s", zone.sustained_bytes_s}});
  json["simulators"] = nlohmann::ordered_json::array();
  for (const emit_summary::Simulator& simulator : emit_summary::simulators(drive))
    json["simulators"].push_back(
        {{"name", simulator.name}, {"note", simulator.note}, {"text", simulator.text}});
  return model::json_text(json, model::JsonForm::indented) + "\n";
}

std::string summary_in_words(const DriveSummary& drive) {
  std::string text;
  const auto add = [&]<typename... Values>(fmt::format_string<Values...> format,
                                           Values&&... values) {
    text += fmt::format(format, std::forward<Values>(values)...);
  };
  add("{}: {} blocks of {} bytes, {} cylinders, {} heads, {:.2f} rpm\n", drive.name, drive.blocks,
      drive.block_bytes, drive.cylinders, drive.heads, drive.rpm);
  add("seek          average over all blocks {:.3f} ms, a third of the stroke {:.3f} ms, "
      "full stroke {:.3f} ms, track to track {:.3f} ms\n",
      drive.average_seek_ms, drive.third_stroke_ms, drive.full_stroke_ms, drive.track_to_track_ms);
  add("rotation      latency {:.3f} ms; head switch {:.3f} ms, write settle {:.3f} ms\n",
      drive.rotational_latency_ms, drive.head_switch_ms, drive.write_settle_ms);
  add("overheads     read {:.3f} ms, write {:.3f} ms\n", drive.read_overhead_ms,
      drive.write_overhead_ms);
  const emit_summary::ZoneRate& first = drive.zones.front();
  const emit_summary::ZoneRate& last = drive.zones.back();
  add("media rate    {} zones: first {:.3f} MB/s (from track to track {:.3f}), last {:.3f} "
      "({:.3f}); end to end {:.3f}\n",
      drive.zones.size(), first.media_bytes_s / 1e6, first.sustained_bytes_s / 1e6,
      last.media_bytes_s / 1e6, last.sustained_bytes_s / 1e6, drive.sustained_bytes_s / 1e6);
  add("4 KiB         anywhere, without caches: read {:.3f} +- {:.3f} ms, write {:.3f} +- {:.3f} "
      "ms\n",
      drive.random_read_ms, drive.random_read_error_ms, drive.random_write_ms,
      drive.random_write_error_ms);
  for (const emit_summary::Simulator& simulator : emit_summary::simulators(drive))
    add("\n{}: {}\n{}", simulator.name, simulator.note, simulator.text);
  return text;
}

}  // namespace

void add_emit_summary(CLI::App& emit) {
  struct Options {
    std::vector<std::string> models;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = emit.add_subcommand("summary",
                                          "a few figures, for simulators that model no disk");
  command->add_option("MODEL", options->models, "the model file, or several")->required();
  command->add_flag("--json", options->json, "the figures, all zones and the texts as JSON");
  command->callback([options] {
    for_each_of(options->models, options->json, Heading::name,
                [&](const std::string& path, const Print& print) {
                  const DriveSummary drive = loaded(path);
                  print(options->json ? summary_json(drive) : summary_in_words(drive));
                });
  });
}

void add_emit_86box(CLI::App& emit) {
  auto models = std::make_shared<std::vector<std::string>>();
  CLI::App* command = emit.add_subcommand("86box", "a disk preset for 86Box' source");
  command->add_option("MODEL", *models, "the model file, or several")->required();
  command->callback([models] {
    print_as_it_is();
    for_each_of(*models, false, Heading::none, [](const std::string& path, const Print& print) {
      print(emit_summary::preset_86box(loaded(path)));
    });
  });
}

}  // namespace platter::cli
