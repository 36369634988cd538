// Digests as OCI writes them ("sha256:" and 64 lower-case hexadecimal digits), by OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace platter::registry {

std::string digest_of(std::string_view content);

// Of a whole file, read in pieces. Throws Error(bad_input) or Error(permission).
std::string digest_of_file(const std::string& path);

bool is_digest(std::string_view text);

// The digits after "sha256:", which name the blob's file.
std::string_view hex_of(std::string_view digest);

// HMAC-SHA-256 (RFC 2104) in hexadecimal digits.
std::string keyed_hash(std::string_view key, std::string_view content);

// Bytes that nobody can guess, in hexadecimal digits.
std::string random_hex(std::size_t bytes);

}  // namespace platter::registry
