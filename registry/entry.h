// What list and search know of one published model, wherever it lies.
#pragma once

#include <string>
#include <vector>

#include "registry/oci.h"

namespace platter::registry {

// One of cosign's signatures (its SIGNATURE_SPEC.md): what was signed, and the signature of that.
struct Signature {
  std::string payload;  // JSON that names the digest of a manifest
  std::string base64;   // ECDSA P-256 over the payload's SHA-256, DER

  bool operator==(const Signature&) const = default;
};

struct Entry {
  std::string drive, tag, digest;  // of the manifest
  bool latest = false;
  Annotations annotations;
  std::vector<std::string> files = {};     // titles of the layers
  std::vector<Signature> signatures = {};  // that name this digest; nobody has verified them yet
  std::string remote = {};                 // where it lies; empty: in this folder

  std::string annotation(const std::string& key) const;
  std::string reference() const;  // DRIVE:vN; REMOTE/DRIVE.vN
};

}  // namespace platter::registry
