// How one names a published model: DRIVE, DRIVE:TAG (DRIVE.vN), DRIVE@sha256:HEX or sha256:HEX; of
// DRIVE and of HEX the beginning is enough, where only one begins so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/store.h"

namespace platter::registry {

struct Published {
  Layout layout;
  Descriptor descriptor;  // of the manifest
  std::string tag;        // "v2", or what others called it; empty for a manifest without one

  std::string reference() const;  // DRIVE:TAG, or DRIVE@DIGEST
};

// DRIVE alone is its latest version. Error(bad_input) if there is none such, if several begin so,
// or if a version's tag was moved to another manifest.
enum class Naming {
  beginning,
  whole,  // for what is deleted, and what is written down for later: tomorrow another may begin so
};
Published find(const Store& store, const std::string& reference, Naming naming = Naming::beginning);

// The number of a version's tag (3 of "v3"), 0 of any other: at most nine digits, no 0 in front.
std::uint64_t version_number(const std::string& tag);

// The versions up to this one, in the order of their numbers.
std::vector<Descriptor> versions_up_to(const ImageIndex& index, std::uint64_t number);
// As find() finds one of these by its tag, without a search. Throws as that does for a tag that was
// moved.
Published version_in(const Layout& layout, const ImageIndex& index, const Descriptor& version);

// The manifest's own tag where several name it: a version rather than "latest".
std::string tag_of(const ImageIndex& index, const std::string& digest);

}  // namespace platter::registry
