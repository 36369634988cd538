// Who signed an entry, by the keys that the user trusts and those of the remotes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/entry.h"
#include "registry/reference.h"
#include "registry/store.h"
#include "registry/trust/signatures.h"

namespace platter::jobs {

class Signers {
 public:
  // Says what of the trusted keys is passed over, and which remotes' keys count for nothing.
  explicit Signers(const registry::Store& store);

  // That count for what a remote has: its own and the trusted ones.
  const std::vector<registry_trust::NamedKey>& keys_of(const std::string& remote) const;

  registry_trust::SignedBy of(const registry::Entry& entry) const;
  registry_trust::SignedBy of(const registry::Published& published) const;

 private:
  std::vector<registry_trust::NamedKey> trusted_, here_;  // here_: with those of all remotes
  std::map<std::string, std::vector<registry_trust::NamedKey>> of_remotes_;  // the trusted ones,
                                                                             // too
};

}  // namespace platter::jobs
