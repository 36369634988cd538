// Results in columns: what was saved comes back, and no damage goes unseen.
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"
#include "replay/result_file.h"
#include "replay/summary.h"

using namespace platter;
using namespace platter::replay;

namespace {

struct TemporaryName {
  explicit TemporaryName(const std::string& ending = ".pres")
      : path(std::filesystem::temp_directory_path() /
             ("platter-columns-" + std::to_string(::getpid()) + ending)) {}
  ~TemporaryName() { std::filesystem::remove(path); }
  std::string path;
};

// Values of every size, signs and all.
Result random_result(std::uint64_t seed, std::size_t requests) {
  std::mt19937_64 random(seed);
  const auto up_to = [&](int bits) { return static_cast<Nanoseconds>(random() >> (64 - bits)); };
  Result result;
  result.name = std::string("a \"drive\" \xC3\xA4");
  result.trace = std::string("t");
  result.depth = 4;
  result.asked_depth = 9;
  result.speed = 2.5;
  result.scheduler = std::string("sptf");
  result.ageing = 0.25;
  result.period_ns = 5985037.406483791;
  result.phase_ns = -12.5;
  result.outside_validity = 7;
  const int bits = 1 + static_cast<int>(random() % 59);
  for (std::size_t i = 0; i < requests + 3; ++i) {
    Response row{.lbn = random() >> (64 - bits),
                 .blocks = static_cast<std::uint32_t>(random() >> 32),
                 .write = random() % 2 == 0,
                 .due_ns = up_to(bits),
                 .response_ns = up_to(bits)};
    row.waited_ns = up_to(bits / 2 + 1);
    row.issue_ns = row.due_ns + row.waited_ns + up_to(7) - 5;
    if (random() % 3 > 0) row.media = random() % 2 == 0;
    (i < 3 ? result.reference : result.requests).push_back(row);
  }
  return result;
}

void check_same(const Result& a, const Result& b) {
  ResultHead head = a;
  head.lateness = summary_of(a).lateness;
  CHECK(head == static_cast<const ResultHead&>(b));
  CHECK(a.reference == b.reference);
  CHECK(a.requests == b.requests);
}

std::string saved(const Result& result) {
  const TemporaryName file;
  save_result(result, file.path);
  return model::read_file(file.path);
}

std::string error_of(const std::string& content) {
  const TemporaryName file;
  std::ofstream(file.path, std::ios::binary) << content;  // thousands: not worth an fsync each
  try {
    load_result(file.path);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return std::string(error.what()).substr(file.path.size());
  }
  return "no error";
}

}  // namespace

TEST_CASE("columns come back as they were saved, and as CSV") {
  const std::uint64_t seed = GENERATE(range(1, 12));
  const Result result = random_result(seed, 1 + seed * 7);
  for (const char* ending : {".pres", ".csv"}) {
    const TemporaryName file(ending);
    save_result(result, file.path);
    check_same(result, load_result(file.path));
  }
}

TEST_CASE("a result of several row groups is read piece by piece, reference reads first") {
  const Result result = random_result(5, 150000);
  const TemporaryName file;
  save_result(result, file.path);
  check_same(result, load_result(file.path));
  const auto reader = open_result(file.path);
  Part part = Part::trace;
  std::vector<Response> rows;
  REQUIRE(reader->read(part, rows));
  CHECK(part == Part::reference);
  CHECK(rows.size() == 3);
  std::size_t pieces = 0, requests = 0;
  while (reader->read(part, rows)) {
    CHECK(part == Part::trace);
    CHECK(rows.size() <= 65536);
    ++pieces;
    requests += rows.size();
  }
  CHECK(pieces == 3);
  CHECK(requests == 150000);
}

TEST_CASE("a column of one value takes no room, one of small differences a byte a row") {
  Result result;
  for (std::size_t i = 0; i < 8000; ++i)
    result.requests.push_back({.lbn = (1ull << 50) + i % 200,
                               .due_ns = 1ll << 60,
                               .issue_ns = 1ll << 60,
                               .response_ns = 77});
  CHECK(saved(result).size() < 8000 + 2048);
  const TemporaryName file;
  save_result(result, file.path);
  CHECK(load_result(file.path).requests == result.requests);
}

