#include "trace/compression.h"

#include "catch.h"
#include "model/error.h"
#include "trace/random_trace.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

std::string packed(const std::string& text, const std::string& name) {
  std::string bytes;
  const auto sink = compressed(string_sink(bytes), name);
  sink->write(text);
  sink->finish();
  return bytes;
}

std::string unpacked(const std::string& bytes) {
  const auto source = decompressed(memory_source(bytes), "t");
  std::string text;
  char piece[1000];
  while (const std::size_t got = source->read(piece, sizeof piece)) text.append(piece, got);
  return text;
}

std::string error_of(const std::string& bytes) {
  try {
    unpacked(bytes);
  } catch (const Error& error) {
    REQUIRE(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "no error";
}

const char* const kNames[] = {"x.gz", "x.zst", "x.bz2", "x.xz", "x.lz4"};

// A megabyte that compresses to many buffers' worth.
std::string noise() {
  std::mt19937_64 random(3);
  std::string text;
  while (text.size() < 1'000'000) text += std::to_string(random()) + "\n";
  return text;
}

}  // namespace

TEST_CASE("what is compressed is seen by its content and comes back as it was") {
  for (const char* name : kNames) {
    CAPTURE(name);
    const std::string text = noise(), bytes = packed(text, name);
    CHECK(bytes.size() < text.size());
    CHECK((unpacked(bytes) == text));
    CHECK(unpacked(packed("", name)).empty());
    CHECK(unpacked(packed("ab", name) + packed("cd", name)) == "abcd");  // one after another
  }
  CHECK(packed("plain", "x") == "plain");
  CHECK(unpacked("plain") == "plain");
  CHECK(unpacked("").empty());
  CHECK(unpacked("\x1f") == "\x1f");
  CHECK(unpacked("BZh9 is no archive\n") == "BZh9 is no archive\n");
}

TEST_CASE("a name promises how its content is compressed, in any case of its letters") {
  const std::string text = noise();
  CHECK(packed(text, "x.GZ").starts_with("\x1f\x8b"));
  CHECK(packed(text, "x.bz2").starts_with("BZh9"));
  CHECK(packed(text, "x.csv.xz").starts_with("\xfd\x37zXZ"));
  CHECK(packed(text, "x.lz4").starts_with("\x04\x22\x4d\x18"));
  for (const std::string name : {"x.zip", "x.tar", "x.tgz", "x.7z", "x.Z", "x.lzma"})
    CHECK_THROWS_WITH(packed("a", name), Catch::Contains(name + ": its name promises "));
}

TEST_CASE("an archive that is cut short or damaged is one sentence") {
  for (const char* name : kNames) {
    CAPTURE(name);
    const std::string bytes = packed(noise(), name);
    for (const std::size_t length :
         {std::size_t{12}, std::size_t{30}, bytes.size() / 2, bytes.size() - 1}) {
      CAPTURE(length);
      CHECK_THAT(error_of(bytes.substr(0, length)),
                 Catch::Contains("ends too early; copy it again"));
    }
    std::string damaged = bytes;
    damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 0x40);
    CHECK_THAT(error_of(damaged), Catch::Contains("damaged ("));
    CHECK_THAT(error_of(bytes + "the rest of another file"),
               Catch::Contains("damaged (") || Catch::Contains("too early"));
  }
}

TEST_CASE("every format is written compressed and read as it is") {
  std::mt19937_64 random(11);
  for (const Holds& holds : kHolds)
    for (const char* name : kNames) {
      CAPTURE(name_of(holds.format), name);
      Trace trace = random_trace(random, holds);
      trace.requests.resize(1);  // whose completion no other one's can be taken for
      std::string bytes;
      const auto writer = create_trace(string_sink(bytes), name, holds.format);
      writer->write(trace.requests);
      writer->finish();
      CHECK(read_trace(*open_trace(memory_source(bytes), "t")).requests == trace.requests);
    }
}

TEST_CASE("the beginning of a compressed file is expanded as far as one wants, and no further") {
  const std::string text(5000, 'x');
  for (const char* name : kNames) {
    CAPTURE(name);
    const std::string bytes = packed(text, name);
    CHECK(expanded_beginning(bytes, 512) == std::string(512, 'x'));
    CHECK(expanded_beginning(bytes, 9000) == text);
  }
}
