#include "model/printable.h"

#include "catch.h"
#include "model/printable_model.h"

namespace platter::model {
namespace {

TEST_CASE("printable: what a terminal acts on is told, all else stays") {
  CHECK(printable("Seagate ST39102LW, 9 µm") == "Seagate ST39102LW, 9 µm");
  CHECK(printable("\x1b[2J") == "\\u001b[2J");
  CHECK(printable("a\nb\tc\rd\x7f") == "a\\u000ab\\u0009c\\u000dd\\u007f");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\u009b31m");
  CHECK(printable("\xe2\x80\xae"
                  "x") == "\\u202ex");
  CHECK(printable("\xf0\x9f\x92\xbe") == "\xf0\x9f\x92\xbe");
  CHECK(printable("") == "");
}

TEST_CASE("printable: bytes that are no UTF-8 reach no terminal either") {
  CHECK(printable("\x9b"
                  "31m") == "\\x9b31m");
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");           // overlong
  CHECK(printable("\xe0\x82\x9b") == "\\xe0\\x82\\x9b");  // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(printable("x\xe2\x82") == "x\\xe2\\x82");  // cut off
}

TEST_CASE("a sentence of megabytes keeps its ends, and no letter is cut") {
  CHECK(without_middle(std::string(20'000, 'a')) == std::string(20'000, 'a'));
  const std::string many = without_middle("begin" + std::string(4'000'000, 'a') + "end");
  CHECK(many.size() < 20'100);
  CHECK(many.starts_with("begina"));
  CHECK(many.find("a ... (3980008 bytes) ... a") != std::string::npos);
  CHECK(many.ends_with("aend"));
  std::string letters = "x";
  for (int i = 0; i < 20'000; ++i) letters += "\xe2\x82\xac";
  CHECK(printable(without_middle(letters)).find("\\x") == std::string::npos);
}

TEST_CASE("printable: a text in pieces is the text in one") {
  const std::string text = "line\n\xc2\x9b end \xe2\x82\xac \x1b";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    std::string out;
    const std::string first = text.substr(0, at);
    const std::size_t cut = append_printable_lines(out, first);
    CHECK(append_printable_lines(out, first.substr(first.size() - cut) + text.substr(at)) == 0);
    CHECK(out == "line\n\\u009b end \xe2\x82\xac \\u001b");
  }
}

TEST_CASE("printable: every text of a model") {
  DriveModel model;
  model.identity.name = model.layout.reason = model.cache.segments.reason = "a\nb";
  model.provenance.notes = {"c\x1b"};
  model.provenance.stages = {{.name = "d\n"}};
  const DriveModel shown = printable_model(model);
  CHECK(shown.identity.name == "a\\u000ab");
  CHECK(shown.layout.reason == "a\\u000ab");
  CHECK(shown.cache.segments.reason == "a\\u000ab");
  CHECK(shown.provenance.notes.front() == "c\\u001b");
  CHECK(shown.provenance.stages.front().name == "d\\u000a");
}

}  // namespace
}  // namespace platter::model
