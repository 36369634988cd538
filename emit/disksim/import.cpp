#include "emit/disksim/import.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "emit/disksim/block_places.h"
#include "emit/disksim/for_disksim_alone.h"
#include "emit/disksim/import_parts.h"
#include "emit/disksim/libparam.h"
#include "emit/disksim/no_place.h"
#include "engine/layout_map.h"
#include "model/error.h"
#include "model/json.h"
#include "model/validate.h"

namespace platter::emit_disksim {
namespace {

constexpr const char* kMethod = "imported";

// ---------------------------------------------------------------- one parameter

model::Parameter number(BlockReader& reader, const char* name, const char* unit, double scale = 1) {
  model::Parameter parameter;
  parameter.unit = unit;
  if (!reader.has(name)) {
    parameter.reason = fmt::format("the DiskSim file lacks \"{}\"", name);
    return parameter;
  }
  parameter.value = reader.real(name) * scale;
  parameter.method = kMethod;
  return parameter;
}

model::Parameter count(BlockReader& reader, const char* name, std::int64_t low, std::int64_t high,
                       const char* unit = "") {
  if (reader.has(name)) reader.integer(name, low, high);
  return number(reader, name, unit);
}

// ---------------------------------------------------------------- disksim_disk

constexpr std::int64_t kMostOfInt = std::numeric_limits<std::int32_t>::max();

model::Cache import_cache(BlockReader& disk) {
  model::Cache cache;
  cache.read_enabled = count(disk, "Enable caching in buffer", 0, 2);
  cache.write_back_level = count(disk, "Fast write level", 0, 2);
  cache.segments = count(disk, "Number of buffer segments", 1, 65536);
  cache.segment_blocks = count(disk, "Segment size (in blks)", 1, kMostOfInt, "blocks");
  cache.write_segments = count(disk, "Maximum number of write segments", 1, 65536);
  cache.separate_write_segment = count(disk, "Use separate write segment", 0, 1);
  cache.read_ahead = count(disk, "Buffer continuous read", 0, 4);
  cache.read_ahead_min_blocks = count(disk, "Minimum read-ahead (blks)", 0, kMostOfInt, "blocks");
  cache.read_ahead_max_blocks = count(disk, "Maximum read-ahead (blks)", 0, kMostOfInt, "blocks");
  cache.read_ahead_over_requested = count(disk, "Read-ahead over requested", -1, 1);
  cache.read_ahead_on_hit = count(disk, "Read-ahead on idle hit", 0, 1);
  cache.read_free_blocks = count(disk, "Read any free blocks", 0, 1);
  cache.zero_latency_read = count(disk, "Immediate buffer read", 0, 2);
  cache.zero_latency_write = count(disk, "Immediate buffer write", 0, 2);
  cache.read_hit_on_written = count(disk, "Allow read hits on write data", 0, 1);
  cache.combine_sequential_writes = count(disk, "Combine seq writes", 0, 1);
  cache.stop_read_ahead_in_sector = count(disk, "Stop prefetch in sector", 0, 1);
  cache.write_hit_stops_read_ahead = count(disk, "Write hit stop prefetch", 0, 1);
  cache.almost_read_hits = count(disk, "Allow almost read hits", 0, 1);
  return cache;
}

// "Time scale for overheads" multiplies all of them but the two times that DiskSim compares with a
// seek or counts between disconnects.
model::Overheads import_overheads(BlockReader& disk) {
  const double scale = disk.has("Time scale for overheads") ? disk.real("Time scale for overheads")
                                                            : 1.0;
  const auto time = [&](const char* name) { return number(disk, name, "ms", scale); };
  model::Overheads all;
  all.read_hit_after_read = time("Read hit over. after read");
  all.read_hit_after_write = time("Read hit over. after write");
  all.read_miss_after_read = time("Read miss over. after read");
  all.read_miss_after_write = time("Read miss over. after write");
  all.write_hit_after_read = time("Write hit over. after read");
  all.write_hit_after_write = time("Write hit over. after write");
  all.write_miss_after_read = time("Write miss over. after read");
  all.write_miss_after_write = time("Write miss over. after write");
  all.per_request = time("Per-request overhead time");
  all.read_completion = time("Read completion overhead");
  all.write_completion = time("Write completion overhead");
  all.data_preparation = time("Data preparation overhead");
  all.first_reselect = time("First reselect overhead");
  all.other_reselect = time("Other reselect overhead");
  all.read_disconnect_after_read = time("Read disconnect afterread");
  all.read_disconnect_after_write = time("Read disconnect afterwrite");
  all.write_disconnect = time("Write disconnect overhead");
  all.extra_write_disconnect = count(disk, "Extra write disconnect", 0, 1);
  all.extra_disconnect_command = time("Extradisc command overhead");
  all.extra_disconnect_first = time("Extradisc disconnect overhead");
  all.extra_disconnect_inter = number(disk, "Extradisc inter-disconnect delay", "ms");
  all.extra_disconnect_second = time("Extradisc 2nd disconnect overhead");
  all.extra_disconnect_seek_delta = time("Extradisc seek delta");
  all.minimum_seek_delay = number(disk, "Minimum seek delay", "ms");
  return all;
}

model::Bus import_bus(BlockReader& disk, Notes& notes) {
  model::Bus bus;
  bus.block_transfer = number(disk, "Bulk sector transfer time", "ms");
  if (bus.block_transfer.value)
    bus.block_transfer.value = time_of(disk, "Bulk sector transfer time", notes.warnings);
  bus.high_read_watermark = number(disk, "High (read) water mark", "");
  bus.watermark_by_request_size = count(disk, "Set watermark by reqsize", 0, 1);
  return bus;
}

model::Queue import_queue(BlockReader& disk, Notes& notes) {
  model::Queue queue;
  queue.depth = count(disk, "Max queue length", 0, kMostOfInt);
  queue.preseeking = count(disk, "Preseeking level", 0, 2);
  queue.hits_overtake = count(disk, "Allow sneaky full read hits", 0, 1);
  if (!disk.has("Scheduler")) return queue;
  BlockReader scheduler(disk.inner("Scheduler"));
  queue.policy = count(scheduler, "Scheduling policy", 0, kMostOfInt);
  note_without_place(scheduler, notes);
  note_unknown(scheduler, notes.warnings);
  return queue;
}

std::vector<model::DisksimParameter> import_for_disksim_alone(BlockReader& disk) {
  std::vector<model::DisksimParameter> kept;
  for (const ForDisksimAlone& parameter : kForDisksimAlone) {
    if (!disk.has(parameter.name)) continue;
    if (parameter.flag) disk.integer(parameter.name, 0, 1);
    kept.push_back({parameter.name, disk.real(parameter.name)});
  }
  return kept;
}

void import_disk(BlockReader& disk, model::DriveModel& model, Notes& notes) {
  model.cache = import_cache(disk);
  model.overheads = import_overheads(disk);
  model.bus = import_bus(disk, notes);
  model.queue = import_queue(disk, notes);
  model.disksim = import_for_disksim_alone(disk);
  disk.take("Model");
  note_without_place(disk, notes);
  note_unknown(disk, notes.warnings);
}

// ---------------------------------------------------------------- dm_disk

void import_mechanics(const Block& block, model::DriveModel& model, const std::string& top_folder,
                      Notes& notes) {
  if (block.type != "dm_mech_g1") {
    throw Error(ExitStatus::unsupported,
                fmt::format("{}: the mechanical model {} cannot be imported, only dm_mech_g1",
                            block.where.text(), block.type));
  }
  BlockReader mechanics(block);
  const std::string access = mechanics.text("Access time type");
  if (access != "trackSwitchPlusRotation") {
    throw Error(
        ExitStatus::unsupported,
        fmt::format("{}: the access time type {} cannot be imported, only trackSwitchPlusRotation",
                    mechanics.where("Access time type").text(), access));
  }
  const std::int64_t rpm = mechanics.integer("Rotation speed (in rpms)", 10, 500000);
  model.rotation.numerator_ns = 60'000'000'000;
  model.rotation.denominator = static_cast<std::uint64_t>(rpm);
  model.rotation.period.value = 60e9 / static_cast<double>(rpm);
  model.rotation.period.unit = "ns";
  model.rotation.period.method = kMethod;
  model.head_switch = number(mechanics, "Head switch time", "ms");
  model.write_settle = number(mechanics, "Add. write settling delay", "ms");
  ImportedSeeks seeks = import_seek(mechanics, model.identity.cylinders, top_folder,
                                    notes.warnings);
  model.seek = std::move(seeks.reads);
  model.write_seek = std::move(seeks.writes);
  note_without_place(mechanics, notes);
  note_unknown(mechanics, notes.warnings);
}

constexpr std::int64_t kMostOfFile = std::numeric_limits<std::int64_t>::max();

// The layout, and the numbers of heads and cylinders if they are not known yet (0).
void import_layout(const Block& block, std::int64_t block_count, const std::string& top_folder,
                   model::DriveModel& model, Notes& notes) {
  if (block.type == "dm_layout_g1") {
    model.layout = import_g1_layout(block, model.identity.heads, notes.warnings);
  } else if (block.type == "dm_layout_g2") {
    G2Layout g2 = import_g2_layout(block, block_count, top_folder, notes.warnings);
    model.layout = std::move(g2.layout);
    if (model.identity.heads == 0) model.identity.heads = g2.heads;
    if (model.identity.cylinders == 0) model.identity.cylinders = g2.cylinders;
  } else if (block.type == "dm_layout_g4") {
    model.layout = import_g4_layout(block, block_count, notes.warnings);
    if (model.identity.heads == 0) model.identity.heads = engine::LayoutMap(model.layout).heads();
  } else {
    throw Error(ExitStatus::unsupported, fmt::format("{}: the layout {} cannot be imported, only "
                                                     "dm_layout_g1, dm_layout_g2 and dm_layout_g4",
                                                     block.where.text(), block.type));
  }
  if (const std::uint32_t used = engine::LayoutMap(model.layout).heads();
      model.identity.heads != used) {
    notes.warnings.push_back(fmt::format("{}: the layout has {} heads, not {}; the model has those",
                                         block.where.text(), used, model.identity.heads));
    model.identity.heads = used;
  }
  if (block.type != "dm_layout_g1") require_tracks_once(model.layout, block.where);
  model.layout.angle.reason = "imported: no error is stated for the angles";
  model.identity.blocks = model::count_blocks(model.layout);
}

void import_model(const Block& block, model::DriveModel& model, const std::string& top_folder,
                  Notes& notes) {
  BlockReader reader(block);
  if (block.type != "dm_disk") {
    fail_at(block.where, fmt::format("\"Model\" must be a dm_disk block, not {}", block.type));
  }
  model.identity.heads =
      static_cast<std::uint32_t>(reader.integer("Number of data surfaces", 1, model::kMostHeads));
  model.identity.cylinders =
      static_cast<std::uint32_t>(reader.integer("Number of cylinders", 1, kMostCylinders));
  const std::int64_t said = reader.has("Block count")
                                ? reader.integer("Block count", 0, kMostOfFile)
                                : 0;
  import_layout(reader.inner("Layout Model"), said, top_folder, model, notes);
  const std::uint32_t used = model::cylinders_of(model.layout);
  if (used > model.identity.cylinders) {
    notes.warnings.push_back(
        fmt::format("Number of cylinders = {} ({}) is too small for the zones, which reach {}",
                    model.identity.cylinders, reader.where("Number of cylinders").brief(), used));
    model.identity.cylinders = used;
  }
  import_mechanics(reader.inner("Mechanical Model"), model, top_folder, notes);
  if (said != 0 && static_cast<std::uint64_t>(said) != model.identity.blocks) {
    notes.idle.push_back(
        {fmt::format("Block count = {} (the layout maps {})", said, model.identity.blocks), ""});
  }
  note_unknown(reader, notes.warnings);
}

// ---------------------------------------------------------------- the parameter set

const Block& choose_disk(const ParameterFile& file, const std::string& path,
                         const std::string& wanted) {
  std::vector<const Block*> disks, used;
  for (const Block& block : file.blocks) {
    if (block.type != "disksim_disk") continue;
    if (block.name == wanted) return block;
    disks.push_back(&block);
    const bool instantiated = std::any_of(file.instances.begin(), file.instances.end(),
                                          [&](const auto& i) { return i.second == block.name; });
    if (instantiated) used.push_back(&block);
  }
  if (!used.empty()) disks = used;
  if (disks.size() == 1 && wanted.empty()) return *disks[0];
  std::vector<std::string> names;
  for (const Block* disk : disks) names.push_back(disk->name);
  if (disks.empty())
    throw Error(ExitStatus::bad_input, fmt::format("{}: holds no disksim_disk block", path));
  throw Error(
      ExitStatus::bad_input,
      wanted.empty()
          ? fmt::format("{}: holds several drives, choose one of them with --drive: {}", path,
                        fmt::join(names, ", "))
          : fmt::format("{}: holds no drive {}, only {}", path, wanted, fmt::join(names, ", ")));
}

// DIXtrac's block names are VENDOR_PRODUCT..., those of DiskSim's validation sets end in _validate.
void name_drive(const std::string& block_name, model::Identity& identity) {
  std::string name = block_name;
  for (const std::string suffix : {"_model", "_validate"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  if (name.empty()) return;
  identity.name = name;
  const std::size_t space = name.find(' ');
  identity.product = space == std::string::npos ? name : name.substr(space + 1);
  if (space != std::string::npos) identity.vendor = name.substr(0, space);
}

Imported begin_import(const std::string& path, const std::string& block_name) {
  Imported result;
  name_drive(block_name, result.model.identity);
  result.model.provenance.method = kMethod;
  result.model.provenance.source = fmt::format("DiskSim parameter file {}{}{}",
                                               std::filesystem::path(path).filename().string(),
                                               block_name.empty() ? "" : ", ", block_name);
  return result;
}

Imported finish_import(Imported result, Notes notes, const std::string& path) {
  std::vector<std::string>& kept = result.model.provenance.notes;
  kept.insert(kept.end(), notes.warnings.begin(), notes.warnings.end());
  if (!notes.idle.empty()) kept.push_back(notes.idle_text());
  result.warnings.insert(result.warnings.end(), notes.warnings.begin(), notes.warnings.end());
  model::validate(result.model, path);
  return result;
}

// ---------------------------------------------------------------- less than a whole drive

// The dm_disk or layout of a file without a disksim_disk.
const Block* part_of_drive(const ParameterFile& file) {
  const Block* part = nullptr;
  for (const Block& block : file.blocks) {
    if (block.type == "disksim_disk") return nullptr;
    if (part == nullptr && (block.type == "dm_disk" || block.type.starts_with("dm_layout_")))
      part = &block;
  }
  return part;
}

Imported rest_of_drive(const std::string& with, TakenAs taken_as) {
  if (!with.ends_with(".json")) return import_disksim(with, "", "", taken_as);
  return {model::load_model(with), {}};
}

// What `path` does not tell comes from `with`; without it, it is missing, which a warning says.
Imported import_part(const Block& part, const std::string& path, const std::string& top_folder,
                     const std::string& with, TakenAs taken_as) {
  const bool layout_only = part.type != "dm_disk";
  Imported result = begin_import(path, part.name);
  Notes notes;
  if (!with.empty()) {
    const std::string source = result.model.provenance.source;
    Imported rest = rest_of_drive(with, taken_as);
    result.warnings = std::move(rest.warnings);
    std::swap(result.model, rest.model);
    result.model.provenance.method = kMethod;
    result.model.provenance.source = fmt::format("{}; the rest from {}", source,
                                                 std::filesystem::path(with).filename().string());
    result.model.validity = {};
    result.model.identity.cylinders = 0;
    if (part.type != "dm_layout_g1") result.model.identity.heads = 0;
  }
  model::DriveModel& model = result.model;
  if (layout_only) {
    if (part.type == "dm_layout_g1" && model.identity.heads == 0) {
      throw Error(
          ExitStatus::bad_input,
          fmt::format(
              "{} holds a layout of type dm_layout_g1 alone, which does not tell the number of "
              "heads: "
              "import the file that names it, or add --with a model or DiskSim file that has them",
              path));
    }
    import_layout(part, 0, top_folder, model, notes);
    model.identity.cylinders = std::max(model.identity.cylinders,
                                        model::cylinders_of(model.layout));
  } else {
    import_model(part, model, top_folder, notes);
  }
  if (with.empty()) {
    notes.warnings.push_back(
        fmt::format("{} holds {}; add --with and a model or DiskSim file that has the rest",
                    std::filesystem::path(path).filename().string(),
                    layout_only ? "a layout only: rotation, seeks, cache and overheads are missing"
                                : "layout and mechanics only: cache and overheads are missing"));
  }
  return finish_import(std::move(result), std::move(notes), path);
}

}  // namespace

Imported import_disksim(const std::string& path, const std::string& drive, const std::string& with,
                        TakenAs taken_as) {
  const ParameterFile file = parse_parameter_file(path);
  const std::string top_folder = std::filesystem::path(path).parent_path().string();
  if (const Block* part = part_of_drive(file))
    return import_part(*part, path, top_folder, with, taken_as);
  if (!with.empty()) {
    throw Error(
        ExitStatus::usage,
        fmt::format("{} describes a whole drive, which --with {} cannot add to", path, with));
  }
  const Block& block = choose_disk(file, path, drive);
  Imported result = begin_import(path, block.name);
  model::DriveModel& model = result.model;
  Notes notes;
  BlockReader disk(block);
  import_model(disk.inner("Model"), model, top_folder, notes);
  import_disk(disk, model, notes);
  take_as(taken_as, told_by(block), model);
  include_host_costs(file, block, model, notes);
  return finish_import(std::move(result), std::move(notes), path);
}

}  // namespace platter::emit_disksim
