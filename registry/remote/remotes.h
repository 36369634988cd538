// The remotes of a registry: each ONE repository of an OCI registry, with the key of its curator.
//
//   DIR/remotes/NAME/remote.json     what `registry remote add` was told
//   DIR/remotes/NAME/index, search.sqlite   what the last refresh fetched, and made of it
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/store.h"
#include "registry/trust/trusted_keys.h"

namespace platter::registry_remote {

struct Remote {
  std::string name, place;  // HOST[:PORT]/repository
  std::string key_pem;      // the curator's public key; empty: its index is not verified
  bool require_signature = false;
  bool plain_http = false;

  bool operator==(const Remote&) const = default;
  std::vector<registry_trust::NamedKey> key() const;  // by the remote's name; none or one
};

// What lies behind "oci://". Throws Error(usage) for what is no repository in letters that the
// distribution specification allows.
std::string place_of(const std::string& url);

// Throws Error(refused) where the name is taken by another remote, or was added otherwise.
void add_remote(const registry::Store& store, const Remote& remote);
void remove_remote(const registry::Store& store, const std::string& name);
std::vector<std::string> remote_names(const registry::Store& store);
// Both throw Error(bad_input) for a damaged description, and Error(refused) for one that others may
// change (model/own_alone.h).
std::vector<Remote> remotes(const registry::Store& store);
// Throws Error(bad_input) where there is none such.
Remote remote(const registry::Store& store, const std::string& name);

std::string remote_folder(const registry::Store& store, const std::string& name);

// An entry is the tag NAME.vN of the repository.
struct EntryTag {
  std::string drive, version;  // "v3"

  std::string text() const { return drive + "." + version; }
};
std::optional<EntryTag> entry_tag(const std::string& text);

}  // namespace platter::registry_remote
