#include "safety/drive_evidence.h"

#include <algorithm>

namespace platter::safety {

bool is_on_any_drive(const Block& block) {
  constexpr std::size_t kPeriod = 16;  // and so 1, 2, 4 and 8
  return block.size() <= kPeriod || std::equal(block.begin() + kPeriod, block.end(), block.begin());
}

void DriveEvidence::add(std::uint64_t lbn, const Block& journaled, bool same) {
  ++readable_;
  if (!same) {
    ++differing_;
    torn_.insert(physical_.covering(lbn, 1).first);
  }
  if (is_on_any_drive(journaled)) return;
  Copies& copies = telling_[{reinterpret_cast<const char*>(journaled.data()), journaled.size()}];
  ++(same ? copies.same : copies.differ);
}

// On its own drive a block differs where its owner has written since, or a write was torn; on
// another one it is the same where two drives share contents (labels, boot code, an image). Neither
// share is known, and with equal ones, p, each block weighs as much on either side, so that the
// majority is the likelihood ratio's verdict. With p = 0.1 a drive is judged wrongly with
// P(Binomial(n, 0.1) > n/2): 0.1 of one block, 0.03 of three, 0.009 of five, 1e-6 of 21. An owner
// who has rewritten more than half is turned away with the strangers, which costs him little: what
// he wrote is left alone anyway. Of a content that lies in many blocks copies are no evidence of
// their own: it counts once, in shares. Blocks that any drive may hold tell nothing where they are
// the same, and something where they are not.
bool DriveEvidence::speaks_against() const {
  if (2 * differing_ > readable_) return true;
  if (telling_.empty()) return differing_ > 0;
  double against = 0;
  for (const auto& [content, copies] : telling_) {
    const auto same = static_cast<double>(copies.same), differ = static_cast<double>(copies.differ);
    against += (differ - same) / (differ + same);
  }
  constexpr double kRounding = 1e-9;
  return against > kRounding;
}

}  // namespace platter::safety
