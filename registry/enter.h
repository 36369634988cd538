// The one step by which a manifest whose blobs lie in the folder becomes an entry: its tag in the
// drive's image index. All writers go through here: what is published, pulled, signed.
#pragma once

#include <string>
#include <vector>

#include "registry/store.h"

namespace platter::registry {

struct Entered {
  std::string tag;
  bool added = false;  // false: the index held the manifest already, under this tag
};

// As the drive's next version, which "latest" then means; a manifest that is there keeps its tag,
// one that was taken away gets its version back. Throws Error(refused) where numbers are used up.
Entered enter_version(const Store& store, const Lock& lock, const std::string& drive,
                      const Descriptor& manifest);

// Under this tag: a version that was given elsewhere. Versions never move: throws Error(refused)
// where the tag names, or ever named, another manifest. "latest" follows only where no version
// is higher.
Entered enter_as(const Store& store, const Lock& lock, const std::string& drive,
                 const Descriptor& manifest, const std::string& tag);

// The highest number that was ever given, those of versions that were taken away among them.
std::uint64_t highest_version(const ImageIndex& index);

// Whether this manifest may have the version: no other has it, or ever had.
bool is_free(const ImageIndex& index, const std::string& tag, const std::string& digest);

// The signatures of a manifest, under the tag that cosign gives them ("sha256-HEX.sig"). This tag
// alone moves: the next manifest holds one signature more.
void enter_signatures(const Store& store, const Lock& lock, const std::string& drive,
                      const Descriptor& signatures, const std::string& tag);

// Versions, and tags of signatures, out of the image index. `latest` is what "latest" then means.
void take_out(const Store& store, const Lock& lock, const std::string& drive,
              const std::vector<std::string>& tags, const std::string& latest);

}  // namespace platter::registry
