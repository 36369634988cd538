#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

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

// Whether somebody uses it.
struct Use {
  const char* name;  // for programs
  std::optional<std::string> why{};
};

Use use_of(const transport::HostDrive& drive, const std::string& root) {
  if (auto unknown = transport::why_use_is_unknown(drive)) return {"unknown", std::move(unknown)};
  if (auto held = transport::why_held(drive.block, root)) return {"used", std::move(held)};
  return {"free"};
}

std::string in_words(const Use& use) {
  if (!use.why) return "free";
  return (use.name == std::string("used") ? "in use: " : "may be in use: ") + *use.why;
}

void print_json(const std::vector<transport::HostDrive>& drives, const std::string& root) {
  Json real = Json::array(), imagined = Json::array();
  for (const auto& drive : drives) {
    const Use use = use_of(drive, root);
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
  Json document = model::json_head("platter-devices");
  document["drives"] = std::move(real);
  document["virtual"] = std::move(imagined);
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_table(const std::vector<transport::HostDrive>& drives, const std::string& root) {
  fmt::print("drives on this machine{}\n", drives.empty() ? ": no SCSI drive" : "");
  for (const auto& drive : drives)
    fmt::print("  {:<12} {:<10} {:<8} {:<16} {:>10.3f} GB  {}\n", drive.best_name(),
               device_name("/dev/", drive.sg), drive.vendor, drive.product,
               static_cast<double>(drive.bytes) / 1e9, in_words(use_of(drive, root)));
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
    *json ? print_json(drives, *root) : print_table(drives, *root);
  });
}

}  // namespace platter::cli
