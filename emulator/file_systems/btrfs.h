// Which pages of btrfs are metadata: those in the chunks for it, which the tree of chunks names as
// it was committed last. Where that says nothing yet, a page that has the header of a block of a
// tree, and those that belong to it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "emulator/file_systems/btrfs_chunks.h"
#include "emulator/file_systems/btrfs_files.h"
#include "emulator/file_systems/file_system.h"
#include "emulator/file_systems/kept_files.h"

namespace platter::emulator {

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
