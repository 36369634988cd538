#include "cli/registry_signers.h"

#include "registry/remote/remotes.h"

namespace platter::cli {

Signers::Signers(const registry::Store& store) : trusted_(registry_trust::trusted_keys()) {
  for (const registry_remote::Remote& remote : registry_remote::remotes(store)) {
    auto& keys = of_remotes_[remote.name] = trusted_;
    for (const registry_trust::NamedKey& own : remote.key()) keys.push_back(own);
  }
}

registry_trust::SignedBy Signers::of(const registry::Entry& entry) const {
  const auto remote = of_remotes_.find(entry.remote);
  return registry_trust::signed_by(entry.digest, entry.signatures,
                                   remote == of_remotes_.end() ? trusted_ : remote->second);
}

registry_trust::SignedBy Signers::of(const registry::Published& published) const {
  const std::string& digest = published.descriptor.digest;
  return registry_trust::signed_by(digest, registry_trust::signatures_in(published.layout, digest),
                                   trusted_);
}

}  // namespace platter::cli
