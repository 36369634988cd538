// Contents with a cache that forgets, over a drive that destages what and when it likes: what is
// there when the power comes back.
#include "emulator/contents/volatile_contents.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "catch.h"
#include "emulator/contents/contents_file.h"

using namespace platter::emulator;
using Block = std::vector<std::uint8_t>;
using Ticket = VolatileContents::Ticket;

namespace {

constexpr std::uint64_t kSectors = 64;

// Each sector holds the number of the write that it is of.
class Host {
 public:
  explicit Host(unsigned seed)
      : random_(seed),
        contents_(std::make_unique<ContentsFile>(kSectors * 512), [this] { return dirty(); }) {}

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::size_t under_way() const { return writes_.size() + flushes_.size(); }

  void begin_write() {
    const std::uint64_t first = below(kSectors),
                        count = 1 + below(std::min(kSectors - first, std::uint64_t{12}));
    Write write{next_++, first, first + count, below(5) == 0, 0, false};
    Block bytes(count * 512);
    for (std::uint64_t i = 0; i < count; ++i) std::memcpy(bytes.data() + 512 * i, &write.number, 8);
    REQUIRE(contents_.begin_write(contents_.power(), first * 512, bytes, write.ticket) == 0);
    writes_.push_back(write);
  }

  // The drive has it, and the host does not know yet.
  void take_write() {
    if (writes_.empty()) return;
    Write& write = writes_[below(writes_.size())];
    if (write.is_taken) return;
    write.is_taken = true;
    for (std::uint64_t s = write.first; s < write.end; ++s) {
      sectors_[s].held = write.number;
      sectors_[s].is_dirty = !write.through;
      if (write.through) sectors_[s].media = write.number;
    }
  }

  // The drive has it, if it had not, and then the host knows.
  void end_write() {
    if (writes_.empty()) return;
    const std::size_t which = below(writes_.size());
    const Write write = writes_[which];
    writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(which));
    for (std::uint64_t s = write.first; s < write.end; ++s) {
      if (!write.is_taken) {
        sectors_[s].held = write.number;
        sectors_[s].is_dirty = !write.through;
        if (write.through) sectors_[s].media = write.number;
      }
      sectors_[s].acknowledged.push_back(write.number);
    }
    REQUIRE(contents_.end_write(write.ticket, write.through) == 0);
    if (write.through)
      for (std::uint64_t s = write.first; s < write.end; ++s)
        promise(s, sectors_[s].acknowledged.size());
  }

  // `at_once`: the drive writes what is dirty before it takes anything else.
  void begin_flush(bool at_once) {
    Flush flush{contents_.begin_flush(), at_once, {}};
    for (const Sector& sector : sectors_) flush.acknowledged.push_back(sector.acknowledged.size());
    flushes_.push_back(flush);
    for (std::uint64_t s = 0; at_once && s < kSectors; ++s) destage(s);
  }

  void end_flush() {
    if (flushes_.empty()) return;
    const Flush flush = flushes_.front();
    flushes_.erase(flushes_.begin());
    for (std::uint64_t s = 0; s < kSectors; ++s)
      if (!flush.at_once && sectors_[s].acknowledged.size() == flush.acknowledged[s]) destage(s);
    REQUIRE(contents_.end_flush(flush.ticket) == 0);
    for (std::uint64_t s = 0; s < kSectors; ++s) promise(s, flush.acknowledged[s]);
  }

  void destage_some() {
    const std::uint64_t first = below(kSectors);
    for (std::uint64_t s = first; s < std::min(kSectors, first + 10); ++s) destage(s);
  }

  void settle() { REQUIRE(contents_.settle() == 0); }

  // As whoever wrote last.
  void read() {
    Block bytes(kSectors * 512);
    REQUIRE(contents_.read(0, bytes) == 0);
    for (std::uint64_t s = 0; s < kSectors; ++s) {
      std::uint64_t newest = sectors_[s].acknowledged.empty() ? 0 : sectors_[s].acknowledged.back();
      for (const Write& write : writes_)  // those under way come over it
        if (s >= write.first && s < write.end) newest = write.number;
      REQUIRE(number_at(bytes, s) == newest);
    }
  }

