#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include "cli/subcommands.h"
#include "jobs/named_drives.h"
#include "transport/host_drives.h"
#include "virtual_drive/catalogue.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string device_name(const std::string& folder, const std::string& name) {
  return name.empty() ? "" : folder + name;
}

void print_devices_json(const std::vector<transport::HostDrive>& drives, const std::string& root) {
  Json real = Json::array(), imagined = Json::array();
  for (const auto& drive : drives) {
    const jobs::DriveUse use = jobs::use_of(drive, root);
    real.push_back({{"device", drive.best_name()},
                    {"sg", device_name("/dev/", drive.sg)},
                    {"block", device_name("/dev/", drive.block)},
                    {"bsg", device_name("/dev/bsg/", drive.bsg)},
                    {"vendor", drive.vendor},
                    {"product", drive.product},
                    {"revision", drive.revision},
                    {"bytes", drive.bytes},
                    {"use", use.name},
                    {"in_use", use.why ? Json(*use.why) : Json(nullptr)}});
  }
  for (const auto& entry : virtual_drive::catalogue())
    imagined.push_back({{"device", "virtual:" + std::string(entry.name)},
                        {"alias", entry.alias.empty() ? Json(nullptr) : Json(entry.alias)},
                        {"description", entry.description}});
  print_json("platter-devices", {{"drives", std::move(real)}, {"virtual", std::move(imagined)}});
}

void print_table(const std::vector<transport::HostDrive>& drives, const std::string& root) {
  fmt::print("drives on this machine{}\n", drives.empty() ? ": no SCSI drive" : "");
  for (const auto& drive : drives)
    fmt::print("  {:<12} {:<10} {:<8} {:<16} {:>10.3f} GB  {}\n", drive.best_name(),
               device_name("/dev/", drive.sg), drive.vendor, drive.product,
               static_cast<double>(drive.bytes) / 1e9, in_words(jobs::use_of(drive, root)));
  fmt::print("virtual drives\n");
  for (const auto& entry : virtual_drive::catalogue())
    fmt::print("  virtual:{:<24} {}\n", entry.name, entry.description);
  fmt::print("  virtual:{:<24} {}\n", "random-N", "drawn at random, the same one for the same N");
  fmt::print("  virtual:{:<24} {}\n", "modern-random-N", "a drive of today, drawn at random");
}

}  // namespace

void add_devices(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  auto root = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("devices", "drives on this machine, and the virtual ones");
  command->add_flag("--json", *json, "write them as JSON to stdout");
  command->add_option("--host-root", *root, "the tree of another host, for tests")->group("");
  command->callback([json, root] {
    const auto drives = transport::host_drives(*root);
    *json ? print_devices_json(drives, *root) : print_table(drives, *root);
  });
}

}  // namespace platter::cli
