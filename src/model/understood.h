// How far from the first block on a map claims to know places.
#pragma once

#include <cstdint>

#include "model/drive_model.h"

namespace platter::model {

// Of a map that ended early the rest of the drive is guessed: the last block before it. `blocks`:
// of the drive. The drive's last block where the map reaches there, or claims nothing at all.
inline std::uint64_t last_understood_lbn(const Layout& layout, std::uint64_t blocks) {
  if (blocks == 0) return 0;
  if (layout.not_understood.empty()) return blocks - 1;
  const NotUnderstood& last = layout.not_understood.back();
  return last.last_lbn + 1 >= blocks && last.first_lbn > 0 ? last.first_lbn - 1 : blocks - 1;
}

}  // namespace platter::model
