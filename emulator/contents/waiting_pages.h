// Pages that are kept because nobody can say yet what they are, in the order in which they came.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace platter::emulator {

class WaitingPages {
 public:
  struct Page {
    std::uint64_t written = 0;  // when: a clock that counts pages
    bool droppable = false;     // when it has waited for long; else until somebody claims it
    std::uint8_t sectors = 0;   // of those, which were written since it waits; all: it is whole
    std::uint64_t said_by = kNobody, said = 0;  // who said first that it seems to be data, and when
  };
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};

  void put(std::uint64_t page, const Page& what);
  void remove(std::uint64_t page);
  const Page* find(std::uint64_t page) const;

  // In ascending order, all of [first, end); `visit` says whether one goes.
  template <typename Visit>
  void visit(std::uint64_t first, std::uint64_t end, Visit visit) {
    for (auto it = pages_.lower_bound(first); it != pages_.end() && it->first < end;)
      if (visit(it->first, it->second)) {
        forget_age(it->second);
        it = pages_.erase(it);
      } else {
        ++it;
      }
  }

  // The droppable one that has waited longest.
  std::optional<std::uint64_t> oldest() const;

  std::uint64_t size() const { return pages_.size(); }
  std::uint64_t droppable() const { return by_age_.size(); }

 private:
  void forget_age(const Page& page) {
    if (page.droppable) by_age_.erase(page.written);
  }

  std::map<std::uint64_t, Page> pages_{};
  std::map<std::uint64_t, std::uint64_t> by_age_{};  // droppable ones: when written, which page
};

}  // namespace platter::emulator
