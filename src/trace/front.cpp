#include "trace/front.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "model/error.h"
#include "trace/compression.h"
#include "trace/line.h"

namespace platter::trace {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf", kLittleMark = "\xff\xfe",
                           kBigMark = "\xfe\xff";
constexpr std::size_t kHead = 1024;  // a header of tar has 512 bytes

// Which archive of files begins so, and the name of its first file; empty: none.
std::pair<std::string, std::string> archive_in(const std::string& head) {
  const std::unique_ptr<archive, int (*)(archive*)> open(archive_read_new(), archive_read_free);
  if (!open) throw std::bad_alloc();
  archive_read_support_format_tar(open.get());
  archive_read_support_format_zip_streamable(open.get());
  archive_read_support_format_7zip(open.get());
  archive_read_support_format_rar(open.get());
  archive_read_support_format_rar5(open.get());
  if (archive_read_open_memory(open.get(), head.data(), head.size()) != ARCHIVE_OK) return {};
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(open.get(), &entry);
  const bool named = status == ARCHIVE_OK || status == ARCHIVE_WARN;
  switch (archive_format(open.get()) & ARCHIVE_FORMAT_BASE_MASK) {
    case ARCHIVE_FORMAT_TAR:
      if (!named) return {};  // zeros are a tar archive's end, too
      break;
    case ARCHIVE_FORMAT_ZIP:
    case ARCHIVE_FORMAT_7ZIP:
    case ARCHIVE_FORMAT_RAR:
    case ARCHIVE_FORMAT_RAR_V5:
      break;
    default:
      return {};
  }
  std::string kind = archive_format_name(open.get());
  kind.resize(std::min(kind.find_first_of(" ("), kind.size()));
  if ((archive_format(open.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR) kind = "tar";
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::tolower(c); });
  const char* const first = named ? archive_entry_pathname(entry) : nullptr;
  return {kind, first ? shown(first) : ""};
}

void refuse_archive(const std::string& head, const std::string& name) {
  const auto [kind, first] = archive_in(head);
  if (kind.empty()) return;
  throw Error(
      ExitStatus::bad_input,
      fmt::format("{} is a {} archive{}: extract it, and name the file in it that is the "
                  "trace",
                  name, kind, first.empty() ? "" : fmt::format(" (first in it: {})", first)));
}

enum class Width : std::uint8_t { bytes, little, big };

// Text of UTF-16 without a mark: every other byte is 0, the others are printed or end lines.
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

Width width_of(std::string_view head) {
  if (head.starts_with(kLittleMark) || is_wide_ascii(head, 1)) return Width::little;
  if (head.starts_with(kBigMark) || is_wide_ascii(head, 0)) return Width::big;
  return Width::bytes;
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

// UTF-16 (RFC 2781) as UTF-8. Half a pair becomes U+FFFD.
class Narrowed final : public ByteSource {
 public:
  Narrowed(std::unique_ptr<ByteSource> bytes, std::string name, bool big)
      : bytes_(std::move(bytes)), name_(std::move(name)), big_(big), wide_(kWide, '\0') {}

  std::size_t read(char* out, std::size_t most) override {
    if (at_ == text_.size()) refill();
    const std::size_t count = text_.copy(out, most, at_);
    at_ += count;
    return count;
  }

 private:
  static constexpr std::size_t kWide = 64 * 1024;
  static constexpr std::uint32_t kInstead = 0xfffd;

  void refill() {
    text_.clear();
    at_ = 0;
    const std::size_t count = read_whole(*bytes_, wide_.data(), kWide);
    if (count % 2 != 0)
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{} is text in UTF-16 and ends within a character; copy it again", name_));
    for (std::size_t i = 0; i < count; i += 2) add(unit(i));
    if (count < kWide && high_ != 0) append_utf8(text_, kInstead), high_ = 0;
  }

  std::uint32_t unit(std::size_t i) const {
    const auto first = static_cast<unsigned char>(wide_[i]);
    const auto second = static_cast<unsigned char>(wide_[i + 1]);
    return big_ ? first << 8 | second : second << 8 | first;
  }

  void add(std::uint32_t unit) {
    const bool low = unit >= 0xdc00 && unit < 0xe000;
    if (high_ != 0)
      append_utf8(text_, low ? 0x10000 + ((high_ - 0xd800) << 10) + unit - 0xdc00 : kInstead);
    const bool paired = std::exchange(high_, 0) != 0 && low;
    if (paired) return;
    if (unit >= 0xd800 && unit < 0xdc00)
      high_ = unit;
    else
      append_utf8(text_, low ? kInstead : unit);
  }

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  bool big_;
  std::string wide_, text_;
  std::size_t at_ = 0;
  std::uint32_t high_ = 0;  // the first half of a pair; 0: none
};

std::unique_ptr<ByteSource> without_front(std::unique_ptr<ByteSource> bytes,
                                          const std::string& name) {
  std::unique_ptr<ByteSource> expanded = decompressed(std::move(bytes), name);
  std::string head(kHead, '\0');
  head.resize(read_whole(*expanded, head.data(), head.size()));
  refuse_archive(head, name);
  const Width width = width_of(head);
  const bool marked = head.starts_with(kLittleMark) || head.starts_with(kBigMark);
  if (head.starts_with(kUtf8Mark))
    head.erase(0, kUtf8Mark.size());
  else if (marked)
    head.erase(0, kLittleMark.size());
  auto whole = prefixed_source(std::move(head), std::move(expanded));
  if (width == Width::bytes) return whole;
  return std::make_unique<Narrowed>(std::move(whole), name, width == Width::big);
}

// Looks at the beginning when it is read for the first time: what is wrong with it is then told by
// whoever reads.
class Plain final : public ByteSource {
 public:
  Plain(std::unique_ptr<ByteSource> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  std::size_t read(char* out, std::size_t most) override {
    if (!std::exchange(begun_, true)) bytes_ = without_front(std::move(bytes_), name_);
    return bytes_ ? bytes_->read(out, most) : 0;
  }

 private:
  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> plain_bytes(std::unique_ptr<ByteSource> bytes,
                                        const std::string& name) {
  return std::make_unique<Plain>(std::move(bytes), name);
}

}  // namespace platter::trace
