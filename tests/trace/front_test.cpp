// What stands in front of all readers: marks, wide characters, archives of files.
#include "trace/front.h"

#include <sstream>

#include "catch.h"
#include "model/error.h"
#include "trace/compression.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

const std::string kText = "1.0 0 12 4 1\n2.5 0 16 4 0\n";

std::string plain(const std::string& bytes) {
  const auto source = plain_bytes(memory_source(bytes), "t");
  std::string text;
  char piece[700];
  while (const std::size_t got = source->read(piece, sizeof piece)) text.append(piece, got);
  return text;
}

std::string front_error_of(const std::string& bytes) {
  try {
    plain(bytes);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "no error";
}

std::string wide(const std::u16string& text, bool big) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
    bytes += big ? high : low;
    bytes += big ? low : high;
  }
  return bytes;
}

std::u16string widened(const std::string& text) { return {text.begin(), text.end()}; }

// One file of a tar archive (POSIX.1-1988, ustar).
std::string tar_of(const std::string& name, const std::string& text) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& what) {
    header.replace(at, what.size(), what);
  };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", text.size());
  put(124, size);
  put(136, "00000000000");
  put(148, "        ");
  header[156] = '0';
  put(257, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (const unsigned char c : header) sum += c;
  char checksum[8];
  std::snprintf(checksum, sizeof checksum, "%06o", sum);
  put(148, checksum);
  std::string body = text;
  body.resize((text.size() + 511) / 512 * 512);
  return header + body + std::string(1024, '\0');
}

std::string packed_as(const std::string& bytes, const std::string& name) {
  std::string out;
  const auto sink = compressed(string_sink(out), name);
  sink->write(bytes);
  sink->finish();
  return out;
}

}  // namespace

TEST_CASE("a byte order mark is passed over, also within what is compressed") {
  CHECK(plain("\xef\xbb\xbf" + kText) == kText);
  CHECK(plain(packed_as("\xef\xbb\xbf" + kText, "x.bz2")) == kText);
  CHECK(plain("\xef\xbb\xbf").empty());
  CHECK(plain("\xef\xbb" + kText) == "\xef\xbb" + kText);
  CHECK(plain(kText) == kText);
  CHECK(plain("").empty());
}

TEST_CASE("UTF-16 of either order, with a mark or without, becomes UTF-8") {
  for (const bool big : {false, true}) {
    CAPTURE(big);
    const std::string mark = wide(u"\ufeff", big);
    CHECK(plain(mark + wide(widened(kText), big)) == kText);
    CHECK(plain(wide(widened(kText), big)) == kText);
    CHECK(plain(packed_as(mark + wide(widened(kText), big), "x.gz")) == kText);
    CHECK(plain(mark + wide(u"\u00b5s \u20ac \U0001f4be", big)) == "\u00b5s \u20ac \U0001f4be");
    std::u16string long_text;
    while (long_text.size() < 100'000) long_text += u"7.5 \U0001f4be\n";
    CHECK(plain(mark + wide(long_text, big)).size() == long_text.size() / 7 * 9);
    std::u16string halves = u"a";
    halves += {char16_t{0xd83d}, u'b', char16_t{0xdcbe}, u'c', char16_t{0xd83d}};
    CHECK(plain(mark + wide(halves, big)) == "a\ufffdb\ufffdc\ufffd");
    CHECK(front_error_of(mark + wide(u"abc", big) + "d") ==
          "t is text in UTF-16 and ends within a character; copy it again");
  }
}

TEST_CASE("an archive of files is named, and what to do") {
  const std::string tar = tar_of("traces/a.csv", kText);
  CHECK(front_error_of(tar) ==
        "t is a tar archive (first in it: traces/a.csv): extract it, and name the file in it that "
        "is the trace");
  CHECK(front_error_of(packed_as(tar, "x.gz")) == front_error_of(tar));
  CHECK(front_error_of(packed_as(tar, "x.xz")) == front_error_of(tar));
  CHECK_THAT(front_error_of(std::string("PK\3\4\24\0\0\0\0\0", 10) + std::string(16, '\0') +
                            std::string("\5\0\0\0", 4) + "a.csv" + kText),
             Catch::Contains("t is a zip archive"));
  CHECK_THAT(front_error_of(std::string("7z\xbc\xaf\x27\x1c\0\4", 8) + std::string(600, '\1')),
             Catch::Contains("t is a 7-zip archive"));
}

TEST_CASE("every text format takes a mark and UTF-16") {
  const std::string msr = "128166372003061629,src1,1,Read,8192,4096,41286\r\n";
  for (const std::string& bytes :
       {"\xef\xbb\xbf" + msr, wide(u"\ufeff" + widened(msr), false), wide(widened(msr), true)}) {
    std::istringstream in(bytes);
    const Trace trace = read_trace(in, "t");
    REQUIRE(trace.requests.size() == 1);
    CHECK(trace.requests.front().lbn == 16);
  }
}
