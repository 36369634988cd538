// Entries from the folder to a remote and back. skopeo works in a temporary layout; what it brings
// is checked, then entered under the lock.
#pragma once

#include <string>
#include <vector>

#include "registry/reference.h"
#include "registry/remote/remotes.h"
#include "registry/trust/signatures.h"

namespace platter::registry_remote {

struct Pushed {
  std::string reference;  // REMOTE/NAME.vN
  std::string digest;
  bool sent = false;             // false: the tag named this digest already
  bool signatures_sent = false;  // false: the remote had all that are here
};

// Throws Error(refused) where the tag names another digest there: tags never move.
Pushed push(const registry::Store& store, const std::string& reference, const Remote& remote);
// Every version of every drive in the folder.
std::vector<Pushed> push_all(const registry::Store& store, const Remote& remote);

struct Pulled {
  registry::Published published;  // as it is in the folder now
  registry_trust::SignedBy signed_by;
  bool added = false;                        // false: the folder had it
  std::vector<std::string> objections = {};  // of publish's rules (take_in.h)
};

struct PullRules {
  bool require_signature = false;
  std::string expected_digest = {};  // what the remote's index said of the tag; empty: not known
};

// Throws Error(refused) for what is not signed by a key in `keys` where that is required, or where
// the remote has a key and its index does not name the tag either, and for a tag that was moved;
// Error(bad_input) for what is damaged or no valid model. Then nothing is entered.
Pulled pull(const registry::Store& store, const Remote& remote, const EntryTag& tag,
            const std::vector<registry_trust::NamedKey>& keys, const PullRules& rules);

}  // namespace platter::registry_remote
