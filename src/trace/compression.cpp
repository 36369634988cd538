#include "trace/compression.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <utility>
#include <vector>

#include "model/error.h"

namespace platter::trace {
namespace {

constexpr std::size_t kBuffer = 128 * 1024;
// A trace is a stream and may be of any length, but there is something in each of its requests:
// those of one sequential stream, the most alike that there are, are packed to a hundredth. What
// expands to more is made of nothing.
constexpr std::uint64_t kExpandedFreely = std::uint64_t{32} << 20, kMostTimes = 150;

// libarchive reads and writes all of them but for two things: its reader of gzip does not look at
// the checksum, and its writer of zstd writes none. So gzip is zlib's, and zstd is written by its
// own library.
struct Method {
  const char* name;
  std::string_view ending, magic;
  int (*reads)(archive*) = nullptr;
  int (*writes)(archive*) = nullptr;
  std::string_view nothing{};  // an archive of no bytes, where libarchive does not write it
};
constexpr std::array kMethods = {
    Method{"gzip", ".gz", "\x1f\x8b"},
    Method{"zstd", ".zst", "\x28\xb5\x2f\xfd", archive_read_support_filter_zstd},
    Method{"bzip2", ".bz2", "BZh", archive_read_support_filter_bzip2,
           archive_write_add_filter_bzip2},
    Method{"xz", ".xz", std::string_view("\xfd\x37zXZ\0", 6), archive_read_support_filter_xz,
           archive_write_add_filter_xz},
    Method{"lz4", ".lz4", "\x04\x22\x4d\x18", archive_read_support_filter_lz4,
           archive_write_add_filter_lz4,
           std::string_view("\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0\5\x5d\xcc\2", 15)},
};
constexpr std::size_t kLongestMagic = 16;  // with what lies behind it

// Endings that promise what is not written.
constexpr std::array<std::string_view, 14> kOtherEndings = {
    ".zip", ".tar", ".tgz",  ".tbz2", ".txz", ".tzst", ".7z",
    ".rar", ".z",   ".lzma", ".lz",   ".lzo", ".br",   ".sz"};

bool ends_in(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         std::ranges::equal(name.substr(name.size() - ending.size()), ending, {},
                            [](unsigned char c) { return std::tolower(c); });
}

const Method* method_of_name(std::string_view name) {
  const auto* const at = std::ranges::find_if(
      kMethods, [&](const Method& method) { return ends_in(name, method.ending); });
  return at == kMethods.end() ? nullptr : at;
}

// A line of text may begin with BZh. A block begins with the digits of pi, the end with those of
// its root.
bool is_bzip2(std::string_view head) {
  constexpr std::size_t kBlock = 4;
  if (head.size() < kBlock + 6) return false;
  const std::string_view block = head.substr(kBlock, 6);
  return block == "\x31\x41\x59\x26\x53\x59" || block == "\x17\x72\x45\x38\x50\x90";
}

const Method* method_of_content(std::string_view head) {
  for (const Method& method : kMethods) {
    if (!head.starts_with(method.magic)) continue;
    if (method.magic == "BZh" && !is_bzip2(head)) continue;
    return &method;
  }
  return nullptr;
}

// What the decompressors have: compressed bytes read ahead, and their errors.
class Decompressor : public ByteSource {
 public:
  Decompressor(std::unique_ptr<ByteSource> bytes, std::string name, const char* method)
      : bytes_(std::move(bytes)), name_(std::move(name)), method_(method), buffer_(kBuffer) {}

 protected:
  // False: the end of the compressed bytes.
  bool fill() {
    if (at_ < filled_) return true;
    at_ = 0;
    filled_ = bytes_->read(buffer_.data(), buffer_.size());
    read_ += filled_;
    return filled_ > 0;
  }

  // So many bytes came out.
  std::size_t expanded(std::size_t bytes) {
    expanded_ += bytes;
    if (expanded_ > kExpandedFreely + kMostTimes * read_)
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{} is compressed with {} and expands to more than {} times its size, "
                      "as no trace and no result does; if it is one, expand it and give that",
                      name_, method_, kMostTimes));
    return bytes;
  }

  [[noreturn]] void cut_short() const {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{} is compressed with {} and ends too early; copy it again", name_, method_));
  }
  [[noreturn]] void damaged(const char* why) const {
    throw Error(ExitStatus::bad_input,
                fmt::format("{} is compressed with {} and damaged ({}); copy it again", name_,
                            method_, why));
  }

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  const char* method_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t read_ = 0, expanded_ = 0;
};

