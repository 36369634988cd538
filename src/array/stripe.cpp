#include "array/stripe.h"

#include <algorithm>
#include <utility>

namespace platter::array {
namespace {

class Look {
 public:
  Look(Stripe& stripe, std::uint32_t page_blocks, const std::optional<Failure>& failure,
       Handled& handled)
      : stripe_(stripe), page_blocks_(page_blocks), failure_(failure), handled_(handled) {}

  // Whether there is more to see at once.
  bool again() {
    end_writes();
    end_reads();
    if (!fill()) return true;
    if (handled_.accesses.empty() && writes_waiting()) {
      write_or_read_for_it();
      return handled_.accesses.empty() && !writes_waiting();
    }
    if (handled_.accesses.empty() && stripe_.sync_wanted) return synchronize();
    return false;
  }

 private:
  bool failed(std::uint32_t member) const { return failure_ && failure_->member == member; }
  bool takes_writes(std::uint32_t member) const { return !failed(member) || failure_->present; }

  bool partly_written(const Page& page) const {
    return !page.to_write.empty() && !page.overwritten(page_blocks_);
  }

  bool writes_waiting() const {
    return std::ranges::any_of(stripe_.pages,
                               [](const Page& page) { return !page.to_write.empty(); });
  }

  void end_all(std::vector<Part>& parts) {
    for (const Part& part : parts) handled_.ended.push_back(part.request);
    parts.clear();
  }

  void end_writes() {
    for (Page& page : stripe_.pages) end_all(page.written);
  }

  void end_reads() {
    for (Page& page : stripe_.pages)
      if (page.known) end_all(page.to_read);
  }

  std::uint32_t members() const { return static_cast<std::uint32_t>(stripe_.pages.size()); }

  // All pages must be read: one that nobody can read is wanted, or is overwritten in part.
  bool wants_lost_page() const {
    if (!failure_) return false;
    const Page& lost = stripe_.pages[failure_->member];
    return !lost.known && (!lost.to_read.empty() || partly_written(lost) ||
                           (stripe_.sync_wanted && failure_->present));
  }

  // Reads what requests want, or computes it: then false, there is more to see.
  bool fill() {
    const bool all = wants_lost_page();
    const bool computable = all && std::ranges::count(stripe_.pages, false, &Page::known) == 1;
    if (computable) {
      stripe_.pages[failure_->member].known = true;
      return false;
    }
    for (std::uint32_t i = members(); i-- > 0;) {
      const Page& page = stripe_.pages[i];
      if (!page.known && !failed(i) && (all || !page.to_read.empty() || partly_written(page)))
        read(i);
    }
    return true;
  }

  void read(std::uint32_t member) {
    stripe_.pages[member].known = true;  // when it is looked at again
    handled_.accesses.push_back({member, false});
  }

  bool needed_to_modify(std::uint32_t i) const {
    const Page& page = stripe_.pages[i];
    return (!page.to_write.empty() || i == stripe_.parity) && !page.known;
  }
  bool needed_to_reconstruct(std::uint32_t i) const {
    const Page& page = stripe_.pages[i];
    return i != stripe_.parity && !page.overwritten(page_blocks_) && !page.known;
  }

  template <class Needed>
  std::uint32_t cost(Needed needed) const {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < members(); ++i)
      if (needed(i)) sum += failed(i) ? 2 * members() : 1;
    return sum;
  }

  template <class Needed>
  void read_all(Needed needed) {
    for (std::uint32_t i = members(); i-- > 0;)
      if (needed(i) && !failed(i)) read(i);
  }

  void write_or_read_for_it() {
    const auto to_modify = [this](std::uint32_t i) { return needed_to_modify(i); };
    const auto to_reconstruct = [this](std::uint32_t i) { return needed_to_reconstruct(i); };
    const std::uint32_t modify = cost(to_modify), reconstruct = cost(to_reconstruct);
    if (reconstruct == 0 || modify == 0)
      write(reconstruct == 0);
    else if (modify < reconstruct)
      read_all(to_modify);
    else
      read_all(to_reconstruct);
  }

  void write(bool reconstructs) {
    for (std::uint32_t i = members(); i-- > 0;) {
      Page& page = stripe_.pages[i];
      if (page.to_write.empty() && i != stripe_.parity) continue;
      page.written = std::exchange(page.to_write, {});
      page.known = true;
      if (reconstructs && (failed(i) || (i == stripe_.parity && !failure_))) stripe_.in_step = true;
      if (takes_writes(i)) handled_.accesses.push_back({i, true});
    }
  }

  bool synchronize() {
    if (stripe_.in_step || !failure_ || !failure_->present) {
      stripe_.sync_wanted = false;
      handled_.synced = true;
    } else {
      stripe_.in_step = true;
      handled_.accesses.push_back({failure_->member, true});
    }
    return handled_.accesses.empty();
  }

  Stripe& stripe_;
  std::uint32_t page_blocks_;
  const std::optional<Failure>& failure_;
  Handled& handled_;
};

}  // namespace

bool Page::overwritten(std::uint32_t page_blocks) const {
  std::uint32_t reached = 0;
  for (bool more = true; more && reached < page_blocks;) {
    more = false;
    for (const Part& part : to_write)
      if (part.first <= reached && part.end > reached) {
        reached = part.end;
        more = true;
      }
  }
  return reached >= page_blocks;
}

bool Stripe::busy() const {
  return sync_wanted || std::ranges::any_of(pages, [](const Page& page) {
           return !page.to_read.empty() || !page.to_write.empty() || !page.written.empty();
         });
}

void handle(Stripe& stripe, std::uint32_t page_blocks, const std::optional<Failure>& failure,
            Handled& handled) {
  handled.accesses.clear();
  handled.ended.clear();
  handled.synced = false;
  Look look(stripe, page_blocks, failure, handled);
  while (look.again()) {
  }
}

}  // namespace platter::array
