#include "array/stripe_cache.h"

namespace platter::array {

StripeCache::StripeCache(std::uint32_t stripes, std::uint32_t members) : members_(members) {
  for (std::uint32_t i = 0; i < stripes; ++i) add_slot();
}

void StripeCache::add_slot() {
  const auto place = static_cast<std::uint32_t>(slots_.size());
  std::list<std::uint32_t>& idle = idle_[place % kClasses];
  slots_.emplace_back();
  slots_[place].stripe.number = ~std::uint64_t{0};
  slots_[place].idle = idle.insert(idle.end(), place);
}

std::uint32_t StripeCache::take(std::uint64_t number) {
  std::list<std::uint32_t>& idle = idle_[number % kClasses];
  const auto found = held_.find(number);
  std::uint32_t place = kNone;
  if (found != held_.end()) {
    place = found->second;
    if (!slots_[place].is_idle) return place;
  } else {
    if (blocked_ && nearly_full()) return kNone;
    if (idle.empty()) {
      scarce_ = !grew_;
      blocked_ = true;
      return kNone;
    }
    place = idle.front();
    held_.erase(slots_[place].stripe.number);
    slots_[place].stripe = {.number = number, .pages = std::vector<Page>(members_)};
    held_.emplace(number, place);
  }
  blocked_ = blocked_ && nearly_full();
  idle.erase(slots_[place].idle);
  slots_[place].is_idle = false;
  ++in_use_;
  return place;
}

void StripeCache::release(std::uint32_t slot) {
  Slot& released = slots_[slot];
  std::list<std::uint32_t>& idle = idle_[released.stripe.number % kClasses];
  released.idle = idle.insert(idle.end(), slot);
  released.is_idle = true;
  --in_use_;
  grew_ = false;
}

void StripeCache::grow_if_scarce() {
  if (!scarce_) return;
  add_slot();
  scarce_ = false;
  grew_ = true;
}

}  // namespace platter::array
