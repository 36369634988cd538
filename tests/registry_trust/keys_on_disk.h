// Keys made for a test by OpenSSL, in a folder that goes away.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "model/file.h"

namespace platter::registry_trust {

class KeysOnDisk {
 public:
  KeysOnDisk() {
    std::string name = (std::filesystem::temp_directory_path() / "platter-keys-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~KeysOnDisk() { std::filesystem::remove_all(folder_); }
  KeysOnDisk(const KeysOnDisk&) = delete;
  KeysOnDisk& operator=(const KeysOnDisk&) = delete;

  const std::string& folder() const { return folder_; }
  // Writes NAME.pem and NAME.pub; returns the path of the first.
  std::string make(const std::string& name, const char* group = "P-256",
                   const char* passphrase = nullptr) const {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen(group), EVP_PKEY_free);
    const std::unique_ptr<BIO, decltype(&BIO_free)> secret(BIO_new(BIO_s_mem()), BIO_free);
    const std::unique_ptr<BIO, decltype(&BIO_free)> open(BIO_new(BIO_s_mem()), BIO_free);
    const bool made = PEM_write_bio_PKCS8PrivateKey(
                          secret.get(), key.get(), passphrase ? EVP_aes_256_cbc() : nullptr,
                          nullptr, 0, nullptr, const_cast<char*>(passphrase)) == 1 &&
                      PEM_write_bio_PUBKEY(open.get(), key.get()) == 1;
    if (!made) throw std::runtime_error("no key");
    model::write_file(folder_ + "/" + name + ".pem", text_of(secret.get()));
    model::write_file(folder_ + "/" + name + ".pub", text_of(open.get()));
    return folder_ + "/" + name + ".pem";
  }

 private:
  static std::string text_of(BIO* bio) {
    char* text = nullptr;
    const long length = BIO_get_mem_data(bio, &text);
    return {text, static_cast<std::size_t>(length)};
  }
  std::string folder_;
};

}  // namespace platter::registry_trust
