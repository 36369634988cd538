// The follower of ext4's journal against a writer of journals that remembers what it did: any
// number of transactions, in all forms of tags, around the end, trimmed, emptied, cut off and begun
// anew.
#include "emulator/file_systems/ext4_journal.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "catch.h"

using namespace platter::emulator;
using Block = std::vector<std::uint8_t>;

namespace {

constexpr std::uint32_t kBlockBytes = 1024, kBlocks = 40;
constexpr std::uint32_t kMagic = 0xC03B3998;
enum Feature : std::uint32_t { k64Bit = 2, kAsync = 4, kChecksums2 = 8, kChecksums3 = 16 };

void put(Block& block, std::size_t at, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    block.at(at + i) = static_cast<std::uint8_t>(number >> (8 * (bytes - 1 - i)));
}

class Writer {
 public:
  Writer(std::uint32_t features, unsigned seed)
      : features_(features), random_(seed), store_(kBlocks, Block(kBlockBytes)) {
    write_superblock(0);
    open();
  }

  void open() {
    // In two parts, the second before the first.
    journal_.emplace(std::vector<Ext4Extent>{{0, 500, 15}, {15, 300, kBlocks - 15}}, kBlockBytes,
                     [this](std::uint64_t block, std::span<std::uint8_t> to) {
                       const Block& bytes = store_.at(index_of(block));
                       std::copy(bytes.begin(), bytes.end(), to.begin());
                       return true;
                     });
  }

  void transaction(bool commits) {
    const std::set<std::uint64_t> blocks = some(6);
    const std::set<std::uint64_t> revoked = below(2) == 0 ? some(3) : std::set<std::uint64_t>{};
    const std::uint32_t needs = static_cast<std::uint32_t>(blocks.size()) + 3;  // at most
    if (used_ + needs > kBlocks - 1) return;
    const std::uint32_t begin = head_, sequence = sequence_;
    std::vector<std::pair<std::uint32_t, Block>> writes;
    Block descriptor = control(1);
    std::map<std::uint64_t, std::pair<std::uint32_t, Block>> copies;
    std::size_t at = 12;
    for (const std::uint64_t block : blocks) {
      Block bytes = noise();
      if (below(4) == 0) put(bytes, 0, kMagic, 4);
      const bool escapes = bytes[0] == 0xC0 && bytes[1] == 0x3B;
      at = put_tag(descriptor, at, block, escapes, block == *blocks.begin(),
                   block == *blocks.rbegin());
      const std::uint32_t index = next(begin, static_cast<std::uint32_t>(copies.size()) + 1);
      copies[block] = {index, bytes};
      if (escapes) put(bytes, 0, 0, 4);
      writes.emplace_back(index, bytes);
    }
    writes.emplace_back(begin, descriptor);
    std::uint32_t end = next(begin, static_cast<std::uint32_t>(copies.size()) + 1);
    if (!revoked.empty()) {
      Block revocation = control(5);
      const std::size_t size = (features_ & k64Bit) != 0 ? 8 : 4;
      put(revocation, 12, 16 + size * revoked.size(), 4);
      std::size_t where = 16;
      for (const std::uint64_t block : revoked) {
        put(revocation, where, block, size);
        where += size;
      }
      writes.emplace_back(end, revocation);
      end = next(end, 1);
    }
    std::shuffle(writes.begin(), writes.end(), random_);
    for (const auto& [index, bytes] : writes) CHECK_FALSE(write(index, bytes));
    for (const auto& [block, copy] : copies) named_[block] = sequence;
    if (!commits) return;
    const auto committed = write(end, control(2));
    REQUIRE(committed.has_value() == ((features_ & kAsync) == 0));
    if (committed) {
      CHECK(committed->sequence == sequence);
      CHECK(std::set<std::uint64_t>(committed->blocks.begin(), committed->blocks.end()) == blocks);
    }
    for (const std::uint64_t block : revoked)
      if (!blocks.contains(block)) named_.erase(block);
    live_.push_back({begin, sequence, copies});
    head_ = next(end, 1);
    used_ += needs - (revoked.empty() ? 1 : 0);
    ++sequence_;
    for (const auto& [block, copy] : copies) in_place_.erase(block);
  }

