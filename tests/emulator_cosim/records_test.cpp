#include <cstring>
#include <random>
#include <vector>

#include "catch.h"
#include "emulator/cosim/guest/record.h"
#include "emulator/cosim/simulation.h"

using namespace platter::emulator;

namespace {

struct Kept {
  std::uint32_t kind;
  std::string bytes;
  bool operator==(const Kept&) const = default;
};

std::string stream_of(const std::vector<Kept>& records) {
  std::string stream;
  for (const Kept& record : records) {
    const platter_cosim_record head{record.kind, static_cast<std::uint32_t>(record.bytes.size())};
    stream.append(reinterpret_cast<const char*>(&head), sizeof head).append(record.bytes);
  }
  return stream;
}

}  // namespace

TEST_CASE("Records are whole however their stream is cut") {
  std::mt19937 random(7);
  std::vector<Kept> records;
  for (int i = 0; i < 200; ++i) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    records.push_back({PLATTER_COSIM_STDOUT + static_cast<std::uint32_t>(random() % 5), bytes});
  }
  const std::string stream = stream_of(records);
  RecordReader reader;
  std::vector<Kept> taken;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t part = std::min<std::size_t>(1 + random() % 500, stream.size() - at);
    REQUIRE(reader.feed(std::span(stream).subspan(at, part), [&](const Record& record) {
      taken.push_back({record.kind, std::string(record.bytes)});
    }));
    at += part;
  }
  CHECK(taken == records);
}

TEST_CASE("What cannot be a record is none") {
  RecordReader unknown, endless;
  const auto ignore = [](const Record&) {};
  CHECK_FALSE(unknown.feed(stream_of({{77, "x"}}), ignore));
  const platter_cosim_record head{PLATTER_COSIM_STDOUT, 0xffffffff};
  std::array<char, sizeof head> bytes{};
  std::memcpy(bytes.data(), &head, sizeof head);
  CHECK_FALSE(endless.feed(bytes, ignore));
}

TEST_CASE("A record's number is that of four bytes") {
  const std::int32_t status = 0x700;
  std::string bytes(sizeof status, '\0');
  std::memcpy(bytes.data(), &status, sizeof status);
  CHECK(Record{PLATTER_COSIM_ENDED, bytes}.number() == status);
  CHECK(Record{PLATTER_COSIM_ENDED, "abc"}.number() == 0);
}
