// Folders and files of XFS, as they are in their places. Sources are numbers of pages.
#pragma once

#include <functional>
#include <optional>

#include "emulator/file_systems/kept_files.h"
#include "emulator/file_systems/reading_limit.h"
#include "emulator/file_systems/xfs_geometry.h"

namespace platter::emulator {

class XfsFiles : public NamedFiles {
 public:
  using Read = std::function<bool(std::uint64_t at, std::span<std::uint8_t> to)>;
  XfsFiles(const XfsGeometry& geometry, Read read, ReadingLimit& limit)
      : geometry_(geometry), read_(std::move(read)), limit_(limit) {}

  std::uint64_t root() const override { return geometry_.root_inode; }
  std::vector<Entry> entries(std::uint64_t folder, Sources& sources) const override;
  std::vector<Range> bytes_of(std::uint64_t file, Sources& sources) const override;

 private:
  struct Extent {
    std::uint64_t logical, first, blocks;  // in blocks; `first` as XFS numbers them
  };
  struct Inode {
    std::vector<std::uint8_t> bytes{};
    Bytes fork() const;  // what says where its data are
  };
  std::optional<Inode> inode(std::uint64_t number, std::uint16_t kind, Sources& sources) const;
  std::vector<Extent> extents(const Inode& inode, Sources& sources) const;
  void take_tree(std::uint64_t block, std::uint32_t level, std::uint32_t& left,
                 std::vector<Extent>& extents, Sources& sources) const;
  bool read_block(std::uint64_t block, std::vector<std::uint8_t>& to, Sources& sources) const;
  void take_short(Bytes fork, std::vector<Entry>& entries) const;
  void take_block(Bytes block, std::vector<Entry>& entries) const;

  const XfsGeometry& geometry_;
  const Read read_;
  ReadingLimit& limit_;
};

}  // namespace platter::emulator