  // What is written over a copy, without a transaction that says so, is not that copy.
  void write_over_a_copy() {
    if (live_.empty()) return;
    Live& transaction = live_[below(live_.size())];
    if (transaction.copies.empty()) return;
    const auto copy = transaction.copies.begin();
    CHECK_FALSE(write(copy->second.first, noise()));
    const std::uint64_t block = copy->first;
    const auto is_newer = [&](const Live& other) {
      return static_cast<std::int32_t>(other.sequence - transaction.sequence) > 0 &&
             other.copies.contains(block);
    };
    if (std::any_of(live_.begin(), live_.end(), is_newer)) {
      transaction.copies.erase(copy);
      return;
    }
    for (Live& other : live_) other.copies.erase(block);  // older ones are no substitute
    named_.erase(block);
  }

  // The end of a transaction that nobody saw begin: nothing is certain until the journal says where
  // it begins.
  void commit_of_nothing(std::uint32_t sequence_ahead) {
    sequence_ += sequence_ahead;
    CHECK_FALSE(write(next(head_, 1), control(2)));
    sequence_ -= sequence_ahead;
    Block bytes(kBlockBytes);
    for (std::uint64_t block = 1; block <= 20; ++block) CHECK_FALSE(journal_->newest(block, bytes));
    write_superblock(live_.empty() ? head_ : live_.front().begin);
    in_place_.clear();
  }

  void write_in_place() {
    for (const std::uint64_t block : some(3)) {
      journal_->written_in_place(block);
      in_place_.insert(block);
    }
  }

  // The journal begins with one of its transactions, or behind all.
  void trim() {
    const std::size_t gone = below(live_.size() + 1);
    const std::uint32_t before = live_.empty() ? head_ : live_.front().begin;
    for (std::size_t i = 0; i < gone; ++i) {
      for (const auto& [block, copy] : live_.front().copies)
        if (const auto its = named_.find(block);
            its != named_.end() && its->second == live_.front().sequence)
          named_.erase(its);
      live_.pop_front();
    }
    const std::uint32_t start = live_.empty() ? head_ : live_.front().begin;
    std::set<std::uint64_t> left;
    std::uint32_t at = before;
    for (std::uint32_t i = 0; gone > 0 && (i == 0 || at != start); ++i, at = next(at, 1))
      left.insert(block_at(at));
    used_ -= static_cast<std::uint32_t>(left.size());
    write_superblock(start);
    CHECK(take_left() == left);
  }

  void empty() {
    live_.clear();
    named_.clear();
    used_ = 0;
    write_superblock(0);
    take_left();
    begin_anew();
  }

  // What was not committed is lost; the next transactions begin at the beginning.
  void crash() {
    live_.clear();
    named_.clear();
    used_ = 0;
    sequence_ += 1;
    begin_anew();
  }

  void check() {
    for (std::uint64_t block = 1; block <= 20; ++block) {
      CHECK(journal_->names(block) == named_.contains(block));
      std::optional<Block> newest;
      for (const Live& transaction : live_)
        if (const auto copy = transaction.copies.find(block); copy != transaction.copies.end())
          newest = copy->second.second;
      if (in_place_.contains(block)) newest.reset();
      Block bytes(kBlockBytes);
      REQUIRE(journal_->newest(block, bytes) == newest.has_value());
      if (newest) CHECK(bytes == *newest);
    }
  }

  // A follower that comes now knows the same, but for what is in its place.
  void reopen() {
    in_place_.clear();
    // Names that were revoked stay so; those of transactions that are not whole are found again.
    open();
  }

  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

 private:
  struct Live {
    std::uint32_t begin, sequence;
    std::map<std::uint64_t, std::pair<std::uint32_t, Block>> copies;
  };

  static std::uint64_t block_at(std::uint32_t index) {
    return index < 15 ? 500 + index : 300 + (index - 15);
  }
  static std::uint32_t index_of(std::uint64_t block) {
    return static_cast<std::uint32_t>(block >= 500 ? block - 500 : block - 300 + 15);
  }
  static std::uint32_t next(std::uint32_t index, std::uint32_t by) {
    return 1 + (index - 1 + by) % (kBlocks - 1);
  }

  std::set<std::uint64_t> some(std::size_t most) {
    std::set<std::uint64_t> blocks;
    for (std::size_t i = 1 + below(most); i > 0; --i) blocks.insert(1 + below(20));
    return blocks;
  }

