// A layout that lives as long as one transfer, for skopeo to work in.
#pragma once

#include <string>

#include "model/temporary_folder.h"
#include "registry/store.h"

namespace platter::registry_remote {

class WorkingLayout {
 public:
  explicit WorkingLayout(const std::string& drive);

  const registry::Store& store() const { return store_; }
  registry::Layout layout() const { return store_.layout(drive_); }
  std::string folder() const { return layout().folder(); }
  const std::string& drive() const { return drive_; }

 private:
  model::TemporaryFolder folder_;
  registry::Store store_;
  std::string drive_;
};

// The manifest that the layout's index names by this tag. Throws Error(bad_input) where none is.
registry::Descriptor manifest_tagged(const registry::Layout& layout, const std::string& tag);

}  // namespace platter::registry_remote
