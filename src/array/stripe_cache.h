// md's stripe cache: so many stripes, found by their number. Those that nothing waits for keep what
// is known of them, and the one that was used longest ago is taken for another
// (drivers/md/raid5.c).
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "array/stripe.h"

namespace platter::array {

class StripeCache {
 public:
  // md divides its stripes into so many classes, by their number.
  static constexpr std::uint32_t kClasses = 8;

  StripeCache(std::uint32_t stripes, std::uint32_t members);

  struct Slot {
    Stripe stripe{};
    std::uint32_t under_way = 0;                // accesses
    bool media = false;                         // one of them waited for the media
    std::list<std::uint32_t>::iterator idle{};  // its place among the idle ones
    bool is_idle = true;
  };

  // The slot that holds the stripe or is now the stripe's, in use. kNone: none of its class is
  // idle; from then until one who waited got one, others get one only if a quarter of all is idle
  // (raid5_get_active_stripe(), is_inactive_blocked()).
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t take(std::uint64_t number);
  // The same for one who would not wait: kNone whenever others wait, too.
  std::uint32_t take_at_once(std::uint64_t number);
  // The same for one who was told kNone, and waits since.
  std::uint32_t take_at_last(std::uint64_t number);
  // Nothing waits for the slot's stripe any more.
  void release(std::uint32_t slot);
  // One more stripe, if one was wanted and none was free, and one was released since the last.
  void grow_if_scarce();

  Slot& operator[](std::uint32_t slot) { return slots_[slot]; }

 private:
  void add_slot();
  bool ends_wait(std::uint64_t number) const;
  std::uint32_t use(std::uint32_t place);

  std::vector<Slot> slots_{};
  std::uint32_t members_;
  std::unordered_map<std::uint64_t, std::uint32_t> held_{};
  std::array<std::list<std::uint32_t>, kClasses> idle_{};  // the one used longest ago first
  std::uint32_t in_use_ = 0;
  bool blocked_ = false, scarce_ = false, grew_ = false;
};

}  // namespace platter::array
