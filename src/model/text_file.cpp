#include "model/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/error.h"
#include "model/file.h"

namespace platter::model {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf", kLittleMark = "\xff\xfe",
                           kBigMark = "\xfe\xff";
constexpr std::uint32_t kInstead = 0xfffd;

// Every other byte is 0, the others are printed or end lines.
bool is_wide_ascii(std::string_view head, std::size_t high) {
  constexpr std::size_t kEnough = 32, kFewest = 8;
  const std::size_t bytes = std::min(head.size() / 2 * 2, kEnough);
  if (bytes < kFewest) return false;
  for (std::size_t i = 0; i < bytes; i += 2) {
    const char low = head[i + 1 - high];
    const bool text = (low >= ' ' && low <= '~') || low == '\t' || low == '\r' || low == '\n';
    if (head[i + high] != '\0' || !text) return false;
  }
  return true;
}

void append_utf8(std::string& out, std::uint32_t character) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | (character >> shift & 0x3f));
  };
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xc0 | character >> 6);
    tail(0);
  } else if (character < 0x10000) {
    out += static_cast<char>(0xe0 | character >> 12);
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | character >> 18);
    tail(12), tail(6), tail(0);
  }
}

void refuse_compressed(std::string_view bytes, const std::string& name) {
  struct Archive {
    std::string_view magic;
    const char* by;
  };
  constexpr Archive kArchives[] = {{"\x1f\x8b", "gzip"},        {"\x28\xb5\x2f\xfd", "zstd"},
                                   {"\x42\x5a\x68", "bzip2"},   {"\xfd\x37zXZ", "xz"},
                                   {"\x04\x22\x4d\x18", "lz4"}, {"PK\x03\x04", "zip"}};
  for (const Archive& archive : kArchives)
    if (bytes.starts_with(archive.magic))
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: is compressed with {}; only traces and results are read so: "
                              "expand it, and name what is in it",
                              name, archive.by));
}

}  // namespace

Width width_of(std::string_view beginning) {
  if (beginning.starts_with(kLittleMark) || is_wide_ascii(beginning, 1)) return Width::little;
  if (beginning.starts_with(kBigMark) || is_wide_ascii(beginning, 0)) return Width::big;
  return Width::bytes;
}

std::size_t mark_in(std::string_view beginning) {
  for (const std::string_view mark : {kUtf8Mark, kLittleMark, kBigMark})
    if (beginning.starts_with(mark)) return mark.size();
  return 0;
}

void Narrowing::add(std::string_view bytes, std::string& text) {
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    add_unit(big_ ? first << 8 | second : second << 8 | first, text);
  }
}

void Narrowing::end(std::string& text) {
  if (std::exchange(high_, 0) != 0) append_utf8(text, kInstead);
}

void Narrowing::add_unit(std::uint32_t unit, std::string& text) {
  const bool low = unit >= 0xdc00 && unit < 0xe000;
  if (high_ != 0)
    append_utf8(text, low ? 0x10000 + ((high_ - 0xd800) << 10) + unit - 0xdc00 : kInstead);
  const bool paired = std::exchange(high_, 0) != 0 && low;
  if (paired) return;
  if (unit >= 0xd800 && unit < 0xdc00)
    high_ = unit;
  else
    append_utf8(text, low ? kInstead : unit);
}

std::string as_text(std::string bytes, const std::string& name) {
  refuse_compressed(bytes, name);
  const Width width = width_of(bytes);
  bytes.erase(0, mark_in(bytes));
  if (width == Width::bytes) return bytes;
  if (bytes.size() % 2 != 0)
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{} is text in UTF-16 and ends within a character; copy it again", name));
  std::string text;
  Narrowing narrowing(width == Width::big);
  narrowing.add(bytes, text);
  narrowing.end(text);
  return text;
}

std::string read_text(const std::string& path) { return as_text(read_file(path), path); }

}  // namespace platter::model
