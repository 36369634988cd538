// A real kernel's writes (tests/golden/writes) to contents that keep all, and to contents that drop
// data. The judges are the kernel, which says of a write that it is metadata, and the checkers of
// the file systems, which have to say the same of both.
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "catch.h"
#include "emulator/contents/generated_contents.h"
#include "emulator_contents/write_log.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "source_folder.h"

using namespace platter;
using namespace platter::emulator;
using testing::LoggedWrite;
using testing::WriteLog;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

struct Stream {
  const char* name;
  std::uint64_t bytes;
  double kept_share;  // of what the file system wrote, at most; measured, and some room
};
constexpr Stream kStreams[] = {
    {"ext4", 600 * kMiB, 0.2},
    {"ext4-no-journal", 600 * kMiB, 0.55},
    {"ext4-data-journal", 600 * kMiB, 0.15},
    {"ext4-quota", 600 * kMiB, 0.25},
    {"ext4-meta-groups", 600 * kMiB, 0.1},
    {"ext4-small-blocks", 600 * kMiB, 0.55},
    {"ext3", 600 * kMiB, 0.55},
    {"xfs", 320 * kMiB, 0.55},
    {"btrfs", 320 * kMiB, 0.6},
};

// Checkers take their time.
bool is_of_most_use(const Stream& stream) {
  const std::string name = stream.name;
  return name == "ext4" || name == "xfs" || name == "btrfs";
}

GeneratedSettings settings_for(const Stream& stream) {
  GeneratedSettings settings;
  settings.bytes = stream.bytes;
  settings.waiting_bytes = kMiB;
  return settings;
}

// Both kinds of contents, and which pages were written how.
struct Pair {
  explicit Pair(const Stream& its)
      : stream(its),
        log(source_folder() + "/tests/golden/writes/" + its.name + ".zst"),
        generated(std::make_unique<GeneratedContents>(settings_for(its))),
        all(its.bytes) {}

  void write(const LoggedWrite& write) {
    REQUIRE(generated->write(write.offset, write.data) == 0);
    REQUIRE(all.write(write.offset, write.data) == 0);
    for (std::uint64_t page = write.offset / 4096; page * 4096 < write.offset + write.bytes; ++page)
      touched[page] = write.is(LoggedWrite::kMetadata);
  }

  std::vector<std::uint8_t> page_of(const Contents& contents, std::uint64_t page) const {
    std::vector<std::uint8_t> bytes(4096);
    REQUIRE(contents.read(page * 4096, bytes) == 0);
    return bytes;
  }

  // In pieces of whole sectors, each before the one that was in front of it.
  void write_in_pieces(const LoggedWrite& entry, std::mt19937_64& random) {
    std::vector<LoggedWrite> pieces;
    for (std::uint64_t at = 0; at < entry.bytes;) {
      const std::uint64_t part = std::min(entry.bytes - at, 512 * (1 + random() % 40));
      const auto begin = entry.data.begin() + static_cast<std::ptrdiff_t>(at);
      pieces.push_back({entry.flags,
                        entry.offset + at,
                        part,
                        {begin, begin + static_cast<std::ptrdiff_t>(part)},
                        ""});
      at += part;
    }
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) write(*piece);
  }

  // Up to a mark, or the end; false: there is no such mark.
  bool run_to(const std::string& mark) {
    while (const auto entry = log.next()) {
      if (entry->is(LoggedWrite::kMark) && entry->mark == mark) return true;
      if (entry->is(LoggedWrite::kMark) || entry->bytes == 0) continue;
      before();
      if (dice)
        write_in_pieces(*entry, *dice);
      else
        write(*entry);
      after(*entry);
    }
    return false;
  }

  std::optional<std::mt19937_64> dice{};
  std::function<void()> before = [] {};
  std::function<void(const LoggedWrite&)> after = [](const LoggedWrite&) {};
  Stream stream;
  WriteLog log;
  std::unique_ptr<GeneratedContents> generated;
  ContentsFile all;
  std::map<std::uint64_t, bool> touched{};  // page: whether the kernel said metadata
};

// Checkers have threads: their lines come in any order.
std::string sorted_lines(const std::string& text) {
  std::istringstream from(text);
  std::multiset<std::string> lines;
  for (std::string line; std::getline(from, line);) lines.insert(line + "\n");
  std::string sorted;
  for (const std::string& line : lines) sorted += line;
  return sorted;
}

