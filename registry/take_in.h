// Models that others packed, into this registry: what skopeo fetched, a layout on a stick, another
// registry's folder. Each byte is checked against its digest before it is kept.
#pragma once

#include <string>
#include <vector>

#include "registry/store.h"

namespace platter::registry {

struct TakenIn {
  std::string drive, version;  // as this registry calls them
  std::string digest;          // of the manifest, as it was there
  std::string tag_there;
  bool added = false;                   // false: it was here already
  std::vector<std::string> objections;  // of publish's rules: others may not have kept to them

  std::string reference() const { return drive + ":" + version; }
};

// One model of a layout, with its blobs. A tag vN, or NAME.vN as remotes have it, keeps its number
// where that is free here, and no leap; else it becomes the drive's next version. The name here
// follows from the model, whatever it is called there. Throws Error(bad_input) for what is damaged
// or no valid model; then nothing refers to what was kept of it.
TakenIn take_in(const Store& store, const Lock& lock, const Layout& from,
                const Descriptor& manifest);

// The blobs of a manifest and the manifest, each checked against its descriptor. Nothing refers to
// them yet.
void keep_manifest(const Store& store, const std::string& drive, const Layout& from,
                   const Descriptor& manifest);

}  // namespace platter::registry
