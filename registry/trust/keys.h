// Keys of ECDSA over P-256, and signatures by them as cosign writes them: of the SHA-256 of a text,
// DER, base64.
#pragma once

#include <functional>
#include <memory>
#include <string>

struct evp_pkey_st;

namespace platter::registry_trust {

using Notice = std::function<void(const std::string& sentence)>;  // of what is not an error

class PublicKey {
 public:
  explicit PublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  bool operator==(const PublicKey& other) const;
  std::string pem() const;  // SubjectPublicKeyInfo
  bool verifies(const std::string& text, const std::string& base64) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

class PrivateKey {
 public:
  explicit PrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::string sign(const std::string& text) const;
  PublicKey public_key() const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

// Throws Error(bad_input) with `origin` for what is no public key in PEM, or no P-256.
PublicKey public_key_of(const std::string& pem, const std::string& origin);

// A PEM file, or a URI that a provider of OpenSSL 3 opens ("pkcs11:..."). The passphrase of an
// encrypted key is taken from PLATTER_KEY_PASSPHRASE, else asked on the terminal. Throws
// Error(bad_input), and Error(refused) for a file that others may change (model/own_alone.h); of
// one that others may read, a notice.
PrivateKey open_private_key(const std::string& file_or_uri, const Notice& notice);

}  // namespace platter::registry_trust
