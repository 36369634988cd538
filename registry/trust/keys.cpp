#include "registry/trust/keys.h"

#include <fmt/core.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/store.h>
#include <openssl/ui.h>
#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/own_alone.h"

namespace platter::registry_trust {
namespace {

using KeyPointer = std::shared_ptr<EVP_PKEY>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

[[noreturn]] void no_key(const std::string& origin, const std::string& what) {
  ERR_clear_error();
  throw Error(ExitStatus::bad_input, fmt::format("{}: {}", origin, what));
}

KeyPointer owned(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }

Bio reading(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

void require_p256(const EVP_PKEY* key, const std::string& origin) {
  char group[64] = "";
  if (EVP_PKEY_get_group_name(key, group, sizeof group, nullptr) != 1 ||
      std::string_view(group) != "prime256v1")
    no_key(origin,
           "is a key, but not of ECDSA over P-256; openssl ecparam -genkey -name prime256v1 makes "
           "one");
}

// Called for encrypted keys only (pem_password_cb of OpenSSL).
int passphrase(char* buffer, int size, int /*writing*/, void* /*data*/) {
  if (const char* const given = std::getenv("PLATTER_KEY_PASSPHRASE")) {
    const std::size_t length = std::strlen(given);
    if (length >= static_cast<std::size_t>(size)) return -1;
    std::memcpy(buffer, given, length);
    return static_cast<int>(length);
  }
  if (EVP_read_pw_string_min(buffer, 1, size, "passphrase of the key: ", 0) != 0) return -1;
  return static_cast<int>(std::strlen(buffer));
}

KeyPointer private_key_in_file(const std::string& path) {
  const std::string text = model::read_file(path);
  for (const char* const own : {"ENCRYPTED SIGSTORE PRIVATE KEY", "ENCRYPTED COSIGN PRIVATE KEY"}) {
    if (text.find(own) != std::string::npos)
      no_key(path,
             "is in cosign's own form, which cosign alone opens: sign with cosign, or make a key "
             "with openssl "
             "ecparam");
  }
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(reading(text).get(), nullptr, passphrase, nullptr);
  if (key == nullptr)
    no_key(path,
           "is no private key in PEM, or its passphrase is another (PLATTER_KEY_PASSPHRASE, or the "
           "terminal)");
  return owned(key);
}

KeyPointer private_key_in_store(const std::string& uri) {
  const std::unique_ptr<UI_METHOD, decltype(&UI_destroy_method)> asking(
      UI_UTIL_wrap_read_pem_callback(passphrase, 0), UI_destroy_method);
  const std::unique_ptr<OSSL_STORE_CTX, decltype(&OSSL_STORE_close)> store(
      OSSL_STORE_open(uri.c_str(), asking.get(), nullptr, nullptr, nullptr), OSSL_STORE_close);
  while (store && OSSL_STORE_eof(store.get()) == 0 && OSSL_STORE_error(store.get()) == 0) {
    const std::unique_ptr<OSSL_STORE_INFO, decltype(&OSSL_STORE_INFO_free)> info(
        OSSL_STORE_load(store.get()), OSSL_STORE_INFO_free);
    if (info && OSSL_STORE_INFO_get_type(info.get()) == OSSL_STORE_INFO_PKEY)
      return owned(OSSL_STORE_INFO_get1_PKEY(info.get()));
  }
  no_key(uri,
         "holds no private key that OpenSSL opens; its provider must be set up in openssl.cnf");
}

// Of "file:me.pem", "file:/home/me.pem", "file:///home/me.pem" (RFC 8089), which OpenSSL opens
// itself; empty for other schemes.
std::string file_of_uri(const std::string& uri) {
  constexpr std::string_view kFile = "file:";
  if (::strncasecmp(uri.c_str(), kFile.data(), kFile.size()) != 0) return "";
  const std::string path = uri.substr(kFile.size());
  if (!path.starts_with("//")) return path;
  const std::size_t slash = path.find('/', 2);  // behind the host
  return slash == std::string::npos ? "" : path.substr(slash);
}

std::optional<std::vector<unsigned char>> decoded(const std::string& base64) {
  constexpr std::size_t kLongest = 256;  // a signature of P-256 has at most 72 bytes
  if (base64.empty() || base64.size() > kLongest || base64.size() % 4 != 0) return std::nullopt;
  std::vector<unsigned char> bytes(base64.size());
  const int length = EVP_DecodeBlock(bytes.data(),
                                     reinterpret_cast<const unsigned char*>(base64.data()),
                                     static_cast<int>(base64.size()));
  if (length < 0) return std::nullopt;
  const std::size_t padding = base64.ends_with("==") ? 2 : base64.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

std::string encoded(const std::vector<unsigned char>& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  text.resize(
      static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                               bytes.data(), static_cast<int>(bytes.size()))));
  return text;
}

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

bool PublicKey::operator==(const PublicKey& other) const {
  return EVP_PKEY_eq(key_.get(), other.key_.get()) == 1;
}

std::string PublicKey::pem() const {
  const Bio out(BIO_new(BIO_s_mem()), BIO_free);
  char* text = nullptr;
  if (!out || PEM_write_bio_PUBKEY(out.get(), key_.get()) != 1)
    throw Error(ExitStatus::internal, "a public key cannot be written by OpenSSL");
  const long length = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(length)};
}

bool PublicKey::verifies(const std::string& text, const std::string& base64) const {
  const auto signature = decoded(base64);
  if (!signature) return false;
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool fits = context &&
                    EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr,
                                         key_.get()) == 1 &&
                    EVP_DigestVerify(context.get(), signature->data(), signature->size(),
                                     bytes_of(text), text.size()) == 1;
  ERR_clear_error();
  return fits;
}

std::string PrivateKey::sign(const std::string& text) const {
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::size_t length = 0;
  std::vector<unsigned char> bytes;
  bool done = context &&
              EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
              EVP_DigestSign(context.get(), nullptr, &length, bytes_of(text), text.size()) == 1;
  bytes.resize(length);
  done = done &&
         EVP_DigestSign(context.get(), bytes.data(), &length, bytes_of(text), text.size()) == 1;
  ERR_clear_error();
  if (!done) throw Error(ExitStatus::bad_input, "the key signs nothing: OpenSSL refuses it");
  bytes.resize(length);
  return encoded(bytes);
}

PublicKey PrivateKey::public_key() const { return PublicKey(key_); }

PublicKey public_key_of(const std::string& pem, const std::string& origin) {
  EVP_PKEY* const key = PEM_read_bio_PUBKEY(reading(pem).get(), nullptr, nullptr, nullptr);
  if (key == nullptr)
    no_key(
        origin,
        "is no public key in PEM; openssl pkey -in KEY.pem -pubout writes that of a private key");
  PublicKey read(owned(key));
  require_p256(key, origin);
  return read;
}

PrivateKey open_private_key(const std::string& file_or_uri, const Notice& notice) {
  const std::size_t colon = file_or_uri.find(':');
  const bool uri = colon != std::string::npos && file_or_uri.find('/') > colon &&
                   !model::is_there(file_or_uri);
  const std::string file = uri ? file_of_uri(file_or_uri) : file_or_uri;
  if (!file.empty()) {
    model::require_own_file(file);
    if (const auto told = model::readable_by_others(file)) notice(*told);
  }
  const KeyPointer key = uri ? private_key_in_store(file_or_uri) : private_key_in_file(file_or_uri);
  require_p256(key.get(), file_or_uri);
  return PrivateKey(key);
}

}  // namespace platter::registry_trust
