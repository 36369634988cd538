// SHA-256 (FIPS 180-4) without a library: libplatter needs the C and C++ runtimes alone.
#pragma once

#include <string>
#include <string_view>

namespace platter::episodes {

// 64 lower-case hexadecimal digits.
std::string sha256_of(std::string_view bytes);

}  // namespace platter::episodes
