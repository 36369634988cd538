#include "emulator/contents/waiting_pages.h"

namespace platter::emulator {

void WaitingPages::put(std::uint64_t page, const Page& what) {
  const auto [it, is_new] = pages_.try_emplace(page, what);
  if (!is_new) {
    forget_age(it->second);
    it->second = what;
  }
  if (what.droppable) by_age_.emplace(what.written, page);
}

void WaitingPages::remove(std::uint64_t page) {
  const auto it = pages_.find(page);
  if (it == pages_.end()) return;
  forget_age(it->second);
  pages_.erase(it);
}

const WaitingPages::Page* WaitingPages::find(std::uint64_t page) const {
  const auto it = pages_.find(page);
  return it == pages_.end() ? nullptr : &it->second;
}

std::optional<std::uint64_t> WaitingPages::oldest() const {
  if (by_age_.empty()) return std::nullopt;
  return by_age_.begin()->second;
}

}  // namespace platter::emulator
