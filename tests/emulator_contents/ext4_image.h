// A small ext4 by hand, as a kernel would write it, block by block and transaction by transaction:
// two groups of 32,768 blocks of 4096 bytes, a journal of 64 blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace platter::testing {

using Block = std::vector<std::uint8_t>;

class Ext4Image {
 public:
  static constexpr std::uint64_t kBlockBytes = 4096, kBlocks = 65536,
                                 kBytes = kBlocks * kBlockBytes;
  static constexpr std::uint64_t kGroupBlocks = 32768, kTableAt = 16, kTableBlocks = 64;
  static constexpr std::uint64_t kJournalAt = 1000, kJournalBlocks = 64;
  static constexpr std::uint32_t kInodesPerGroup = 1024, kRoot = 2, kJournal = 8;

  // `write` is what takes a block of the file system to its drive.
  using Write = std::function<void(std::uint64_t block, const Block& bytes)>;
  explicit Ext4Image(Write write, bool with_journal = true);

  void make(char uuid = 'u');
  void mount();
  void unmount();

  struct Extent {
    std::uint32_t logical, blocks;
    std::uint64_t first;
  };
  static Block inode(std::uint16_t mode, std::uint64_t bytes, const std::vector<Extent>& extents);
  static Block inode_of_leaf(std::uint16_t mode, std::uint64_t bytes, std::uint64_t leaf);
  static Block leaf(const std::vector<Extent>& extents);
  struct Entry {
    std::uint32_t inode;
    std::string name;
    bool is_folder;
  };
  static Block folder(const std::vector<Entry>& entries);

  // The block of the inode table with that inode in it, as it is from then on.
  std::uint64_t set_inode(std::uint32_t number, const Block& inode);
  static std::uint64_t table_block(std::uint32_t number);
  const Block& table(std::uint64_t block) { return tables_[block]; }

  // A transaction that holds these blocks and revokes those; `commits`: it is whole.
  void journal(const std::map<std::uint64_t, Block>& blocks,
               const std::vector<std::uint64_t>& revoked = {}, bool commits = true);
  // That of these inodes' tables and those blocks.
  void journal_inodes(const std::vector<std::uint32_t>& inodes,
                      std::map<std::uint64_t, Block> blocks = {});
  // What was committed so far is in its place: the journal begins behind it.
  void checkpoint();
  std::uint32_t head() const { return head_; }

 private:
  void write_superblock(bool mounted);
  void write_journal_superblock(std::uint32_t start);
  void put(const Block& bytes);
  Block control(std::uint32_t kind) const;

  const Write write_;
  const bool with_journal_;
  char uuid_ = 'u';
  std::uint32_t head_ = 1, sequence_ = 1;
  std::map<std::uint64_t, Block> tables_{};
};

void put16(Block& block, std::size_t at, std::uint16_t number);
void put32(Block& block, std::size_t at, std::uint32_t number);
void put_be32(Block& block, std::size_t at, std::uint32_t number);
// Bytes that look like nothing, others for other seeds.
Block noise(unsigned seed, std::size_t bytes = 4096);

}  // namespace platter::testing
