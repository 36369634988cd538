// The file systems of a drive: found by their superblocks wherever a partition table says that one
// may begin, found again when one of these was written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/file_systems/file_system.h"
#include "emulator/file_systems/ranges.h"

namespace platter::emulator {

class FoundFileSystems {
 public:
  // `drive` is asked from now on, and outlives this.
  FoundFileSystems(Surroundings& drive, std::uint32_t block_bytes,
                   std::vector<std::string> kept_names);
  ~FoundFileSystems();
  FoundFileSystems(const FoundFileSystems&) = delete;
  FoundFileSystems& operator=(const FoundFileSystems&) = delete;

  // A page outside of all file systems is metadata: nothing is known of it.
  Verdict classify(std::uint64_t at, Bytes page);
  void written(std::uint64_t at, Bytes page);
  // Whether something is written there that says where file systems are, or which.
  bool looks_at(std::uint64_t at, std::uint64_t bytes) const;
  void look_again();

  // One line for each place where there is one, or where there might be.
  std::vector<std::string> names() const;

 private:
  class Place;
  Place* place_of(std::uint64_t at) const;

  Surroundings& drive_;
  const std::uint32_t block_bytes_;
  const std::vector<std::string> kept_names_;
  std::vector<std::unique_ptr<Place>> places_{};  // in order, apart
  Ranges watched_{};
};

}  // namespace platter::emulator