// What the checker of the file system says of these contents, and how it ends.
std::string checked(const Pair& pair, const Contents& contents) {
  model::TemporaryFolder folder(model::temporary_name("platter-stream"));
  const std::string path = folder.file("image"), said = folder.file("said");
  {
    ContentsFile image(path, contents.bytes());
    for (const auto& [page, is_metadata] : pair.touched)
      REQUIRE(image.write(page * 4096, pair.page_of(contents, page)) == 0);
  }
  const std::string name = pair.stream.name;
  const std::string checker = name == "xfs"     ? "xfs_repair -n -f "
                              : name == "btrfs" ? "btrfs check "
                                                : "e2fsck -fn ";
  const int status =
      std::system(("PATH=$PATH:/usr/sbin:/sbin " + checker + path + " >" + said + " 2>&1").c_str());
  std::string text = model::read_file(said);
  REQUIRE(WEXITSTATUS(status) != 127);  // e2fsprogs, xfsprogs and btrfs-progs have to be there
  for (std::size_t at; (at = text.find(path)) != std::string::npos;) text.erase(at, path.size());
  return std::to_string(WEXITSTATUS(status)) + "\n" + sorted_lines(text);
}

}  // namespace

// holds: emulators.md: Of a file system in the table
// holds: emulators.md: What is written never makes
TEST_CASE("what a kernel writes as metadata is kept", "[streams]") {
  for (const Stream& stream : kStreams) {
    INFO(stream.name);
    Pair pair(stream);
    std::uint64_t metadata = 0;
    pair.after = [&](const LoggedWrite& write) {
      if (!write.is(LoggedWrite::kMetadata)) return;
      ++metadata;
      for (std::uint64_t page = write.offset / 4096; page * 4096 < write.offset + write.bytes;
           ++page)
        REQUIRE(pair.page_of(*pair.generated, page) == pair.page_of(pair.all, page));
    };
    REQUIRE_FALSE(pair.run_to("none"));
    CHECK(metadata > 30);
  }
}

// holds: emulators.md: Of a file system in the table
TEST_CASE("checkers of file systems see no difference, and little is kept", "[streams]") {
  for (const Stream& stream : kStreams) {
    INFO(stream.name);
    Pair pair(stream);
    for (const char* const mark : {"round-1", "unmounted"}) {
      if (std::string(mark) == "round-1" && !is_of_most_use(stream)) continue;
      INFO(mark);
      REQUIRE(pair.run_to(mark));
      const std::string of_all = checked(pair, pair.all);
      CHECK(checked(pair, *pair.generated) == of_all);
      if (std::string(mark) == "unmounted") CHECK(of_all[0] == '0');
    }
    const double share = static_cast<double>(pair.generated->stored_bytes()) /
                         static_cast<double>(pair.all.stored_bytes());
    CHECK(share <= stream.kept_share);
  }
}

TEST_CASE("requests that are cut in pieces, in any order, are no other writes", "[streams]") {
  for (const Stream& stream : kStreams) {
    INFO(stream.name);
    Pair pair(stream);
    pair.dice.emplace(7);
    pair.after = [&](const LoggedWrite& write) {
      if (!write.is(LoggedWrite::kMetadata)) return;
      for (std::uint64_t page = write.offset / 4096; page * 4096 < write.offset + write.bytes;
           ++page)
        REQUIRE(pair.page_of(*pair.generated, page) == pair.page_of(pair.all, page));
    };
    REQUIRE(pair.run_to("unmounted"));
    if (is_of_most_use(stream)) CHECK(checked(pair, *pair.generated) == checked(pair, pair.all));
  }
}

TEST_CASE("contents in a file are the same behind a restart at any time", "[streams]") {
  for (const Stream& stream : kStreams) {
    if (!is_of_most_use(stream)) continue;
    INFO(stream.name);
    model::TemporaryFolder folder(model::temporary_name("platter-stream"));
    Pair pair(stream);
    GeneratedSettings settings = settings_for(stream);
    settings.file = folder.file("contents");
    pair.generated = nullptr;
    std::mt19937_64 dice(3);
    int entries = 0;
    pair.before = [&] {
      if (entries++ % 50 != 0) return;
      std::map<std::uint64_t, std::vector<std::uint8_t>> read;
      for (const auto& [page, is_metadata] : pair.touched)
        if (dice() % 20 == 0) read[page] = pair.page_of(*pair.generated, page);
      pair.generated = nullptr;
      pair.generated = std::make_unique<GeneratedContents>(settings);
      for (const auto& [page, bytes] : read) REQUIRE(pair.page_of(*pair.generated, page) == bytes);
    };
    REQUIRE(pair.run_to("unmounted"));
    CHECK(checked(pair, *pair.generated) == checked(pair, pair.all));
    CHECK(pair.generated->state().dropped_bytes > kMiB / 2);
  }
}
