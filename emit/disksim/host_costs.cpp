#include <fmt/core.h>

#include <algorithm>

#include "emit/disksim/import_parts.h"
#include "model/stand_ins.h"

namespace platter::emit_disksim {
namespace {

void add(const model::Overheads& overheads, model::Parameter& parameter, double more_ms) {
  if (more_ms == 0) return;
  parameter.value = acting(overheads, parameter) + more_ms;
  parameter.unit = "ms";
  parameter.method = "imported";
  parameter.reason.clear();
}

void include_block_times(BlockReader& bus, model::Bus& drive, Notes& notes) {
  const double drive_ms = acting(drive, drive.block_transfer);
  const double read_ms = std::max(drive_ms,
                                  time_of(bus, "Read block transfer time", notes.warnings));
  const double write_ms = std::max(drive_ms,
                                   time_of(bus, "Write block transfer time", notes.warnings));
  if (read_ms > drive_ms) drive.block_transfer.value = read_ms;
  if (write_ms != read_ms) {
    drive.write_block_transfer = drive.block_transfer;
    drive.write_block_transfer.value = write_ms;
  }
}

// The bus that the drive hangs on.
void include_bus(BlockReader& bus, model::DriveModel& model, Notes& notes) {
  include_block_times(bus, model.bus, notes);
  if (!bus.has("Arbitration time")) return;
  const double arbitration_ms = bus.real("Arbitration time");
  add(model.overheads, model.overheads.per_request, arbitration_ms);
  add(model.overheads, model.overheads.first_reselect, arbitration_ms);
  if (acting(model, model.overheads.extra_write_disconnect) != 0) {
    add(model.overheads, model.overheads.other_reselect, arbitration_ms);
  }
}

void include_controller(BlockReader& controller, model::DriveModel& model, Notes& notes) {
  const std::int64_t type = controller.integer("type", 1, 3);
  const double scale = controller.has("Scale for delays") ? controller.real("Scale for delays") : 0;
  if (type == 1) {
    constexpr double kMessage_ms = 1;  // times the scale
    add(model.overheads, model.overheads.per_request, scale * kMessage_ms);
    add(model.overheads, model.overheads.read_completion, 3 * scale * kMessage_ms);
    add(model.overheads, model.overheads.write_completion, 3 * scale * kMessage_ms);
    return;
  }
  controller.take("Bulk sector transfer time");
  notes.warnings.push_back(fmt::format(
      "the controller {} ({}) is of type {}, whose delays, transfer times, queue and cache are no "
      "constant costs and are ignored",
      controller.block().name, controller.block().where.brief(), type));
}

void include_driver(BlockReader& driver, Notes& notes) {
  if (!driver.has("Constant access time")) return;
  const double time_ms = driver.real("Constant access time");
  if (time_ms == 0) return;
  notes.warnings.push_back(
      fmt::format("Constant access time = {} ({}) makes DiskSim answer all requests in that time "
                  "without the drive, and is ignored",
                  time_ms, driver.where("Constant access time").brief()));
}

// The blocks from the drive up to the host.
std::vector<const Block*> way_to_host(const ParameterFile& file, const Block& disk) {
  std::vector<const Block*> way;
  std::string parent;
  for (const Component& component : file.topology) {
    const auto instance = file.instances.find(component.name);
    if (instance != file.instances.end() && instance->second == disk.name)
      parent = component.parent;
  }
  while (!parent.empty() && way.size() <= file.topology.size()) {
    const auto component = std::find_if(file.topology.begin(), file.topology.end(),
                                        [&](const Component& c) { return c.name == parent; });
    const auto instance = file.instances.find(parent);
    if (instance != file.instances.end()) {
      if (const Block* block = file.find(instance->second)) way.push_back(block);
    }
    if (component == file.topology.end()) break;
    parent = component->parent;
  }
  return way;
}

}  // namespace

void include_host_costs(const ParameterFile& file, const Block& disk, model::DriveModel& model,
                        Notes& notes) {
  bool own_bus = true;
  for (const Block* block : way_to_host(file, disk)) {
    BlockReader reader(*block);
    if (block->type == "disksim_bus" && own_bus) {
      include_bus(reader, model, notes);
      own_bus = false;
    } else if (block->type == "disksim_ctlr") {
      include_controller(reader, model, notes);
    } else if (block->type == "disksim_iodriver") {
      include_driver(reader, notes);
    }
    note_without_place(reader, notes);
    note_unknown(reader, notes.warnings);
  }
}

}  // namespace platter::emit_disksim
