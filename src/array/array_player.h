// Requests to an array in, completions out: which accesses of the members each takes, and what
// follows when they end. RAID 0 splits at the chunks' borders. RAID 1 reads from one member, which
// md's rules choose, and writes to all; the last ends the write. RAID 5 works as md's stripes do
// (stripe.h); while it is whole, reads go past them. docs/arrays.md has the method.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "array/barriers.h"
#include "array/geometry.h"
#include "array/members.h"
#include "array/read_balance.h"
#include "array/rebuild.h"
#include "array/stripe.h"
#include "array/stripe_cache.h"
#include "replay/schedule.h"

namespace platter::array {

struct ArraySetup {
  Geometry geometry{};
  std::uint32_t block_bytes = 512;
  Balance balance = Balance::nearest;  // raid1
  std::uint32_t stripes = 256;         // raid5: of the stripe cache, each a page of every member
  std::optional<Failure> failure{};    // present: it is rebuilt from the first issue on
  RebuildRate rebuild{};
  std::vector<std::uint64_t> superblocks{};  // block of each member where md keeps its own
};

// md's, and so of whatever is aligned to it: a page of 4 KiB.
constexpr std::uint32_t kPageBytes = 4096;

class ArrayPlayer final : public replay::Player {
 public:
  ArrayPlayer(const ArraySetup& setup, Members members);

  void prepare(const replay::Response& request) override { prepared_ = request; }
  std::optional<Done> next_by(Nanoseconds time_ns) override;
  Done next() override;
  void issue(std::uint64_t number, Nanoseconds time_ns) override;
  std::uint32_t room() const override { return ~0u; }

  std::uint64_t outside_validity() const { return members_.outside_validity(); }
  std::uint64_t commands() const { return members_.commands(); }    // that the members got
  std::uint64_t rebuilt_blocks() const { return rebuilt_blocks_; }  // of the member

 private:
  struct Outstanding {
    std::uint64_t number = 0;
    Nanoseconds issue_ns = 0;
    std::uint64_t lbn = 0;  // raid1
    std::uint32_t blocks = 0;
    std::uint32_t parts_left = 0;
    bool media = false;
  };
  // Blocks of one page that a request waits to bring to its stripe.
  struct PagePart {
    std::uint64_t stripe = 0;
    std::uint32_t member = 0;
    Part part{};
    bool write = false;
    bool waits = false;  // there was no place for the stripe
  };
  // A piece of a mirror that is being rebuilt.
  struct Copy {
    std::uint64_t lbn = 0;
    std::uint32_t blocks = 0;
  };

  struct Copies {
    std::vector<Copy> all{};
    std::vector<std::uint32_t> free{}, read{};  // read: to be written
  };
  struct Checkpoint {
    std::uint64_t block = 0, in_step_to = 0;  // the latter: what the superblocks say at last
    Nanoseconds at_ns = 0;
    std::uint32_t superblocks_left = 0;  // the thread waits for these
    bool superblocks_due = false;
  };

  std::uint32_t new_request(std::uint64_t number, Nanoseconds time_ns);
  void end_part(std::uint32_t request, bool media, Nanoseconds now_ns);

  void issue_pieces(std::uint32_t request);
  void read_mirror(std::uint32_t request);
  void write_or_hold(std::uint32_t request);
  bool write_mirrors(std::uint32_t request);
  void bring_to_stripes(std::uint32_t request);

  std::optional<Nanoseconds> next_event() const;
  void step(Nanoseconds time_ns);
  void take(const Members::Ended& ended);
  void take_copy(std::uint64_t ticket, const Members::Ended& ended);

  void settle(Nanoseconds now_ns);
  void run_thread(Nanoseconds now_ns);
  void write_superblocks(Nanoseconds now_ns);
  void write_copies();
  bool look_at_stripes(Nanoseconds now_ns);
  void look_at(std::uint32_t slot, Nanoseconds now_ns);
  void bring_waiting();

  bool rebuilds() const { return pace_.has_value(); }
  void begin_rebuild(Nanoseconds now_ns);
  bool waits_for_checkpoint(Nanoseconds now_ns);
  bool in_step(std::uint64_t end_lbn) const { return end_lbn <= checkpoint_.in_step_to; }
  bool ask_for_window(Nanoseconds now_ns);
  bool ask_for_copy(std::uint32_t blocks, Nanoseconds now_ns);
  bool ask_for_stripe(Nanoseconds now_ns);
  void issue_held();
  void rebuilt(std::uint64_t blocks);

  ArraySetup setup_;
  Members members_;
  std::uint32_t page_blocks_;
  replay::Response prepared_{};
  std::vector<Outstanding> requests_{};
  std::vector<std::uint32_t> free_requests_{};
  std::deque<Done> done_{};
  std::vector<Piece> pieces_{};

  std::vector<Mirror> mirrors_{};  // raid1
  Barriers barriers_;
  std::deque<std::uint32_t> held_{};  // writes that wait for copies in their region

  StripeCache stripes_;  // raid5
  std::deque<PagePart> waiting_{};
  std::vector<std::uint32_t> touched_{};  // slots to be looked at
  Handled handled_{};

  std::optional<RebuildPace> pace_{};
  bool begun_ = false;
  std::uint64_t rebuild_at_ = 0;  // the first block that was not asked for
  std::uint64_t rebuilt_blocks_ = 0;
  bool lacks_stripe_ = false;             // the rebuild waits for one
  std::optional<std::uint32_t> taken_{};  // the slot that it has and did not ask for yet
  Copies copies_{};
  Checkpoint checkpoint_{};
};

}  // namespace platter::array
