#include "registry/pull.h"

#include <fmt/core.h>

#include <filesystem>

#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/leftovers.h"

namespace platter::registry {
namespace {

const Descriptor& model_layer(const Manifest& manifest, const Published& published) {
  if (manifest.is_model()) {
    for (const Descriptor& layer : manifest.layers) {
      if (layer.media_type == kModelType) return layer;
    }
  }
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: is not the model of a drive but an artifact of type \"{}\"",
                          published.reference(), manifest.artifact_type));
}

}  // namespace

Contents open(const Published& published) {
  const Layout& layout = published.layout;
  Manifest manifest = layout.manifest(published.descriptor);
  const Descriptor& layer = model_layer(manifest, published);
  std::string text = layout.blob(layer);
  model::DriveModel model = model::from_json_text(text, layout.blob_path(layer.digest));
  model::say_passed_over(model.passed_over);
  return {std::move(manifest), std::move(text), std::move(model)};
}

std::vector<std::string> pull_files(const Published& published, const std::string& folder,
                                    const BeforeWriting& before_writing) {
  const Manifest manifest = published.layout.manifest(published.descriptor);
  const model::SignalsHeld held;  // all of them or none
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::vector<std::string> paths, contents;
  for (const Descriptor& layer : manifest.layers) {
    if (layer.media_type == kModelType) continue;
    const std::string title = layer.annotation(kTitleKey);
    require_plain_title(title, published.reference());
    paths.push_back(folder + "/" + title);
    contents.push_back(published.layout.blob(layer));
    if (before_writing) before_writing(paths.back(), contents.back());
  }
  for (std::size_t i = 0; i < paths.size(); ++i) model::write_file(paths[i], contents[i]);
  return paths;
}

}  // namespace platter::registry
