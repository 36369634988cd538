#include "trace/front.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "model/error.h"
#include "model/text_file.h"
#include "trace/compression.h"
#include "trace/line.h"

namespace platter::trace {
namespace {

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

// Compressed by what is not read here, or a second time.
void refuse_other_compression(const std::string& head, const std::string& name) {
  struct Other {
    std::string_view magic;
    const char* by;
  };
  constexpr Other kOthers[] = {{"\x1f\x9d", "compress"},
                               {"LZIP", "lzip"},
                               {"\x89LZO\0", "lzop"},
                               {std::string_view("\xff\x06\0\0sNaPpY", 10), "snappy"},
                               {std::string_view("\x5d\0\0", 3), "lzma"}};
  for (const Other& other : kOthers)
    if (head.starts_with(other.magic))
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{} is compressed with {}, which is not read: expand it", name, other.by));
  if (const char* const by = compression_of(head))
    throw Error(ExitStatus::bad_input,
                fmt::format("{} is compressed twice, within with {}: expand it once", name, by));
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

// Lines that end in a carriage return alone, as spreadsheets save them for old Macintoshes.
class LinesOfReturns final : public ByteSource {
 public:
  explicit LinesOfReturns(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(char* out, std::size_t most) override {
    const std::size_t count = bytes_->read(out, most);
    std::replace(out, out + count, '\r', '\n');
    return count;
  }

 private:
  std::unique_ptr<ByteSource> bytes_;
};

bool ends_lines_in_returns(std::string_view head) {
  return head.find('\r') != head.npos && head.find('\n') == head.npos &&
         head.find('\0') == head.npos && head.find_first_of(",;\t ") != head.npos;
}

// UTF-16 as UTF-8.
class Narrowed final : public ByteSource {
 public:
  Narrowed(std::unique_ptr<ByteSource> bytes, std::string name, bool big)
      : bytes_(std::move(bytes)), name_(std::move(name)), narrowing_(big), wide_(kWide, '\0') {}

  std::size_t read(char* out, std::size_t most) override {
    if (at_ == text_.size()) refill();
    const std::size_t count = text_.copy(out, most, at_);
    at_ += count;
    return count;
  }

 private:
  static constexpr std::size_t kWide = 64 * 1024;

  void refill() {
    text_.clear();
    at_ = 0;
    const std::size_t count = read_whole(*bytes_, wide_.data(), kWide);
    if (count % 2 != 0)
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{} is text in UTF-16 and ends within a character; copy it again", name_));
    narrowing_.add(std::string_view(wide_).substr(0, count), text_);
    if (count < kWide) narrowing_.end(text_);
  }

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  model::Narrowing narrowing_;
  std::string wide_, text_;
  std::size_t at_ = 0;
};

std::unique_ptr<ByteSource> without_front(std::unique_ptr<ByteSource> bytes,
                                          const std::string& name) {
  std::unique_ptr<ByteSource> expanded = decompressed(std::move(bytes), name);
  std::string head(kHead, '\0');
  head.resize(read_whole(*expanded, head.data(), head.size()));
  refuse_archive(head, name);
  refuse_other_compression(head, name);
  const bool returns = ends_lines_in_returns(head);
  const model::Width width = model::width_of(head);
  head.erase(0, model::mark_in(head));
  auto whole = prefixed_source(std::move(head), std::move(expanded));
  if (returns) return std::make_unique<LinesOfReturns>(std::move(whole));
  if (width == model::Width::bytes) return whole;
  return std::make_unique<Narrowed>(std::move(whole), name, width == model::Width::big);
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
