#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "emit/disksim_check/findings.h"

namespace platter::emit_disksim_check {
namespace {

using emit_disksim::ParameterFile;

constexpr const char *kInstantiate = "libparam/util.c, lp_instantiate",
                     *kTopology = "disksim_loadparams.c, disksim_topoloader";

void check_components(const ParameterFile& file, const Where& where, Findings& findings) {
  for (const auto& [component, block] : file.instances)
    if (!file.find(block))
      findings.add(Effect::stops, where,
                   fmt::format("{} is to be a {}, and no block is called so", component, block),
                   kInstantiate);
  std::set<std::string> types;
  for (const emit_disksim::Component& component : file.topology) {
    types.insert(component.type);
    const auto made = file.instances.find(component.name);
    const Block* const block = made == file.instances.end() ? nullptr : file.find(made->second);
    if (made == file.instances.end() && component.type != "disksim_iodriver")
      findings.add(
          Effect::stops, where,
          fmt::format("{} stands in the topology and is instantiated as nothing", component.name),
          kTopology);
    else if (made == file.instances.end())
      findings.add(Effect::stops, where, fmt::format("there is no driver {}", component.name),
                   kTopology);
    else if (block && block->type != component.type)
      findings.add(Effect::stops, where,
                   fmt::format("{} is a {} in the topology and a {} by its block", component.name,
                               component.type, block->type),
                   kTopology);
  }
  if (!types.contains("disksim_iodriver"))
    findings.add(Effect::stops, where, "the topology has no disksim_iodriver",
                 "disksim_iodriver.c, iodriver_initialize");
}

// What DiskSim cannot be without; for requests that it makes itself it has blocks of these names.
void check_is_whole(const ParameterFile& file, const Where& where, Findings& findings) {
  if (!file.find("Global"))
    findings.add(Effect::stops, where, "there is no disksim_global Global", kInstantiate);
  constexpr std::pair<const char*, const char*> kForRequests[] = {{"disksim_pf", "Proc"},
                                                                  {"disksim_synthio", "Synthio"}};
  for (const auto& [type, name] : kForRequests)
    if (!file.find(name))
      findings.add(Effect::otherwise, where,
                   fmt::format("there is no {} {}: DiskSim runs traces, and stops where it is to "
                               "make the requests itself",
                               type, name),
                   kInstantiate);
  if (file.topology.empty()) findings.add(Effect::stops, where, "there is no topology", kTopology);
}

void check_controller(const Block& block, Findings& findings) {
  const Values controller(block);
  const std::int64_t type = controller.integer("type");
  constexpr std::int64_t kThrough = 1, kSmart = 3;
  if (type < kThrough || type > kSmart)
    findings.add(Effect::stops, controller.where("type"),
                 fmt::format("there is no controller of type {}", type),
                 "disksim_controller.c, controller_interrupt_arrive");
  if (type == kSmart)
    for (const char* part : {"Scheduler", "Cache"})
      if (!controller.find(part))
        findings.add(Effect::stops, controller.where("type"),
                     fmt::format("a controller of type 3 needs a \"{}\"", part),
                     "disksim_ctlrsmart.c");
}

void check_organization(const ParameterFile& file, const Block& block, std::int64_t blocks,
                        Findings& findings) {
  const Values organization(block);
  for (const Value& device : organization.list("devices")) {
    const std::string name = to_text(device);
    if (std::ranges::none_of(file.topology, [&](const emit_disksim::Component& component) {
          return component.name == name;
        }))
      findings.add(Effect::stops, device.where,
                   fmt::format("the device {} is not in the topology", name),
                   "disksim_logorg.c, logorg_maprequest");
  }
  const std::int64_t unit = organization.integer("Stripe unit");
  if (unit > blocks && blocks > 0)
    findings.add(
        Effect::stops, organization.where("Stripe unit"),
        fmt::format("\"Stripe unit\" = {} is more than the drive's {} blocks", unit, blocks),
        "disksim_logorg.c, logorg_initialize");
}

}  // namespace

void check_simulation(const ParameterFile& file, const std::string& folder, std::int64_t blocks,
                      bool is_whole, Findings& findings) {
  const Where where = file.blocks.empty() ? Where{} : file.blocks.front().where;
  if (is_whole) check_is_whole(file, where, findings);
  if (file.topology.empty() && file.instances.empty()) return;  // a part only
  check_components(file, where, findings);
  for (const Block& block : file.blocks) {
    if (block.type == "disksim_ctlr") check_controller(block, findings);
    if (block.type == "disksim_logorg") check_organization(file, block, blocks, findings);
    if (block.type != "disksim_global") continue;
    const Values global(block);
    const std::string name = global.text("Stat definition file");
    if (!name.empty() && file_named(name, global.where("Stat definition file"), folder).empty())
      findings.add(Effect::stops, global.where("Stat definition file"),
                   fmt::format("there is no stat definition file {}", name), "global.modspec");
  }
}

}  // namespace platter::emit_disksim_check
