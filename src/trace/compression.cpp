#include "trace/compression.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
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

constexpr std::string_view kGzipEnding = ".gz", kZstdEnding = ".zst";
constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";

// What both decompressors have: compressed bytes read ahead, and their errors.
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
    while (stream_.avail_out == wanted) {
      if (!fill()) {
        if (!between_members_) cut_short();
        return 0;
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

class Unzstd final : public Decompressor {
 public:
  Unzstd(std::unique_ptr<ByteSource> bytes, std::string name)
      : Decompressor(std::move(bytes), std::move(name), "zstd"), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }
  ~Unzstd() override { ZSTD_freeDStream(stream_); }
  Unzstd(const Unzstd&) = delete;
  Unzstd& operator=(const Unzstd&) = delete;

  std::size_t read(char* out, std::size_t most) override {
    ZSTD_outBuffer output{out, most, 0};
    while (output.pos == 0) {
      const bool more = fill();
      if (!more && !inside_) return 0;
      ZSTD_inBuffer input{buffer_.data(), filled_, at_};
      const std::size_t result = ZSTD_decompressStream(stream_, &output, &input);
      at_ = input.pos;
      if (ZSTD_isError(result)) damaged(ZSTD_getErrorName(result));
      inside_ = result != 0;
      if (!more && inside_ && output.pos == 0) cut_short();
    }
    return expanded(output.pos);
  }

 private:
  ZSTD_DStream* stream_;
  bool inside_ = true;  // a frame that is not complete
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

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> bytes,
                                         const std::string& name) {
  std::string head(kZstd.size(), '\0');
  std::size_t have = 0;
  while (have < head.size()) {
    const std::size_t got = bytes->read(head.data() + have, head.size() - have);
    if (got == 0) break;
    have += got;
  }
  head.resize(have);
  const bool gzip = head.starts_with(kGzip), zstd = head == kZstd;
  auto whole = prefixed_source(std::move(head), std::move(bytes));
  if (gzip) return std::make_unique<Gunzip>(std::move(whole), name);
  if (zstd) return std::make_unique<Unzstd>(std::move(whole), name);
  return whole;
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

bool is_compressed_name(const std::string& name) {
  return name.ends_with(kGzipEnding) || name.ends_with(kZstdEnding);
}

std::unique_ptr<ByteSink> compressed(std::unique_ptr<ByteSink> bytes, const std::string& name) {
  if (name.ends_with(kGzipEnding)) return std::make_unique<Gzip>(std::move(bytes));
  if (name.ends_with(kZstdEnding)) return std::make_unique<Zstd>(std::move(bytes));
  return bytes;
}

}  // namespace platter::trace
