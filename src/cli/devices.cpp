#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/subcommands.h"
#include "model/json_head.h"
#include "transport/holders.h"
#include "transport/host_drives.h"
#include "virtual_drive/catalogue.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string device_name(const std::string& folder, const std::string& name) {
  return name.empty() ? "" : folder + name;
}

void print_json(const std::vector<transport::HostDrive>& drives) {
  Json real = Json::array(), imagined = Json::array();
  for (const auto& drive : drives) {
    const auto held = transport::why_held(drive.block);
    real.push_back({{"device", drive.best_name()},
                    {"sg", device_name("/dev/", drive.sg)},
                    {"block", device_name("/dev/", drive.block)},
                    {"bsg", device_name("/dev/bsg/", drive.bsg)},
                    {"vendor", drive.vendor},
                    {"product", drive.product},
                    {"revision", drive.revision},
                    {"bytes", drive.bytes},
                    {"in_use", held ? Json(*held) : Json(nullptr)}});
  }
  for (const auto& entry : virtual_drive::catalogue())
    imagined.push_back({{"device", "virtual:" + std::string(entry.name)},
                        {"alias", entry.alias.empty() ? Json(nullptr) : Json(entry.alias)},
                        {"description", entry.description}});
  Json document = model::json_head("platter-devices");
  document["drives"] = std::move(real);
  document["virtual"] = std::move(imagined);
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_table(const std::vector<transport::HostDrive>& drives) {
  fmt::print("drives on this machine{}\n", drives.empty() ? ": no SCSI drive" : "");
  for (const auto& drive : drives) {
    const auto held = transport::why_held(drive.block);
    fmt::print("  {:<12} {:<10} {:<8} {:<16} {:>10.3f} GB  {}\n", drive.best_name(),
               device_name("/dev/", drive.sg), drive.vendor, drive.product,
               static_cast<double>(drive.bytes) / 1e9, held ? "in use: " + *held : "free");
  }
  fmt::print("virtual drives\n");
  for (const auto& entry : virtual_drive::catalogue())
    fmt::print("  virtual:{:<24} {}\n", entry.name, entry.description);
  fmt::print("  virtual:{:<24} {}\n", "random-N", "drawn at random, the same one for the same N");
  fmt::print("  virtual:{:<24} {}\n", "modern-random-N", "a drive of today, drawn at random");
}

}  // namespace

void add_devices(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("devices", "drives on this machine, and the virtual ones");
  command->add_flag("--json", *json, "write them as JSON to stdout");
  command->callback([json] {
    const auto drives = transport::host_drives();
    *json ? print_json(drives) : print_table(drives);
  });
}

}  // namespace platter::cli
