// Which pages of btrfs are metadata: those in the chunks for it, which the tree of chunks names as
// it was committed last. Where that says nothing yet, a page that has the header of a block of a
// tree, and those that belong to it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "emulator/file_systems/btrfs_chunks.h"
#include "emulator/file_systems/file_system.h"
#include "emulator/file_systems/kept_files.h"

namespace platter::emulator {

// Folders and files of btrfs, as they were committed last, from the top of its first subvolume on;
// other subvolumes are folders in it.
class BtrfsFiles : public NamedFiles {
 public:
  // Both may change between questions.
  BtrfsFiles(const BtrfsGeometry& geometry, const BtrfsChunks& chunks, ReadingLimit& limit)
      : geometry_(geometry), chunks_(chunks), limit_(limit) {}

  std::uint64_t root() const override;
  std::vector<Entry> entries(std::uint64_t folder, Sources& sources) const override;
  std::vector<Range> bytes_of(std::uint64_t file, Sources& sources) const override;

 private:
  void each_item(std::uint64_t inode, std::uint8_t kind, const BtrfsChunks::Visit& visit) const;

  const BtrfsGeometry& geometry_;
  const BtrfsChunks& chunks_;
  ReadingLimit& limit_;
};

class Btrfs : public FileSystem {
 public:
  Btrfs(Surroundings& around, const BtrfsGeometry& geometry,
        const std::vector<std::string>& kept_names);

  std::string name() const override;
  std::string identity() const override { return geometry_.identity(); }
  Verdict classify(std::uint64_t at, Bytes page) override;
  void written(std::uint64_t at, Bytes page) override;

 private:
  void take_superblock(Bytes page);
  void read_chunks();
  void drop_data();
  void keep_files();
  bool is_in_node(std::uint64_t at) const;

  Surroundings& around_;
  BtrfsGeometry geometry_;  // as committed last
  const std::string reason_;
  bool mounted_ = false;  // something was committed
  BtrfsChunks chunks_{};
  std::set<std::uint64_t> nodes_{};  // where blocks of trees begin, outside of metadata chunks
  std::uint64_t last_commit_ = 0;    // when
  BtrfsFiles files_;
  KeptFiles kept_;
};

}  // namespace platter::emulator
