// Signatures of manifests in cosign's layout (SIGNATURE_SPEC.md of sigstore/cosign): a manifest
// under the tag sha256-HEX.sig, each layer a payload that names the digest, its signature the
// layer's annotation.
#pragma once

#include <string>
#include <vector>

#include "registry/entry.h"
#include "registry/store.h"
#include "registry/trust/trusted_keys.h"

namespace platter::registry_trust {

inline constexpr const char* kImageConfigType = "application/vnd.oci.image.config.v1+json";

// `place`: HOST/repository, what policies of containers compare ("docker-reference").
registry::Signature signature_of(const std::string& digest, const std::string& place,
                                 const PrivateKey& key);

// The "docker-reference" of a payload: for which repository it was signed; empty: none is said.
std::string place_in(const registry::Signature& signature);

struct SignedBy {
  std::vector<std::string> names;  // of the keys that signed this digest
  std::size_t unknown = 0;         // signatures of this digest that no known key made
  std::size_t misplaced = 0;       // that name another digest, or are no payload of cosign's

  bool known() const { return !names.empty(); }
  // Throws Error(refused) where no known key has signed what is named.
  void require_known(const std::string& reference) const;
  std::string sentence() const;  // "signed by a and b", "signed by an unknown key", "unsigned", ...
};

// The payload must name exactly this digest; whose key it is is tried with each.
SignedBy signed_by(const std::string& digest, const std::vector<registry::Signature>& signatures,
                   const std::vector<NamedKey>& keys);

// Those of the manifest that the layout's index names by the tag of this digest; none where there
// is no such tag. Throws Error(bad_input) for damaged ones.
std::vector<registry::Signature> signatures_in(const registry::Layout& layout,
                                               const std::string& digest);

// Enters those that are not there yet, behind those that are. False: all were there.
bool add_signatures(const registry::Store& store, const registry::Lock& lock,
                    const std::string& drive, const std::string& digest,
                    const std::vector<registry::Signature>& more);

struct Signing {
  std::string reference, digest;
  bool added = false;  // false: this key had signed it before
};
Signing sign(const registry::Store& store, const std::string& reference, const std::string& place,
             const PrivateKey& key);

}  // namespace platter::registry_trust
