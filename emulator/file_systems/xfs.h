// Which pages of XFS (version 5) are metadata: each block of it has a header with a magic number,
// the file system's UUID and its own place. What has none is data, but for the log and what begins
// an allocation group.
#pragma once

#include <string>
#include <vector>

#include "emulator/file_systems/file_system.h"
#include "emulator/file_systems/kept_files.h"
#include "emulator/file_systems/xfs_files.h"
#include "emulator/file_systems/xfs_geometry.h"

namespace platter::emulator {

class Xfs : public FileSystem {
 public:
  Xfs(Surroundings& around, const XfsGeometry& geometry,
      const std::vector<std::string>& kept_names);

  std::string name() const override;
  std::string identity() const override { return geometry_.identity(); }
  Verdict classify(std::uint64_t at, Bytes page) override;
  void written(std::uint64_t at, Bytes page) override;

 private:
  bool has_its_place(std::uint64_t at) const;
  bool has_header(std::uint64_t at, Bytes block) const;
  bool is_log(std::uint64_t at) const;
  void look_for_mount(Bytes page);

  Surroundings& around_;
  const XfsGeometry geometry_;
  const std::string reason_;  // why nothing is dropped; empty: things are
  bool mounted_ = false;      // its log was written
  XfsFiles files_;
  KeptFiles kept_;
};

}  // namespace platter::emulator
