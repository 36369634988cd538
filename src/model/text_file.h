// Text as other programs write it, read as UTF-8: with a byte order mark or in UTF-16. What is read
// as a stream has the same rules (trace/front.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace platter::model {

// How wide the characters of a text are, by its beginning: a mark of UTF-16, or its zeros where
// the first 16 characters are of ASCII.
enum class Width : std::uint8_t { bytes, little, big };
Width width_of(std::string_view beginning);
// Bytes of the mark that it begins with; 0: there is none.
std::size_t mark_in(std::string_view beginning);

// UTF-16 (RFC 2781) as UTF-8, piece by piece. Half a pair becomes U+FFFD.
class Narrowing {
 public:
  explicit Narrowing(bool big_endian) : big_(big_endian) {}
  // Adds the text of an even number of bytes; of a pair's first half once the second is known.
  void add(std::string_view bytes, std::string& text);
  void end(std::string& text);

 private:
  void add_unit(std::uint32_t unit, std::string& text);

  bool big_;
  std::uint32_t high_ = 0;  // the first half of a pair; 0: none
};

// The text in UTF-8, without its mark. Throws Error(bad_input) for UTF-16 that ends within a
// character, and for what is compressed (gzip, zstd, bzip2, xz, lz4, zip).
std::string as_text(std::string bytes, const std::string& name);

// As read_file() and as_text().
std::string read_text(const std::string& path);

}  // namespace platter::model
