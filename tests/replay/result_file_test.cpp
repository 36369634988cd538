// Result files, compressed or not: what was saved comes back, and nothing that is missing goes
// unseen.
#include "replay/result_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"
#include "replay/summary.h"
#include "trace/compression.h"

using namespace platter;
using namespace platter::replay;

namespace {

struct TemporaryName {
  explicit TemporaryName(const std::string& ending)
      : path(std::filesystem::temp_directory_path() /
             ("platter-result-file-" + std::to_string(::getpid()) + ending)) {}
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

std::string saved(const Result& result, const std::string& ending) {
  const TemporaryName file(ending);
  save_result(result, file.path);
  return model::read_file(file.path);
}

// nullopt: it is refused.
std::optional<Result> read_from(const std::string& content, std::string* why = nullptr) {
  const TemporaryName file(".any");                       // its content tells what it is
  std::ofstream(file.path, std::ios::binary) << content;  // thousands: not worth an fsync each
  try {
    return load_result(file.path);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    if (why) *why = std::string(error.what()).substr(file.path.size());
    return std::nullopt;
  }
}

constexpr const char* kEndings[] = {".csv", ".csv.gz", ".csv.zst"};

}  // namespace

TEST_CASE("a result comes back from every kind of file as it was saved") {
  const std::uint64_t seed = GENERATE(range(1, 12));
  const Result result = random_result(seed, 1 + seed * 7);
  for (const char* ending : kEndings) {
    const TemporaryName file(ending);
    save_result(result, file.path);
    check_same(result, load_result(file.path));
  }
}

TEST_CASE("a long result is read piece by piece, reference reads first") {
  const Result result = random_result(5, 30000);
  for (const char* ending : kEndings) {
    const TemporaryName file(ending);
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
      ++pieces;
      requests += rows.size();
    }
    CHECK(pieces > 2);
    CHECK(requests == 30000);
  }
}

TEST_CASE("the numbers of a row are whole at both ends of their range") {
  constexpr Nanoseconds kMost = Nanoseconds{1} << 61;
  Result result;
  result.requests = {{.lbn = ~0ull,
                      .blocks = ~0u,
                      .write = true,
                      .due_ns = -kMost,
                      .issue_ns = -kMost,
                      .response_ns = kMost,
                      .media = false,
                      .waited_ns = -kMost},
                     {.lbn = 0, .due_ns = kMost, .issue_ns = kMost, .waited_ns = kMost}};
  CHECK(read_from(saved(result, ".csv")).value().requests == result.requests);
}

TEST_CASE("the ending of a name says how a result is compressed") {
  const Result result = random_result(4, 1000);
  CHECK(saved(result, ".csv").starts_with("# {\"schema\":"));
  CHECK(saved(result, ".csv.gz").starts_with("\x1f\x8b"));
  CHECK(saved(result, ".csv.zst").starts_with("\x28\xb5\x2f\xfd"));
  CHECK(saved(result, "") == saved(result, ".csv"));
  CHECK(saved(result, ".zst") == saved(result, ".csv.zst"));
  for (const char* ending : {".json", ".pres", ".json.gz", ".csv.zip", ".tar", ".CSV", ".zst "}) {
    const TemporaryName file(ending);
    CHECK_THROWS_WITH(create_result(file.path, result),
                      Catch::Contains("a result is CSV, and its name says something else"));
    CHECK_FALSE(std::filesystem::exists(file.path));
  }
}

TEST_CASE("a result that is cut short anywhere is refused") {
  for (const char* ending : kEndings) {
    const std::string whole = saved(random_result(2, 40), ending);
    REQUIRE(read_from(whole));
    for (std::size_t bytes = 1; bytes < whole.size(); ++bytes)
      if (read_from(whole.substr(0, bytes))) FAIL(ending << " is read though cut to " << bytes);
  }
}

TEST_CASE("no damage of a compressed result goes unseen") {
  const Result result = random_result(3, 40);
  for (const char* ending : {".csv.gz", ".csv.zst"}) {
    const std::string whole = saved(result, ending);
    std::mt19937_64 random(1);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
      const auto read = read_from(damaged);
      if (read && (read->requests != result.requests || read->reference != result.reference))
        FAIL(ending << ": byte " << at << " was changed unseen");
    }
    CHECK_FALSE(read_from(whole + "x"));
  }
}

TEST_CASE("a result that another program compressed is read, whatever its name") {
  const Result result = random_result(3, 40);
  for (const char* const name : {"x.gz", "x.zst", "x.bz2", "x.xz", "x.lz4"}) {
    std::string bytes;
    const auto sink = trace::compressed(trace::string_sink(bytes), name);
    sink->write(saved(result, ".csv"));
    sink->finish();
    CHECK(read_from(bytes).value().requests == result.requests);
    std::string twice;
    const auto again = trace::compressed(trace::string_sink(twice), name);
    again->write(bytes);
    again->finish();
    CHECK_FALSE(read_from(twice));
  }
}

TEST_CASE("what is no result is told by what it is") {
  std::string why;
  for (const char* text : {"{\n  \"schema\": {}\n}\n", "{", "part,op,lbn\n", "\x7f"}) {
    CHECK_FALSE(read_from(text, &why));
    CHECK_THAT(why, Catch::Contains("is neither a result of platter replay nor a trace with its"));
  }
  CHECK_FALSE(read_from("# {\"schema\":{\"name\":\"platter-model\",\"version\":\"1.0\"}}\n", &why));
  CHECK_THAT(why, Catch::Contains("its schema is {\"name\":\"platter-model\""));
  CHECK_FALSE(read_from("#", &why));
  CHECK_FALSE(read_from("", &why));
  CHECK_THAT(why, Catch::Contains("no request"));
}

TEST_CASE("nothing is left of a result that was not finished") {
  const Result result = random_result(1, 10);
  for (const char* ending : kEndings) {
    const TemporaryName file(ending);
    {
      const auto writer = create_result(file.path, result);
      writer->add(Part::trace, result.requests);
    }
    CHECK_FALSE(std::filesystem::exists(file.path));
    CHECK_THROWS_AS(create_result(std::string("/nonexistent/x") + ending, result), Error);
  }
}
