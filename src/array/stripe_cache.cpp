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

bool StripeCache::ends_wait(std::uint64_t number) const {
  return !idle_[number % kClasses].empty() && (!blocked_ || in_use_ < slots_.size() * 3 / 4);
}

std::uint32_t StripeCache::take(std::uint64_t number) {
  if (const auto found = held_.find(number); found != held_.end()) return use(found->second);
  const std::list<std::uint32_t>& idle = idle_[number % kClasses];
  if (!blocked_ && idle.empty()) scarce_ = !grew_;
  if (!ends_wait(number)) {
    blocked_ = true;
    return kNone;
  }
  blocked_ = false;
  const std::uint32_t place = idle.front();
  held_.erase(slots_[place].stripe.number);
  slots_[place].stripe = {.number = number, .pages = std::vector<Page>(members_)};
  held_.emplace(number, place);
  return use(place);
}

std::uint32_t StripeCache::take_at_once(std::uint64_t number) {
  if (blocked_ && !held_.contains(number)) return kNone;
  return take(number);
}

std::uint32_t StripeCache::take_at_last(std::uint64_t number) {
  if (!ends_wait(number)) return kNone;
  blocked_ = false;
  return take(number);
}

std::uint32_t StripeCache::use(std::uint32_t place) {
  Slot& slot = slots_[place];
  if (!slot.is_idle) return place;
  idle_[slot.stripe.number % kClasses].erase(slot.idle);
  slot.is_idle = false;
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
