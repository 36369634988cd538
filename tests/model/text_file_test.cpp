#include "model/text_file.h"

#include "catch.h"
#include "model/error.h"

using namespace platter;
using namespace platter::model;

namespace {

std::string wide(const std::string& text, bool big) {
  std::string bytes;
  for (const char c : text) {
    if (big) bytes += '\0';
    bytes += c;
    if (!big) bytes += '\0';
  }
  return bytes;
}

}  // namespace

TEST_CASE("text with a mark or in UTF-16 is read as UTF-8") {
  const std::string text = "disksim_disk DISK1 {\r\n";
  CHECK(as_text(text, "t") == text);
  CHECK(as_text("\xef\xbb\xbf" + text, "t") == text);
  CHECK(as_text("\xff\xfe" + wide(text, false), "t") == text);
  CHECK(as_text("\xfe\xff" + wide(text, true), "t") == text);
  CHECK(as_text(wide(text, false), "t") == text);
  CHECK(as_text(wide(text, true), "t") == text);
  CHECK(as_text("", "t").empty());
  CHECK(as_text("\xef\xbb\xbf", "t").empty());
}

TEST_CASE("pairs of UTF-16, and halves of them") {
  // U+00B5, U+20AC, U+1F4BE as a pair; a half alone; a half at the end.
  CHECK(as_text(std::string("\xff\xfe\xb5\0\xac\x20\x3d\xd8\xbe\xdc", 10), "t") ==
        "\xc2\xb5\xe2\x82\xac\xf0\x9f\x92\xbe");
  CHECK(as_text(std::string("\xff\xfe\x3d\xd8\x41\0\x3d\xd8", 8), "t") ==
        "\xef\xbf\xbd\x41\xef\xbf\xbd");
  Narrowing narrowing(false);
  std::string text;
  narrowing.add("\x3d\xd8", text);  // a pair over two pieces
  CHECK(text.empty());
  narrowing.add("\xbe\xdc", text);
  narrowing.end(text);
  CHECK(text == "\xf0\x9f\x92\xbe");
  CHECK_THROWS_WITH(as_text(std::string("\xff\xfe\x41\0\x42", 5), "t"),
                    Catch::Contains("ends within a character"));
}

TEST_CASE("what is compressed is named and not taken for text") {
  CHECK_THROWS_WITH(as_text("\x1f\x8b\x08", "m.json.gz"), Catch::Contains("compressed with gzip"));
  CHECK_THROWS_WITH(as_text("PK\x03\x04", "m.zip"), Catch::Contains("compressed with zip"));
}
