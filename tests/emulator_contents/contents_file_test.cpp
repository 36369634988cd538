#include "emulator/contents/contents_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "catch.h"
#include "model/error.h"
#include "model/leftovers.h"

using namespace platter;
using emulator::ContentsFile;
using Bytes = std::vector<std::uint8_t>;

namespace {

constexpr std::uint64_t kBytes = 1 << 20;

ExitStatus refusal(const std::string& path, std::uint64_t bytes) {
  try {
    const ContentsFile contents(path, bytes);
  } catch (const Error& error) {
    INFO(error.what());
    CHECK(std::string(error.what()).find(path) == 0);
    return error.status();
  }
  return ExitStatus::ok;
}

// Against a plain array: writes with many zeros at any offset, discards.
void is_an_array(ContentsFile& contents) {
  std::mt19937_64 random(3);
  Bytes truth(kBytes);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int step = 0; step < 3'000; ++step) {
    const std::uint64_t offset = below(kBytes),
                        size = 1 + below(std::min<std::uint64_t>(kBytes - offset, 40'000));
    if (below(4) == 0) {
      REQUIRE(contents.discard(offset, size) == 0);
      std::fill_n(truth.begin() + static_cast<std::ptrdiff_t>(offset), size, 0);
    } else {
      Bytes data(size);
      for (std::uint64_t at = 0; at < size; ++at)
        data[at] = (offset + at) / 4096 % 3 == 0 ? 0 : static_cast<std::uint8_t>(random());
      REQUIRE(contents.write(offset, data) == 0);
      std::copy(data.begin(), data.end(), truth.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    Bytes read(size + 1, 0xAA);
    const auto part = std::min<std::uint64_t>(read.size(), kBytes - offset);
    REQUIRE(contents.read(offset, {read.data(), part}) == 0);
    REQUIRE(std::equal(read.begin(), read.begin() + static_cast<std::ptrdiff_t>(part),
                       truth.begin() + static_cast<std::ptrdiff_t>(offset)));
  }
}

}  // namespace

TEST_CASE("contents are an array of bytes, in memory and in a file", "[contents]") {
  ContentsFile memory(kBytes);
  is_an_array(memory);
  model::TemporaryFolder folder(model::temporary_name("platter-XXXXXX"));
  ContentsFile file(folder.file("contents"), kBytes);
  is_an_array(file);
}

TEST_CASE("zeros are not stored, and what becomes zero goes", "[contents]") {
  ContentsFile contents(std::uint64_t{8} << 40);  // 8 TB cost nothing
  const Bytes zeros(1 << 20), ones(1 << 20, 1);
  REQUIRE(contents.write(std::uint64_t{7} << 40, zeros) == 0);
  CHECK(contents.stored_bytes() == 0);
  REQUIRE(contents.write(std::uint64_t{7} << 40, ones) == 0);
  CHECK(contents.stored_bytes() == 1 << 20);
  REQUIRE(contents.write((std::uint64_t{7} << 40) + 4096, {zeros.data(), 8192}) == 0);
  CHECK(contents.stored_bytes() == (1 << 20) - 8192);
  REQUIRE(contents.discard(std::uint64_t{7} << 40, 1 << 20) == 0);
  CHECK(contents.stored_bytes() == 0);
}

TEST_CASE("past the end nothing is read or written", "[contents]") {
  ContentsFile contents(kBytes);
  Bytes two(2);
  CHECK(contents.read(kBytes - 1, two) == EINVAL);
  CHECK(contents.write(kBytes - 1, two) == EINVAL);
  CHECK(contents.discard(kBytes - 1, 2) == EINVAL);
  CHECK(contents.discard(1, ~std::uint64_t{0}) == EINVAL);
  CHECK(contents.read(~std::uint64_t{0}, two) == EINVAL);
  CHECK(contents.write(kBytes - 2, two) == 0);
}

// holds: emulators.md: A file of contents has
TEST_CASE("a file of contents outlives its emulator, and has one at a time", "[contents]") {
  model::TemporaryFolder folder(model::temporary_name("platter-XXXXXX"));
  const std::string path = folder.file("contents");
  const Bytes data(4096, 7);
  {
    ContentsFile contents(path, kBytes);
    REQUIRE(contents.write(8192, data) == 0);
    REQUIRE(contents.flush() == 0);
    CHECK(refusal(path, kBytes) == ExitStatus::refused);
  }
  const ContentsFile again(path, kBytes);
  Bytes read(4096);
  REQUIRE(again.read(8192, read) == 0);
  CHECK(read == data);
}

// holds: emulators.md: A file of contents has
TEST_CASE("what is not this drive's contents is refused and stays as it is", "[contents]") {
  model::TemporaryFolder folder(model::temporary_name("platter-XXXXXX"));
  const std::string path = folder.file("other");
  std::ofstream(path) << "text";
  CHECK(refusal(path, kBytes) == ExitStatus::bad_input);
  CHECK(std::filesystem::file_size(path) == 4);
  CHECK(refusal(folder.path(), kBytes) == ExitStatus::bad_input);
  CHECK(refusal("/dev/null", kBytes) == ExitStatus::bad_input);
  CHECK(refusal(folder.path() + "/no/such", kBytes) == ExitStatus::output);
  const std::string fifo = folder.file("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(refusal(fifo, kBytes) == ExitStatus::bad_input);
}
