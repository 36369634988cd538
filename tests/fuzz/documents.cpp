#include <zstd.h>

#include <cstring>
#include <memory>
#include <sstream>

#include "emit/disksim/import.h"
#include "emit/disksim/import_parts.h"
#include "emit/disksim_check/check.h"
#include "emit/disksim_run/execution_trace.h"
#include "emit/table/table.h"
#include "engine/engine.h"
#include "engine/layout_map.h"
#include "fuzz/targets.h"
#include "model/json.h"
#include "registry/canonical_json.h"
#include "registry/oci.h"
#include "registry/remote/index_lines.h"

namespace platter::fuzz {
namespace {

void look_up(const engine::LayoutMap& map) {
  for (const std::uint64_t lbn : {std::uint64_t{0}, map.blocks() / 2, map.blocks() - 1}) {
    const engine::Pbn place = map.pbn_of_lbn(lbn);
    require(place.cylinder < map.cylinders() && place.head < map.heads(),
            "a block lies on the drive");
    require(map.lbn_of_slot(map.slot_of_lbn(lbn)) == lbn, "a block's slot holds it");
    map.angle_of_lbn(lbn);
  }
}

// First requests, at both ends.
void serve(engine::Engine& engine) {
  Nanoseconds now_ns = 0;
  for (const std::uint64_t lbn : {std::uint64_t{0}, engine.blocks() - 1, engine.blocks() / 3}) {
    engine::Request request;
    request.lbn = lbn;
    request.write = lbn > 0;
    const engine::Completion done = engine.service(request, now_ns);
    require(done.completion_ns >= now_ns, "what was asked for takes time");
    now_ns = done.completion_ns;
  }
}

void model(const std::string& bytes) {
  refusing([&] {
    const model::DriveModel read = model::from_json_text(bytes, "m");
    const std::string text = model::to_json_text(read);
    require(model::to_json_text(model::from_json_text(text, "m")) == text,
            "a model is read as it was written");
    model::tool_version_in(bytes);
    if (read.layout.zones.empty()) return;
    look_up(engine::LayoutMap(read.layout));
    engine::Engine engine(read);
    serve(engine);
  });
}

void table(const std::string& bytes) {
  refusing([&] {
    const emit_table::Table table = emit_table::read_table(std::as_bytes(std::span(bytes)), "t");
    const engine::LayoutMap& map = table.tables->layout;
    for (const std::uint64_t lbn : {std::uint64_t{0}, map.blocks() - 1, map.blocks() / 3}) {
      const engine::Pbn place = map.pbn_of_lbn(lbn);
      require(place.cylinder < map.cylinders() && place.head < map.heads(),
              "a block lies on the drive");
      require(map.track_at(place.cylinder, place.head).has_value(), "a block's track is found");
      map.lbn_of_slot(map.slot_of_lbn(lbn));
    }
    engine::Engine engine(table.tables);
    serve(engine);
  });
}

void disksim(const std::string& bytes) {
  refusing([&] { emit_disksim::import_disksim(file_of(bytes)); });
  refusing([&] { emit_disksim_check::check_files(file_of(bytes)); });
}

// Of three requests, and of one that need not be answered.
void disksim_answers(const std::string& bytes) {
  const emit_disksim_run::Asked asked[] = {{100, 0}, {7, 1'000'000}, {100, 2'000'000}, {0, 3}};
  std::istringstream trace(bytes);
  try {
    const auto times = emit_disksim_run::completions(trace, asked, 1);
    require(times.size() == 3, "each request is answered");
    for (std::size_t i = 0; i < times.size(); ++i)
      require(times[i] >= asked[i].arrival_ns, "no answer comes before its request");
  } catch (const emit_disksim_run::Nonsense&) {
  }
}

emit_disksim::Value value_of(auto data) {
  return {data, {std::make_shared<const std::string>("f"), 1}};
}

emit_disksim::Block block_of(const char* type, std::vector<emit_disksim::NamedValue> values) {
  return {type, "", std::move(values), {std::make_shared<const std::string>("f"), 1}};
}

void seek_file(const std::string& bytes) {
  const emit_disksim::Block block = block_of("dm_mech_g1",
                                             {{"Seek type", value_of(std::string("extracted"))},
                                              {"Full seek curve", value_of(file_of(bytes))}});
  refusing([&] {
    emit_disksim::BlockReader reader(block);
    std::vector<std::string> notes;
    emit_disksim::import_seek(reader, 1000, "", notes);
  });
}

void layout_map_file(const std::string& bytes) {
  const auto zone = [](std::int64_t first, std::int64_t last, std::int64_t sectors) {
    return value_of(std::make_shared<const emit_disksim::Block>(
        block_of("dm_layout_g2_zone", {{"First cylinder number", value_of(first)},
                                       {"Last cylinder number", value_of(last)},
                                       {"First LBN", value_of(std::int64_t{0})},
                                       {"Last LBN", value_of(std::int64_t{100})},
                                       {"Blocks per track", value_of(sectors)},
                                       {"Skew for track switch", value_of(3.0)}})));
  };
  const std::vector<emit_disksim::Value> zones{zone(0, 3, 10), zone(4, 7, 8)};
  const emit_disksim::Block block = block_of(
      "dm_layout_g2", {{"Zones", value_of(zones)}, {"Layout Map File", value_of(file_of(bytes))}});
  refusing([&] {
    std::vector<std::string> notes;
    const auto imported = emit_disksim::import_g2_layout(block, 0, "", notes);
    look_up(engine::LayoutMap(imported.layout));
  });
}

void registry_entry(const std::string& bytes) {
  refusing([&] {
    const registry::Manifest manifest = registry::parse_manifest(bytes, "e");
    require(registry::parse_manifest(registry::manifest_text(manifest), "e").layers.size() ==
                manifest.layers.size(),
            "a manifest is read as it was written");
  });
  refusing([&] {
    registry::parse_index(bytes, "e");
    registry::parse_index(
        registry::index_with(bytes, {"type", "sha256:" + std::string(64, 'a'), 1, {}},
                             {.tag = "v1"}),
        "e");
  });
  refusing([&] { registry::check_layout_marker(bytes, "e"); });
  refusing([&] {
    const std::string canonical = registry::canonical_json(bytes, "e");
    require(registry::canonical_json(canonical, "e") == canonical, "canonical JSON is canonical");
  });
}

// The part "0" of a remote's index; "=" in front: not yet compressed.
void remote_index(const std::string& bytes) {
  std::string part = bytes;
  if (bytes.starts_with('=')) {
    part.resize(ZSTD_compressBound(bytes.size()));
    part.resize(ZSTD_compress(part.data(), part.size(), bytes.data() + 1, bytes.size() - 1, 1));
  }
  refusing([&] {
    model::ReadBudget budget = registry_remote::index_budget("i", part.size());
    const auto entries = registry_remote::entries_in(part, 0, "lab", "i", budget);
    require(budget.taken(model::Cost::entries) == entries.size(), "each entry is counted");
    model::ReadBudget again = registry_remote::index_budget("i", 1 << 20);
    const std::string made = registry_remote::index_parts(entries)[0];
    require(registry_remote::entries_in(made, 0, "lab", "i", again).size() == entries.size(),
            "an index is read as it was written");
  });
}

}  // namespace

std::vector<Target> document_targets() {
  return {{"model", model},
          {"table", table},
          {"disksim", disksim},
          {"disksim-answers", disksim_answers},
          {"disksim-seek", seek_file},
          {"disksim-map", layout_map_file},
          {"registry", registry_entry},
          {"remote-index", remote_index}};
}

}  // namespace platter::fuzz
