#include "registry/take_in.h"

#include <filesystem>

#include "model/leftovers.h"
#include "registry/enter.h"
#include "registry/naming.h"
#include "registry/plausibility.h"
#include "registry/pull.h"
#include "registry/reference.h"

namespace platter::registry {
namespace {

namespace fs = std::filesystem;

// "v3" of "v3" and of "NAME.v3"; empty: the tag has no version.
std::string version_in(const std::string& tag) {
  const std::size_t dot = tag.rfind('.');
  const std::string last = dot == std::string::npos ? tag : tag.substr(dot + 1);
  return version_number(last) > 0 ? last : "";
}

void keep_blob(const Store& store, const std::string& drive, const Layout& from,
               const Descriptor& descriptor) {
  store.put_blob(drive, descriptor.media_type, from.blob(descriptor));
}

Entered enter(const Store& store, const Lock& lock, const std::string& drive,
              const Descriptor& manifest, const std::string& version) {
  const Layout layout = store.layout(drive);
  const ImageIndex index = fs::exists(layout.index_path()) ? layout.index() : ImageIndex{};
  const bool is_there = !tag_of(index, manifest.digest).empty();
  if (is_there || version.empty() || !is_free(index, version, manifest.digest))
    return enter_version(store, lock, drive, manifest);
  return enter_as(store, lock, drive, manifest, version);
}

}  // namespace

void keep_manifest(const Store& store, const std::string& drive, const Layout& from,
                   const Descriptor& descriptor) {
  const Manifest manifest = from.manifest(descriptor);
  keep_blob(store, drive, from, manifest.config);
  for (const Descriptor& layer : manifest.layers) keep_blob(store, drive, from, layer);
  keep_blob(store, drive, from, descriptor);
}

TakenIn take_in(const Store& store, const Lock& lock, const Layout& from,
                const Descriptor& manifest) {
  const Contents contents = open({from, manifest, ""});  // a valid model, before anything is kept
  for (const Descriptor& layer : contents.manifest.layers)
    require_plain_title(layer.annotation(kTitleKey), from.index_path());
  const std::string drive = name_in(store, contents.model.identity,
                                    run_without_number(contents.model));
  const std::string tag = tag_of(from.index(), manifest.digest);
  const model::SignalsHeld held;  // all of it or nothing
  store.create_layout(drive);
  keep_manifest(store, drive, from, manifest);
  const Descriptor plain{manifest.media_type, manifest.digest, manifest.size, {}};
  const Entered entered = enter(store, lock, drive, plain, version_in(tag));
  TakenIn taken{drive, entered.tag, manifest.digest, tag, entered.added, {}};
  for (const Objection& objection : objections_to(contents.model, {}))
    taken.objections.push_back(objection.what);
  return taken;
}

}  // namespace platter::registry
