// A registry in a folder of its own, models to publish, and ways to damage what was published.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "model/drive_model.h"
#include "model/file.h"
#include "model/json.h"
#include "registry/digest.h"
#include "registry/publish.h"

namespace platter::registry {

inline model::DriveModel small_model(const std::string& serial, double seek_ms = 1.25) {
  model::DriveModel model;
  model.identity.vendor = "ACME";
  model.identity.product = "Disk 9";
  model.identity.revision = "1.0";
  model.identity.serial = serial;
  model.identity.blocks = 4000;
  model.identity.heads = 2;
  model.identity.cylinders = 20;
  model.identity.name = "Acme Disk 9";
  model.provenance.method = "characterized";
  model.provenance.source = "/dev/disk/by-id/scsi-" + serial;
  model.provenance.date = "2026-01-02T03:04:05Z";
  model.rotation = {60'000'000'000, 7200, {}};
  model::LayoutNode track{.count = 2, .head_step = 1, .sectors = 100, .children = {}};
  model.layout.zones = {{.count = 20, .cylinder_step = 1, .children = {track}}};
  model.seek.points = {{1, seek_ms, {}, 0}, {19, 8.5, {}, 0}};
  model.validity.demerits = {{"random", 5000, 7.5, 0.12, 1.6, 0.93}};
  return model;
}

class RegistryFolder {
 public:
  RegistryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "platter-registry-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~RegistryFolder() { std::filesystem::remove_all(path_); }
  RegistryFolder(const RegistryFolder&) = delete;
  RegistryFolder& operator=(const RegistryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  Store store() const { return Store(*this / "registry"); }

  std::string write(const std::string& name, const std::string& content) const {
    model::write_file(*this / name, content);
    return *this / name;
  }
  std::string write(const model::DriveModel& model) const {
    return write("model.json", model::to_json_text(model));
  }
  // With the serial number, so that references can be named.
  Publication publish(const model::DriveModel& model,
                      const PublishOptions& options = {.files = {}, .hide_serial = false}) const {
    return registry::publish(store(), write(model), options);
  }

  std::string blob(const std::string& digest) const {
    return store().blobs_folder() + "/" + std::string(hex_of(digest));
  }

  void change(const std::string& path, const std::string& from, const std::string& to) const {
    std::string content = model::read_file(path);
    const std::size_t at = content.find(from);
    if (at == std::string::npos) throw std::runtime_error(path + " has no " + from);
    model::write_file(path, content.replace(at, from.size(), to));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace platter::registry
