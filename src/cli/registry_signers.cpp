#include "cli/registry_signers.h"

#include "model/error.h"
#include "registry/remote/remotes.h"

namespace platter::cli {

Signers::Signers(const registry::Store& store) : trusted_(registry_trust::trusted_keys()) {
  try {
    for (const registry_remote::Remote& remote : registry_remote::remotes(store)) {
      auto& keys = of_remotes_[remote.name] = trusted_;
      for (const registry_trust::NamedKey& own : remote.key()) {
        keys.push_back(own);
        here_.push_back(own);
      }
    }
  } catch (const Error&) {  // a damaged remote, as `remote list` says: its key counts for nothing
  }
  here_.insert(here_.end(), trusted_.begin(), trusted_.end());
}

registry_trust::SignedBy Signers::of(const registry::Entry& entry) const {
  const auto remote = of_remotes_.find(entry.remote);
  return registry_trust::signed_by(entry.digest, entry.signatures,
                                   remote == of_remotes_.end() ? here_ : remote->second);
}

registry_trust::SignedBy Signers::of(const registry::Published& published) const {
  const std::string& digest = published.descriptor.digest;
  return registry_trust::signed_by(digest, registry_trust::signatures_in(published.layout, digest),
                                   here_);
}

}  // namespace platter::cli
