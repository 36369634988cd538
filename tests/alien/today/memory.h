// The buffer: stretches of sectors as long as they need be, of which the longest unused go.
#pragma once

#include <cstdint>
#include <list>
#include <map>

#include "design.h"

namespace today {

struct Stretch {
  std::int64_t first, end;
  std::int64_t name;  // never given again
};

class Memory {
 public:
  explicit Memory(const Design& design) : design_(design) {}

  bool holds(std::int64_t first, std::int64_t end);
  // The name of a new stretch; what it covers of others is taken from them.
  std::int64_t add(std::int64_t first, std::int64_t end);
  // False: the stretch is gone.
  bool extend(std::int64_t name, std::int64_t end);
  void forget(std::int64_t first, std::int64_t end);
  void clear();
  void leave_room_for(std::int64_t dirty) {
    dirty_ = dirty;
    shrink(-1);
  }

 private:
  using Line = std::list<Stretch>;  // the longest unused in front
  void drop(Line::iterator one);
  void shrink(std::int64_t spared);

  const Design& design_;
  Line line_;
  std::map<std::int64_t, Line::iterator> by_first_, by_name_;
  std::int64_t held_ = 0, dirty_ = 0, names_ = 0;
};

}  // namespace today
