// Files as people have them: saved by other programs, with words in front, compressed by others.
#include "catch.h"
#include "model/error.h"
#include "trace/compression.h"
#include "trace/lint.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

const std::string kMicrosofts =
    "128166372003061629,hm,1,Read,8192,4096,41286\n"
    "128166372003062629,hm,1,Write,16384,8192,1291\n";

Lint lint_of(const std::string& bytes, const Reading& reading = {}) {
  return lint(memory_source(bytes), "t", reading, 5);
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::uint64_t skipped(const Lint& lint, const std::string& what) {
  for (const Skipped& each : lint.skipped)
    if (each.what == what) return each.count;
  return 0;
}

std::string finding(const Lint& lint) {
  return lint.findings.empty() ? "" : lint.findings.front().what;
}

std::string packed(const std::string& bytes, const std::string& name) {
  std::string archive;
  const auto sink = compressed(string_sink(archive), name);
  sink->write(bytes);
  sink->finish();
  return archive;
}

}  // namespace

TEST_CASE("Microsoft's words in any case, lines that end in carriage returns") {
  for (const std::string& text : {with(with(kMicrosofts, "Read", "read"), "Write", "WRITE"),
                                  with(kMicrosofts, "\n", "\r"), with(kMicrosofts, "\n", "\r\n"),
                                  "# of SNIA\n" + kMicrosofts, "\n# of SNIA\n\n" + kMicrosofts}) {
    CAPTURE(text);
    const Lint found = lint_of(text);
    CHECK(found.format == Format::msr);
    CHECK(found.requests == 2);
    CHECK(found.errors == 0);
  }
  CHECK(skipped(lint_of("# of SNIA\n" + kMicrosofts + "#\n"), "remarks") == 2);
}

TEST_CASE("a file of remarks alone holds no request, and says what was passed over") {
  const Lint found = lint_of("# a\n\n# b\n");
  CHECK(found.requests == 0);
  CHECK(found.errors == 1);
  CHECK(finding(found) ==
        "holds no request: passed over 2 remarks (the first in line 1, column 1), "
        "1 empty lines (the first in line 2, column 1)");
}

TEST_CASE("what blktrace says of lost events in front of its lines is a loss") {
  const std::string lines =
      "  8,0    3        2     0.000001829   697  D   W 223490 + 8 [kjournald]\n"
      "  8,0    1        3     0.003000000     0  C   W 223490 + 8 [0]\n";
  const Lint found = lint_of("You have 1234 ( 12.3%) dropped events\n" + lines);
  CHECK(found.format == Format::blkparse);
  CHECK(found.requests == 1);
  CHECK(found.warnings == 1);
  CHECK(finding(found).find("lost 1234 events here") != std::string::npos);
}

TEST_CASE("a process that is called as a loss loses nothing") {
  const Lint found = lint_of(
      "  8,0    3        2     0.000001829   697  D   W 223490 + 8 [3 events lost]\n"
      "  8,0    1        3     0.003000000     0  C   W 223490 + 8 [0]\n");
  CHECK(found.requests == 1);
  CHECK(found.warnings == 0);
}

TEST_CASE("a write of zeros has no data, and is no write") {
  const Lint found = lint_of(
      "  8,0    1        1     0.001000000   697  D   W 8 + 8 [x]\n"
      "  8,0    1        2     0.002000000   697  D  WZ 16 + 8 [x]\n");
  CHECK(found.requests == 1);
  CHECK(skipped(found, "writes of zeros, without data") == 1);
}

TEST_CASE("hfplayer's mark may stand at the column of times") {
  const Lint found = lint_of(
      "#ELAPSED_USECS.D,CMD.S,LUN_SSID.I,LBA.I,NBLKS.I,LATENCY_USECS.D\n"
      "1.5,RD,0,64,8,100.5\n");
  CHECK(found.format == Format::hfplayer);
  CHECK(found.requests == 1);
}

TEST_CASE("thousands are parted as in India, too, and not otherwise") {
  const auto requests = [](const char* size) {
    return lint_of("Read;1.5;" + std::string(size) + ";0\n",
                   {.columns = "op,time:s,size:bytes,offset:bytes,thousands"})
        .requests;
  };
  CHECK(requests("1,63,840") == 1);
  CHECK(requests("163,840") == 1);
  CHECK(requests("16,38,40") == 0);
  CHECK(requests("1,6,384") == 0);
}

TEST_CASE(
    "a header that names too little is refused once, and its lines are not taken for others") {
  const Lint found = lint_of(
      "TIME(ms)     DISK    COMM             PID    LAT(ms)\n"
      "14           sda     dd               123    2\n");
  CHECK(found.requests == 0);
  CHECK(found.skipped.empty());
}

TEST_CASE("of a known table in another dress the columns are suggested") {
  const auto suggests = [](const std::string& text, const char* columns) {
    CAPTURE(text);
    CHECK(finding(lint_of(text)).find(std::string("--csv-columns ") + columns) !=
          std::string::npos);
  };
  const char* const kColumns =
      "time:filetime,-,device,op,offset:bytes,size:bytes,response:filetime";
  suggests(with(kMicrosofts, ",", ";"), kColumns);
  suggests(with(kMicrosofts, ",", "\t"), kColumns);
  suggests(with(kMicrosofts, "\n", ",\n"), kColumns);
  suggests(with("\"" + with(with(kMicrosofts, ",", "\",\""), "\n", "\"\n\""), "\n\"\"", "\n"),
           kColumns);
  suggests("1538323200,12910952,128,0,1063\n1538323200,6338688,8,1,1063\n",
           "time:s,offset:sectors,size:sectors,op:0r1w,device");
  suggests("12, 123456, 0, 4096, 8192\n13, 223456, 1, 4096, 12288\n",
           "time:ms,response:ns,op:0r1w,size:bytes,offset:bytes");
}

TEST_CASE("gzip's archives may follow one another, with a tape's zeros behind") {
  const std::string archive = packed(kMicrosofts, "t.gz");
  CHECK(lint_of(archive + std::string(512, '\0')).requests == 2);
  CHECK(lint_of(archive + archive, {.reorder = 4}).requests == 4);
  CHECK(lint_of(archive + std::string(512, '\0') + "junk").errors > 0);
  CHECK(lint_of(archive + "junk").errors > 0);
}

TEST_CASE("what is compressed twice, or by a program that is not read here, is named") {
  const auto said = [](const std::string& bytes) { return finding(lint_of(bytes)); };
  CHECK(said(packed(packed(kMicrosofts, "t.gz"), "t.xz")) ==
        "is compressed twice, within with gzip: expand it once");
  CHECK(said("\x1f\x9d\x90" + kMicrosofts) ==
        "is compressed with compress, which is not read: expand it");
  CHECK(said(std::string("\x5d\0\0\x80\0", 5) + kMicrosofts) ==
        "is compressed with lzma, which is not read: expand it");
}
