// Which pages of ext2, ext3 and ext4 are metadata.
//
// A page is dropped only where nothing speaks for metadata: not its place (Ext4Places, the blocks
// of special inodes), not the journal, which names every block of metadata before it goes to its
// place, and not its bytes (ext4_likeness). What speaks by its bytes alone waits until an inode
// says whose it is.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "emulator/file_systems/ext4_files.h"
#include "emulator/file_systems/ext4_geometry.h"
#include "emulator/file_systems/ext4_inode.h"
#include "emulator/file_systems/ext4_journal.h"
#include "emulator/file_systems/ext4_places.h"
#include "emulator/file_systems/file_system.h"
#include "emulator/file_systems/kept_files.h"
#include "emulator/file_systems/ranges.h"

namespace platter::emulator {

class Ext4 : public FileSystem {
 public:
  Ext4(Surroundings& around, const Ext4Geometry& geometry,
       const std::vector<std::string>& kept_names);

  std::string name() const override;
  std::string identity() const override { return geometry_.identity(); }
  Verdict classify(std::uint64_t at, Bytes page) override;
  void written(std::uint64_t at, Bytes page) override;

 private:
  struct Special {  // an inode whose blocks are metadata though they look like nothing
    std::uint32_t inode;
    std::vector<std::uint8_t> seen{};  // its bytes when its map was walked
    std::vector<Range> blocks{};
    std::vector<std::uint64_t> nodes{};
  };
  struct Sighting {  // a block of an inode table that a transaction holds
    std::uint64_t block;
    std::uint32_t sequence;
    std::uint64_t when;
  };

  Verdict classify_block(std::uint64_t block, Bytes bytes);
  void written_block(std::uint64_t block, Bytes bytes);
  void take_superblock(Bytes page);
  void take_journal(std::uint64_t block, Bytes bytes);
  void committed(const Ext4Journal::Transaction& transaction);
  bool read_block(std::uint64_t block, std::span<std::uint8_t> to) const;
  bool read_in_place(std::uint64_t block, std::span<std::uint8_t> to) const;

  void find_specials();
  void look_at_specials(std::uint64_t changed);
  bool look_at(Special& special, std::uint64_t changed);
  void walk_special(Special& special, Bytes inode);
  void know_specials();
  void open_journal(const Special& special);
  bool is_special(std::uint32_t inode) const;

  bool has_witness() const { return mounted_ && journal_ != nullptr; }
  void work(int sightings);
  void claims_of_transaction(const Sighting& sighting);
  void claims_in_place(std::uint64_t block, Bytes bytes);
  template <typename Tell>
  void each_inode(std::uint32_t first, Bytes table, Tell tell) const;

  Range bytes_of(std::uint64_t block, std::uint64_t blocks) const {
    return {block * geometry_.block_bytes, blocks * geometry_.block_bytes};
  }

  Surroundings& around_;
  const Ext4Geometry geometry_;
  const std::string reason_;  // why nothing is dropped; empty: things are
  bool mounted_;
  Ext4Places places_;
  std::vector<Special> specials_{};
  Ranges special_blocks_{}, special_sources_{};  // the latter say where the former are
  std::unique_ptr<Ext4Journal> journal_{};
  std::deque<Sighting> sightings_{};
  Ext4Files files_;
  KeptFiles kept_;
};

}  // namespace platter::emulator
