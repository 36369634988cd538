// A map for experiments that need no more of it than how far blocks are apart: the drive's, or,
// where that is not known, a measure of distances (mtbrc/distances.h).
#pragma once

#include "extract/rig.h"
#include "mtbrc/distances.h"

namespace platter::extract {

// The context has it while this lives.
class SomeMap {
 public:
  explicit SomeMap(Rig& rig) : context_(rig.context), known_(rig.context.map) {
    if (known_ != nullptr) return;
    if (!rig.handed.distances)
      rig.handed.distances = mtbrc::map_of_distances(context_.drive.blocks(),
                                                     mtbrc::blocks_in_a_turn(context_));
    context_.map = rig.handed.distances.get();
  }
  ~SomeMap() { context_.map = known_; }
  SomeMap(const SomeMap&) = delete;
  SomeMap& operator=(const SomeMap&) = delete;
  bool is_known() const { return known_ != nullptr; }

 private:
  mtbrc::Context& context_;
  const engine::LayoutMap* known_;
};

}  // namespace platter::extract
