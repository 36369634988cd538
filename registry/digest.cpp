#include "registry/digest.h"

#include <fmt/core.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "model/error.h"
#include "model/file.h"

namespace platter::registry {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAlgorithm = "sha256:";

std::string hex(const unsigned char* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

void require(bool done, const char* what) {
  if (!done) throw Error(ExitStatus::internal, fmt::format("OpenSSL: {} failed", what));
}

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) {
    require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, "SHA-256");
  }

  void update(const char* bytes, std::size_t count) {
    require(EVP_DigestUpdate(context_.get(), bytes, count) == 1, "SHA-256");
  }

  std::string digest() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned int count = 0;
    require(EVP_DigestFinal_ex(context_.get(), bytes.data(), &count) == 1, "SHA-256");
    return std::string(kAlgorithm) + hex(bytes.data(), count);
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace

std::string digest_of(std::string_view content) {
  Sha256 hash;
  hash.update(content.data(), content.size());
  return hash.digest();
}

std::string digest_of_file(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !model::is_file(path))
    throw Error(ExitStatus::bad_input, fmt::format("{}: is no file", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(errno == EACCES ? ExitStatus::permission : ExitStatus::bad_input,
                fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  Sha256 hash;
  std::vector<char> buffer(1 << 16);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    hash.update(buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Error(ExitStatus::bad_input, fmt::format("{}: cannot be read", path));
  return hash.digest();
}

bool is_digest(std::string_view text) {
  return text.starts_with(kAlgorithm) && text.size() == kAlgorithm.size() + 64 &&
         hex_of(text).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string_view hex_of(std::string_view digest) { return digest.substr(kAlgorithm.size()); }

std::string keyed_hash(std::string_view key, std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned int count = 0;
  require(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char*>(content.data()), content.size(), bytes.data(),
               &count) != nullptr,
          "HMAC");
  return hex(bytes.data(), count);
}

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  require(RAND_bytes(random.data(), static_cast<int>(bytes)) == 1, "random numbers");
  return hex(random.data(), random.size());
}

}  // namespace platter::registry