  // `exactly`: the media are as the drive left them, but for writes under way.
  void cut_power(bool exactly) {
    const std::uint64_t before = contents_.power();
    REQUIRE(contents_.cut_power() == 0);
    CHECK(contents_.power() == before + 1);
    CHECK(contents_.volatile_bytes() == 0);
    Ticket ticket = 0;
    CHECK(contents_.begin_write(before, 0, Block(512), ticket) == ESHUTDOWN);
    for (const Write& write : writes_) CHECK(contents_.end_write(write.ticket, false) == ESHUTDOWN);
    for (const Flush& flush : flushes_) CHECK(contents_.end_flush(flush.ticket) == ESHUTDOWN);
    Block bytes(kSectors * 512);
    REQUIRE(contents_.read(0, bytes) == 0);
    for (std::uint64_t s = 0; s < kSectors; ++s) {
      Sector& sector = sectors_[s];
      const std::uint64_t found = number_at(bytes, s);
      std::set<std::uint64_t> may;
      for (const Write& write : writes_)
        if (s >= write.first && s < write.end) may.insert(write.number);
      seen_torn_ |= may.contains(found);
      if (exactly) {
        may.insert(sector.media);
      } else {
        may.insert(sector.promised);
        for (std::size_t i = sector.promises; i < sector.acknowledged.size(); ++i)
          may.insert(sector.acknowledged[i]);
      }
      INFO(s);
      REQUIRE(may.contains(found));
      sector = {};
      sector.media = sector.promised = sector.held = found;
      sector.acknowledged = {found};
      sector.promises = 1;
    }
    writes_.clear();
    flushes_.clear();
  }
  bool seen_torn() const { return seen_torn_; }

 private:
  struct Write {
    std::uint64_t number, first, end;
    bool through;
    Ticket ticket;
    bool is_taken = false;
  };
  struct Flush {
    Ticket ticket;
    bool at_once;
    std::vector<std::size_t> acknowledged;  // of each sector, so many then
  };
  struct Sector {
    std::uint64_t held = 0, media = 0;  // in the drive's cache, on its media
    bool is_dirty = false;
    std::vector<std::uint64_t> acknowledged{};
    std::uint64_t promised = 0;  // is there, or what came after
    std::size_t promises = 0;    // acknowledged ones up to that
  };

  static std::uint64_t number_at(const Block& bytes, std::uint64_t sector) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + sector * 512, 8);
    return number;
  }

  void promise(std::uint64_t s, std::size_t acknowledged) {
    Sector& sector = sectors_[s];
    if (acknowledged <= sector.promises) return;
    sector.promises = acknowledged;
    sector.promised = sector.acknowledged[acknowledged - 1];
  }

  void destage(std::uint64_t s) {
    if (!sectors_[s].is_dirty) return;
    sectors_[s].is_dirty = false;
    sectors_[s].media = sectors_[s].held;
  }

  std::vector<Range> dirty() const {
    std::vector<Range> ranges;
    for (std::uint64_t s = 0; s < kSectors; ++s)
      if (sectors_[s].is_dirty) ranges.push_back({s * 512, (s + 1) * 512});
    return Ranges(ranges).all();
  }

  std::mt19937_64 random_;
  std::vector<Sector> sectors_ = std::vector<Sector>(kSectors);
  VolatileContents contents_;
  std::vector<Write> writes_{};
  std::vector<Flush> flushes_{};
  std::uint64_t next_ = 1;
  bool seen_torn_ = false;
};

}  // namespace

// holds: emulators.md: With `--write-cache-loss` the blocks
TEST_CASE("one write at a time: the power leaves what the drive has destaged", "[volatile]") {
  bool torn = false;
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO(seed);
    Host host(seed);
    for (int step = 0; step < 60; ++step) {
      switch (host.below(8)) {
        case 0:
        case 1:
        case 2:
          host.begin_write();
          host.read();
          if (host.below(20) == 0) host.cut_power(true);
          host.end_write();
          break;
        case 3:
          host.begin_flush(true);
          if (host.below(2) == 0) {
            host.begin_write();
            host.end_write();
          }
          host.end_flush();
          break;
        case 4:
          host.settle();
          break;
        default:
          host.destage_some();
      }
      host.read();
    }
    host.cut_power(true);
    torn |= host.seen_torn();
  }
  CHECK(torn);
}

// holds: emulators.md: With `--write-cache-loss` the blocks
TEST_CASE("whatever is under way: what was promised is there, or what came later", "[volatile]") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    INFO(seed);
    Host host(seed);
    for (int step = 0; step < 120; ++step) {
      switch (host.below(12)) {
        case 0:
        case 1:
        case 2:
        case 3:
          if (host.under_way() < 12) host.begin_write();
          break;
        case 4:
        case 5:
        case 6:
          host.end_write();
          break;
        case 7:
          if (host.under_way() < 12) host.begin_flush(host.below(2) == 0);
          break;
        case 8:
          host.end_flush();
          break;
        case 9:
          host.settle();
          break;
        case 10:
          host.take_write();
          break;
        default:
          host.destage_some();
      }
      if (host.below(60) == 0) host.cut_power(false);
    }
    host.cut_power(false);
  }
}

