#include "registry/publish.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/leftovers.h"
#include "registry/annotations.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"
#include "registry/enter.h"
#include "registry/naming.h"
#include "registry/privacy.h"
#include "registry/reference.h"

namespace platter::registry {
namespace {

constexpr const char* kModelTitle = "model.json";

struct File {
  std::string title, media_type, content;
};

std::string media_type_of(const std::string& path) {
  static const std::map<std::string, std::string> by_extension = {
      {".parv", "application/vnd.platter.disksim.v1"},
      {".diskspecs", "application/vnd.platter.disksim.v1"},
      {".model", "application/vnd.platter.disksim.v1"},
      {".seek", "application/vnd.platter.disksim.v1"},
      {".ptab", "application/vnd.platter.table.v1"},
      {".html", "text/html"},
      {".svg", "image/svg+xml"},
      {".json", "application/json"},
      {".jsonl", "application/jsonl"},
      {".csv", "text/csv"},
      {".txt", "text/plain"}};
  const auto found = by_extension.find(std::filesystem::path(path).extension().string());
  return found == by_extension.end() ? "application/octet-stream" : found->second;
}

std::vector<File> read_files(const std::vector<std::string>& paths) {
  std::vector<File> files;
  std::set<std::string> titles{kModelTitle};
  for (const std::string& path : paths) {
    const std::string title = std::filesystem::path(path).filename().string();
    if (!titles.insert(title).second) {
      throw Error(ExitStatus::usage,
                  fmt::format("{}: another file of this publication is called {} too; rename one",
                              path, title));
    }
    files.push_back({title, media_type_of(path), model::read_file(path)});
  }
  return files;
}

Descriptor put(const Store& store, const std::string& drive, const File& file) {
  Descriptor layer = store.put_blob(drive, file.media_type, file.content);
  layer.annotations[kTitleKey] = file.title;
  return layer;
}

}  // namespace

Publication publish(const Store& store, const std::string& model_path,
                    const PublishOptions& options) {
  const std::string text = model::read_file(model_path);
  model::DriveModel model = model::from_json_text(text, model_path);
  const std::string serial = model.identity.serial;
  const std::vector<File> files = read_files(options.files);
  std::string canonical = canonical_json(text, model_path);

  const Lock lock(store);
  if (options.hide_serial) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      require_without_serial(files[i].content, serial, options.files[i]);
    }
    canonical = without_serial(canonical, store);
    model = model::from_json_text(canonical, model_path);
  }
  const std::string drive = name_in(store, model.identity);
  const model::SignalsHeld held;  // all of it or nothing
  store.create_layout(drive);

  Manifest manifest;
  manifest.artifact_type = kArtifactType;
  manifest.config = store.put_blob(drive, kConfigType, kConfig);
  manifest.layers.push_back(put(store, drive, {kModelTitle, kModelType, canonical}));
  for (const File& file : files) manifest.layers.push_back(put(store, drive, file));
  manifest.annotations = annotations_of(model, model::tool_version_in(canonical));
  const Descriptor descriptor = store.put_blob(drive, kManifestType, manifest_text(manifest));
  const auto [tag, added] = enter_version(store, lock, drive, descriptor);
  return {drive + ":" + tag, descriptor.digest, manifest.layers.front().digest, added};
}

}  // namespace platter::registry