class Gunzip final : public Decompressor {
 public:
  Gunzip(std::unique_ptr<ByteSource> bytes, std::string name)
      : Decompressor(std::move(bytes), std::move(name), "gzip") {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Gunzip() override { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  std::size_t read(char* out, std::size_t most) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(most, 1 << 30));
    const std::size_t wanted = stream_.avail_out;
    while (wanted > 0 && stream_.avail_out == wanted) {
      if (!fill()) {
        if (!between_members_) cut_short();
        return 0;
      }
      if (between_members_) {  // tapes fill their last block with zeros
        while (at_ < filled_ && buffer_[at_] == '\0') ++at_;
        if (at_ == filled_) continue;
      }
      if (between_members_) inflateReset(&stream_);  // archives may follow one another
      between_members_ = false;
      stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data() + at_);
      stream_.avail_in = static_cast<uInt>(filled_ - at_);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      at_ = filled_ - stream_.avail_in;
      if (result == Z_STREAM_END)
        between_members_ = true;
      else if (result != Z_OK && result != Z_BUF_ERROR)
        damaged(stream_.msg ? stream_.msg : "inflate");
    }
    return expanded(wanted - stream_.avail_out);
  }

 private:
  z_stream stream_{};
  bool between_members_ = false;
};

struct Closes {
  void operator()(archive* open) const {
    archive_free(open);  // of either kind
  }
};

// What libarchive reads.
class Unpacked final : public Decompressor {
 public:
  Unpacked(std::unique_ptr<ByteSource> bytes, std::string name, const Method& method)
      : Decompressor(std::move(bytes), std::move(name), method.name), archive_(archive_read_new()) {
    if (!archive_) throw std::bad_alloc();
    method.reads(archive_.get());
    archive_read_support_format_raw(archive_.get());
    archive_read_support_format_empty(archive_.get());
  }

  std::size_t read(char* out, std::size_t most) override {
    while (left_.empty() && !ended_) next_block();
    const std::size_t count = left_.copy(out, most);
    left_.remove_prefix(count);
    return expanded(count);
  }

 private:
  void next_block() {
    if (!std::exchange(opened_, true)) open();
    if (ended_) return;
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    if (done(archive_read_data_block(archive_.get(), &block, &size, &offset)))
      left_ = {static_cast<const char*>(block), size};
  }

  void open() {
    done(archive_read_open(archive_.get(), this, nullptr, feed, nullptr));
    archive_entry* entry = nullptr;
    done(archive_read_next_header(archive_.get(), &entry));
    // Too short to be seen as what it begins as, it would be passed on as it is.
    if (archive_filter_count(archive_.get()) != 2) cut_short();
  }

  // False: the end, behind which nothing may be.
  bool done(int status) {
    if (thrown_) std::rethrow_exception(thrown_);
    if (status == ARCHIVE_OK) return true;
    ended_ = true;
    if (status == ARCHIVE_EOF) {
      if (fill() || static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), -1)) < read_)
        damaged("something follows its end");
      return false;
    }
    const char* const text = archive_error_string(archive_.get());
    const std::string_view why = text ? text : "it cannot be read";
    for (const std::string_view early : {"runcated", "No progress"})
      if (why.find(early) != why.npos) cut_short();
    damaged(std::string(why).c_str());
  }

  // Nothing may be thrown through libarchive.
  static la_ssize_t feed(archive*, void* self, const void** bytes) {
    auto& of = *static_cast<Unpacked*>(self);
    try {
      if (!of.fill()) return 0;
    } catch (...) {
      of.thrown_ = std::current_exception();
      return ARCHIVE_FATAL;
    }
    *bytes = of.buffer_.data();
    return static_cast<la_ssize_t>(of.at_ = of.filled_);
  }

  std::unique_ptr<archive, Closes> archive_;
  std::string_view left_;  // of the last block
  std::exception_ptr thrown_;
  bool opened_ = false, ended_ = false;
};

