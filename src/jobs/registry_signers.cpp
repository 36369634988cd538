#include "jobs/registry_signers.h"

#include <fmt/core.h>

#include "jobs/registry_folder.h"
#include "model/error.h"
#include "model/interruption.h"
#include "registry/remote/remotes.h"

namespace platter::jobs {

Signers::Signers(const registry::Store& store) : trusted_(registry_trust::trusted_keys(say)) {
  for (const std::string& name : registry_remote::remote_names(store)) {
    auto& keys = of_remotes_[name] = trusted_;
    try {
      for (const registry_trust::NamedKey& own : registry_remote::remote(store, name).key()) {
        keys.push_back(own);
        here_.push_back(own);
      }
    } catch (const Error& error) {
      let_interruptions_pass(error);
      say(fmt::format("{}; until then its key counts for nothing", error.what()));
    }
  }
  here_.insert(here_.end(), trusted_.begin(), trusted_.end());
}

const std::vector<registry_trust::NamedKey>& Signers::keys_of(const std::string& remote) const {
  const auto found = of_remotes_.find(remote);
  return found == of_remotes_.end() ? trusted_ : found->second;
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

}  // namespace platter::jobs