  Block noise() {
    Block block(kBlockBytes);
    for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random_() | 1);
    return block;
  }

  Block control(std::uint32_t kind) const {
    Block block(kBlockBytes);
    put(block, 0, kMagic, 4);
    put(block, 4, kind, 4);
    put(block, 8, sequence_, 4);
    return block;
  }

  std::size_t put_tag(Block& block, std::size_t at, std::uint64_t number, bool escapes, bool first,
                      bool last) const {
    const std::uint32_t flags = (escapes ? 1u : 0u) | (first ? 0u : 2u) | (last ? 8u : 0u);
    std::size_t size = 16;
    put(block, at, number, 4);
    if ((features_ & kChecksums3) != 0) {
      put(block, at + 4, flags, 4);
    } else {
      put(block, at + 6, flags, 2);
      size = ((features_ & kChecksums2) != 0 ? 14u : 12u) - ((features_ & k64Bit) != 0 ? 0u : 4u);
    }
    return at + size + (first ? 16 : 0);
  }

  std::optional<Ext4Journal::Transaction> write(std::uint32_t index, const Block& bytes) {
    store_.at(index) = bytes;
    return journal_->written(block_at(index), bytes);
  }

  void write_superblock(std::uint32_t start) {
    Block block(kBlockBytes);
    put(block, 0, kMagic, 4);
    put(block, 4, 4, 4);
    put(block, 16, kBlocks, 4);
    put(block, 20, 1, 4);
    put(block, 24, live_.empty() ? sequence_ : live_.front().sequence, 4);
    put(block, 28, start, 4);
    put(block, 40, features_, 4);
    store_[0] = block;
    if (journal_) CHECK_FALSE(journal_->written(block_at(0), block));
  }

  void begin_anew() {
    head_ = 1;
    write_superblock(1);
    take_left();
  }

  std::set<std::uint64_t> take_left() {
    std::set<std::uint64_t> left;
    for (const Range& range : journal_->take_left())
      for (std::uint64_t block = range.first; block < range.end; ++block) left.insert(block);
    return left;
  }

  const std::uint32_t features_;
  std::mt19937 random_;
  std::vector<Block> store_;
  std::optional<Ext4Journal> journal_{};
  std::uint32_t head_ = 1, used_ = 0, sequence_ = 0xFFFFFFF0;  // numbers go around
  std::deque<Live> live_{};
  std::map<std::uint64_t, std::uint32_t> named_{};  // by which transaction last
  std::set<std::uint64_t> in_place_{};
};

}  // namespace

TEST_CASE("the follower of a journal knows what its writer did", "[journal]") {
  for (const std::uint32_t features : {0u, 2u, 8u, 10u, 16u, 18u, 22u})
    for (unsigned seed = 0; seed < 8; ++seed) {
      INFO(features << " " << seed);
      Writer writer(features, seed);
      writer.empty();
      for (int step = 0; step < 150; ++step) {
        const std::uint32_t kind = writer.below(20);
        if (kind < 10) {
          writer.transaction(true);
        } else if (kind < 14) {
          writer.write_in_place();
        } else if (kind < 18) {
          writer.trim();
        } else if (kind == 18) {
          writer.empty();
        } else {
          writer.transaction(false);
          writer.check();
          writer.crash();
        }
        writer.check();
      }
    }
}

TEST_CASE("a follower that comes late finds what is live", "[journal]") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    INFO(seed);
    Writer writer(18, seed);
    writer.empty();
    for (int step = 0; step < 60; ++step) {
      writer.transaction(true);
      if (step % 5 == 4) writer.trim();
      if (step % 7 == 6) {
        writer.reopen();
        writer.check();
      }
    }
  }
}

TEST_CASE("what a follower has not seen it does not believe", "[journal]") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    INFO(seed);
    Writer writer(18, seed);
    writer.empty();
    for (int step = 0; step < 60; ++step) {
      writer.transaction(true);
      writer.check();
      if (step % 3 == 2) writer.write_over_a_copy();
      writer.check();
      if (step % 10 == 9) writer.trim();
      if (step % 4 == 3) {
        writer.empty();
        writer.transaction(true);
        writer.commit_of_nothing(writer.below(2));
        writer.check();
      }
    }
  }
}
