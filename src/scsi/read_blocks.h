// Which blocks a drive was asked to send so far: a cache that cannot be switched off may hold them.
#pragma once

#include <cstdint>
#include <map>

#include "model/lbn_range.h"

namespace platter::scsi {

class ReadBlocks {
 public:
  void add(const LbnRange& range);
  bool any_of(const LbnRange& range) const;

 private:
  std::map<std::uint64_t, std::uint64_t> last_of_;  // by the first; disjoint, never side by side
};

}  // namespace platter::scsi
