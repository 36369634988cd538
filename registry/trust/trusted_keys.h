// The public keys that the user knows by name: $XDG_CONFIG_HOME/platter/trust/NAME.pub.
#pragma once

#include <string>
#include <vector>

#include "registry/trust/keys.h"

namespace platter::registry_trust {

struct NamedKey {
  std::string name;
  PublicKey key;
};

// Below ~/.config where XDG_CONFIG_HOME is not set.
std::string trust_folder();

// By name. What else lies there, a file that is no key above all, is passed over, with a notice:
// it may be the one that somebody relies on. Throws Error(refused) where others may change keys or
// add some (model/own_alone.h), Error(permission) where the folder cannot be read.
std::vector<NamedKey> trusted_keys(const Notice& notice,
                                   const std::string& folder = trust_folder());

// Throws Error(bad_input) for a file that is no key, Error(refused) where the name has another key.
void trust_key(const std::string& name, const std::string& path,
               const std::string& folder = trust_folder());
void forget_key(const std::string& name, const std::string& folder = trust_folder());

// Of keys and remotes: letters, digits, '-', '_' and '.', at most 64, no '.' in front.
bool is_plain_name(const std::string& name);

}  // namespace platter::registry_trust
