// One stripe of RAID 5 as Linux md knows it: a page of each member at one place, which of them are
// known, what is to be read and written, and which accesses that takes (drivers/md/raid5.c, 6.1).
// No time and no member: what is done is told, what has ended is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace platter::array {

// Blocks [first, end) of a page that a request reads or writes.
struct Part {
  std::uint32_t request = 0;
  std::uint32_t first = 0, end = 0;
};

struct Page {
  bool known = false;                                  // what the member holds, or is about to hold
  std::vector<Part> to_read{}, to_write{}, written{};  // written: on the way to the member

  // Whether what is to be written covers the page.
  bool overwritten(std::uint32_t page_blocks) const;
};

// A member that is not in step with the others. At most one: more, and data are lost.
struct Failure {
  std::uint32_t member = 0;
  bool present = false;  // it takes writes: its rebuild is under way
};

struct Stripe {
  std::uint64_t number = 0;   // pages from the members' begin
  std::uint32_t parity = 0;   // member
  std::vector<Page> pages{};  // one a member
  bool sync_wanted = false;   // the failed member's page is to be made again
  bool in_step = false;       // it was made

  bool busy() const;  // a request or the rebuild waits for something of it
};

struct PageAccess {
  std::uint32_t member = 0;
  bool write = false;

  bool operator==(const PageAccess&) const = default;
};

// What comes of looking at a stripe of which nothing is under way.
struct Handled {
  std::vector<PageAccess> accesses{};  // to be done now; when all are done, it is looked at again
  std::vector<std::uint32_t> ended{};  // the requests of parts that are done, one for each part
  bool synced = false;                 // what the rebuild wanted is done
};

// Looks at a stripe after the accesses told last are done, and until something must be waited for;
// replaces what is in `handled`. What is to be written is written by the way that needs fewer
// reads: read-modify-write (what is overwritten, and the parity) or, if that is not less,
// reconstruct-write (all else that is data). A failed member's page is computed from all others.
void handle(Stripe& stripe, std::uint32_t page_blocks, const std::optional<Failure>& failure,
            Handled& handled);

}  // namespace platter::array
