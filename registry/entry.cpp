#include "registry/entry.h"

namespace platter::registry {

std::string Entry::annotation(const std::string& key) const {
  const auto found = annotations.find(key);
  return found == annotations.end() ? "" : found->second;
}

std::string Entry::reference() const {
  return remote.empty() ? drive + ":" + tag : remote + "/" + drive + "." + tag;
}

}  // namespace platter::registry