class Gzip final : public ByteSink {
 public:
  explicit Gzip(std::unique_ptr<ByteSink> bytes) : bytes_(std::move(bytes)), buffer_(kBuffer) {
    constexpr int kGzipOnly = 16, kMemory = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipOnly, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gzip() override { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void write(std::string_view bytes) override { run(bytes, Z_NO_FLUSH); }
  void finish() override {
    run({}, Z_FINISH);
    bytes_->finish();
  }

 private:
  void run(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, flush);
      bytes_->write({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<ByteSink> bytes_;
  std::vector<char> buffer_;
  z_stream stream_{};
};

class Zstd final : public ByteSink {
 public:
  explicit Zstd(std::unique_ptr<ByteSink> bytes)
      : bytes_(std::move(bytes)), buffer_(kBuffer), stream_(ZSTD_createCStream()) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~Zstd() override { ZSTD_freeCStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  void write(std::string_view bytes) override { run(bytes, ZSTD_e_continue); }
  void finish() override {
    run({}, ZSTD_e_end);
    bytes_->finish();
  }

 private:
  void run(std::string_view bytes, ZSTD_EndDirective how) {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer output{buffer_.data(), buffer_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_, &output, &input, how);
      if (ZSTD_isError(left))
        throw Error(ExitStatus::output,
                    fmt::format("zstd cannot compress: {}", ZSTD_getErrorName(left)));
      bytes_->write({buffer_.data(), output.pos});
      done = how == ZSTD_e_end ? left == 0 : input.pos == input.size;
    }
  }

  std::unique_ptr<ByteSink> bytes_;
  std::vector<char> buffer_;
  ZSTD_CStream* stream_;
};

// What libarchive writes. It is begun with the first byte: libarchive 3.6 ends the program at the
// end of an lz4 archive of nothing.
class Packed final : public ByteSink {
 public:
  Packed(std::unique_ptr<ByteSink> bytes, const Method& method)
      : bytes_(std::move(bytes)), method_(method) {}

  void write(std::string_view bytes) override {
    if (!bytes.empty() && !archive_) begin();
    while (!bytes.empty()) {
      const la_ssize_t written = archive_write_data(archive_.get(), bytes.data(), bytes.size());
      require(written < 0 ? static_cast<int>(written) : ARCHIVE_OK);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void finish() override {
    if (!archive_ && method_.nothing.empty()) begin();
    if (archive_)
      require(archive_write_close(archive_.get()));
    else
      bytes_->write(method_.nothing);
    bytes_->finish();
  }

 private:
  void begin() {
    archive_.reset(archive_write_new());
    if (!archive_) throw std::bad_alloc();
    method_.writes(archive_.get());
    archive_write_set_format_raw(archive_.get());
    archive_write_set_bytes_per_block(archive_.get(), 0);  // nothing is put behind the end
    require(archive_write_open(archive_.get(), this, nullptr, take, nullptr));
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         archive_entry_free);
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    require(archive_write_header(archive_.get(), entry.get()));
  }

  void require(int status) const {
    if (thrown_) std::rethrow_exception(thrown_);
    if (status == ARCHIVE_OK) return;
    const char* const why = archive_error_string(archive_.get());
    throw Error(ExitStatus::output, fmt::format("the output cannot be compressed: {}",
                                                why ? why : "libarchive does not say why"));
  }

  static la_ssize_t take(archive*, void* self, const void* bytes, std::size_t count) {
    auto& of = *static_cast<Packed*>(self);
    try {
      if (!of.thrown_) of.bytes_->write({static_cast<const char*>(bytes), count});
    } catch (...) {
      of.thrown_ = std::current_exception();
      return ARCHIVE_FATAL;
    }
    return static_cast<la_ssize_t>(count);
  }

  std::unique_ptr<ByteSink> bytes_;
  const Method& method_;
  std::exception_ptr thrown_;
  std::unique_ptr<archive, Closes> archive_;
};

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> bytes,
                                         const std::string& name) {
  std::string head(kLongestMagic, '\0');
  head.resize(read_whole(*bytes, head.data(), head.size()));
  const Method* const method = method_of_content(head);
  auto whole = prefixed_source(std::move(head), std::move(bytes));
  if (!method) return whole;
  if (method->reads) return std::make_unique<Unpacked>(std::move(whole), name, *method);
  return std::make_unique<Gunzip>(std::move(whole), name);
}

const char* compression_of(std::string_view beginning) {
  const Method* const method = method_of_content(beginning);
  return method ? method->name : nullptr;
}

std::string expanded_beginning(const std::string& beginning, std::size_t most) {
  std::string expanded(most, '\0');
  std::size_t filled = 0;
  try {
    const auto bytes = decompressed(memory_source(beginning), "it");
    while (filled < most) {
      const std::size_t got = bytes->read(expanded.data() + filled, most - filled);
      if (got == 0) break;
      filled += got;
    }
  } catch (const Error&) {  // it goes on in the file, or is damaged
  }
  expanded.resize(filled);
  return expanded;
}

bool is_compressed_name(const std::string& name) { return method_of_name(name) != nullptr; }

void require_written_name(const std::string& name) {
  for (const std::string_view ending : kOtherEndings)
    if (ends_in(name, ending))
      throw Error(ExitStatus::usage,
                  fmt::format("{}: its name promises {}, which platter does not write; let it end "
                              "in .gz, .zst, .bz2, .xz or .lz4, or in none of these",
                              name, ending));
}

std::unique_ptr<ByteSink> compressed(std::unique_ptr<ByteSink> bytes, const std::string& name) {
  require_written_name(name);
  const Method* const method = method_of_name(name);
  if (!method) return bytes;
  if (method->writes) return std::make_unique<Packed>(std::move(bytes), *method);
  if (method->reads) return std::make_unique<Zstd>(std::move(bytes));
  return std::make_unique<Gzip>(std::move(bytes));
}

}  // namespace platter::trace
