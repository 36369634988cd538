// Folders and files of ext4, as they were committed last. Sources are numbers of blocks.
#pragma once

#include <functional>

#include "emulator/file_systems/ext4_geometry.h"
#include "emulator/file_systems/ext4_inode.h"
#include "emulator/file_systems/ext4_places.h"
#include "emulator/file_systems/kept_files.h"
#include "emulator/file_systems/reading_limit.h"

namespace platter::emulator {

class Ext4Files : public NamedFiles {
 public:
  using Read = std::function<bool(std::uint64_t block, std::span<std::uint8_t> to)>;
  Ext4Files(const Ext4Geometry& geometry, const Ext4Places& places, Read read, ReadingLimit& limit)
      : geometry_(geometry), places_(places), read_(std::move(read)), limit_(limit) {}

  std::uint64_t root() const override { return 2; }
  std::vector<Entry> entries(std::uint64_t folder, Sources& sources) const override;
  std::vector<Range> bytes_of(std::uint64_t file, Sources& sources) const override;

 private:
  // The blocks of an inode of that kind, and what it holds of itself.
  std::vector<Ext4Extent> extents_of(std::uint64_t number, Ext4Inode::Kind kind,
                                     std::vector<std::uint8_t>& own, Sources& sources) const;

  const Ext4Geometry& geometry_;
  const Ext4Places& places_;
  const Read read_;
  ReadingLimit& limit_;
};

}  // namespace platter::emulator