TEST_CASE("a result that is cut short anywhere is an error") {
  const std::string whole = saved(random_result(2, 40));
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes)
    if (error_of(whole.substr(0, bytes)) == "no error") FAIL("read though cut to " << bytes);
  CHECK(error_of(whole.substr(0, whole.size() - 9)).find(": it ends at byte") == 0);
  CHECK(error_of(whole.substr(0, 100)) ==
        ": its first line does not end; it is damaged, replay again");
}

TEST_CASE("a result of which any byte was changed is an error, and so is one that goes on") {
  const std::string whole = saved(random_result(3, 40));
  std::mt19937_64 random(1);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    if (error_of(damaged) == "no error") FAIL("byte " << at << " was changed unseen");
  }
  CHECK(error_of(whole + "x").find("something follows its last byte") != std::string::npos);
  std::string group = whole;
  group[group.size() - 20] = static_cast<char>(group[group.size() - 20] ^ 1);
  CHECK(error_of(group).starts_with(": the checksum of the row group at byte "));
}

TEST_CASE("a row group whose checksum is right but that makes no sense is an error") {
  const std::string whole = saved(random_result(3, 40));
  const std::size_t group = whole.find('\n') + 1;
  const auto patched = [&](std::size_t place, std::uint64_t value) {
    std::string file = whole;
    std::memcpy(file.data() + group + place, &value, sizeof value);
    const std::uint64_t crc = ::crc32_z(0, reinterpret_cast<const Bytef*>(file.data()) + group + 8,
                                        file.size() - 8 - (group + 8));
    std::memcpy(file.data() + group, &crc, sizeof crc);
    return file;
  };
  REQUIRE(error_of(patched(8, 43)) == "no error");  // the rows as they are
  for (const std::uint64_t rows : {0, 1, 42, 44, 65536, 65537})
    CHECK(error_of(patched(8, rows)) != "no error");
  CHECK(error_of(patched(8, ~0ull)).find("has no possible size") != std::string::npos);
  CHECK(error_of(patched(16, 1ull << 60)).find("has no possible size") != std::string::npos);
  for (std::size_t column = 0; column < 7; ++column)
    for (const std::uint64_t width : {3ull, 16ull, 1ull << 63})
      CHECK(error_of(patched(24 + 16 * column + 8, width)).find("has no possible width") !=
            std::string::npos);
  CHECK(error_of(patched(24, 1 << 10)).find("is none of a replay") != std::string::npos);
  CHECK(error_of(patched(24 + 32, 1ull << 40)).find("is none of a replay") != std::string::npos);
  for (const std::size_t time : {3, 4, 5, 6})
    for (const std::uint64_t base : {1ull << 63, 1ull << 62})
      CHECK(error_of(patched(24 + 16 * time, base)).find("is none of a replay") !=
            std::string::npos);
}

TEST_CASE("what is no result is told by what it is") {
  CHECK(error_of("{\n  \"schema\": {}\n}\n").find("its first line is not the header") !=
        std::string::npos);
  CHECK(error_of("{\"schema\":{\"name\":\"platter-model\",\"version\":\"1.0\"}}\n")
            .find("its schema is {\"name\":\"platter-model\"") != std::string::npos);
  CHECK(error_of("{").find("its first line does not end") != std::string::npos);
  CHECK(error_of("").find("no request") != std::string::npos);
  std::string other = saved(random_result(3, 4));
  other.replace(other.find("\"lbn\""), 5, "\"LBN\"");
  CHECK(error_of(other).find("has the columns") != std::string::npos);
}

TEST_CASE("nothing is left of a result that was not finished") {
  const TemporaryName file;
  const Result result = random_result(1, 10);
  {
    const auto writer = create_result(file.path, result);
    writer->add(Part::trace, result.requests);
  }
  CHECK_FALSE(std::filesystem::exists(file.path));
  CHECK_THROWS_AS(create_result("/nonexistent/x.pres", result), Error);
}
