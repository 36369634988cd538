// What a tag of a remote names, in the order by which nothing comes in that nobody vouches for: its
// digest, whose signatures that bears, and only then the content.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/leftovers.h"
#include "registry/remote/skopeo.h"
#include "registry/store.h"
#include "registry/trust/signatures.h"

namespace platter::registry_remote {

// A layout that lives as long as one transfer, for skopeo to work in.
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

// Of the manifest's bytes, which are not read otherwise; nothing where there is no such tag.
std::optional<std::string> digest_under(const Skopeo& skopeo, const std::string& tag);

// The signatures of a digest that the remote has. Throws Error(bad_input) for damaged ones.
std::vector<registry::Signature> fetch_signatures(const Skopeo& skopeo, const WorkingLayout& into,
                                                  const std::string& digest);

// The manifest of this digest with its blobs, under the tag `as`. Throws Error(refused) where the
// remote's tag has another one by now, or none.
registry::Descriptor fetch_content(const Skopeo& skopeo, const std::string& tag,
                                   const WorkingLayout& into, const std::string& as,
                                   const std::string& digest);

}  // namespace platter::registry_remote
