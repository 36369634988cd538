// Folders and files of btrfs, as they were committed last, from the top of its first subvolume on;
// other subvolumes are folders in it.
#pragma once

#include "emulator/file_systems/btrfs_chunks.h"
#include "emulator/file_systems/kept_files.h"

namespace platter::emulator {

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

}  // namespace platter::emulator