TEST_CASE("what is through the cache, or trimmed, is so without its drive", "[volatile]") {
  VolatileContents contents(std::make_unique<ContentsFile>(8192), [] {
    return std::vector<Range>{{0, 8192}};  // all that it was given
  });
  Ticket ticket = 0;
  const Block ones(1024, 1), twos(512, 2);
  REQUIRE(contents.begin_write(0, 0, ones, ticket) == 0);
  REQUIRE(contents.end_write(ticket, false) == 0);
  REQUIRE(contents.begin_write(0, 4096, ones, ticket) == 0);
  REQUIRE(contents.end_write(ticket, false) == 0);
  CHECK(contents.volatile_bytes() == 2048);
  REQUIRE(contents.write(512, twos) == 0);
  REQUIRE(contents.discard(4096, 512) == 0);
  CHECK(contents.volatile_bytes() == 1024);
  Block read(8192);
  REQUIRE(contents.read(0, read) == 0);
  CHECK(read[0] == 1);
  CHECK(read[512] == 2);
  CHECK(read[4096] == 0);
  CHECK(read[4608] == 1);
  REQUIRE(contents.cut_power() == 0);
  REQUIRE(contents.read(0, read) == 0);
  CHECK(read[0] == 0);
  CHECK(read[512] == 2);
  CHECK(read[4608] == 0);
  CHECK(contents.begin_write(1, 1, twos, ticket) == EINVAL);
  CHECK(contents.begin_write(1, 0, {twos.data(), 511}, ticket) == EINVAL);
  CHECK(contents.begin_write(1, 8192, twos, ticket) == EINVAL);
}

namespace {

// Media that have no room at times.
struct FullMedia : ContentsFile {
  FullMedia() : ContentsFile(8192) {}
  int write(std::uint64_t offset, std::span<const std::uint8_t> from) override {
    return is_full ? ENOSPC : ContentsFile::write(offset, from);
  }
  bool is_full = false;
};

}  // namespace

TEST_CASE("what the host has no room for is not lost while the power is on", "[volatile]") {
  auto media = std::make_unique<FullMedia>();
  FullMedia& full = *media;
  std::vector<Range> dirty;
  VolatileContents contents(std::move(media), [&] { return dirty; });
  Ticket ticket = 0;
  const Block ones(4096, 1);
  REQUIRE(contents.begin_write(0, 0, ones, ticket) == 0);
  full.is_full = true;
  CHECK(contents.end_write(ticket, false) == ENOSPC);
  Block read(4096);
  REQUIRE(contents.read(0, read) == 0);
  CHECK(read == ones);
  CHECK(contents.settle() == ENOSPC);
  full.is_full = false;
  CHECK(contents.settle() == 0);
  CHECK(contents.volatile_bytes() == 0);
  REQUIRE(contents.read(0, read) == 0);
  CHECK(read == ones);
}

TEST_CASE("many threads write, flush and read while the power goes", "[volatile]") {
  VolatileContents contents(std::make_unique<ContentsFile>(1 << 20), [] {
    return std::vector<Range>{{0, 1 << 19}};
  });
  std::atomic<bool> ends{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      std::mt19937 random(number);
      const std::uint64_t at = number * 4096 + (number % 2) * (1 << 19);
      Block block(4096), read(4096);
      for (unsigned i = 0; !ends; ++i) {
        std::fill(block.begin(), block.end(), static_cast<std::uint8_t>(i));
        Ticket ticket = 0;
        const std::uint64_t power = contents.power();
        const int began = contents.begin_write(power, at, block, ticket);
        wrong += began != 0 && began != ESHUTDOWN;
        if (began != 0) continue;
        const int ended = contents.end_write(ticket, random() % 4 == 0);
        wrong += ended != 0 && ended != ESHUTDOWN;
        wrong += contents.read(at, read) != 0;
        if (ended == 0 && contents.power() == power) wrong += read != block;
        if (random() % 8 == 0) {
          const int flushed = contents.end_flush(contents.begin_flush());
          wrong += flushed != 0 && flushed != ESHUTDOWN;
        }
      }
    });
  for (int i = 0; i < 100; ++i) {
    std::this_thread::yield();
    wrong += contents.cut_power() != 0;
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
