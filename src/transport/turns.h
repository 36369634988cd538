// Whose turn it is: which of several drives are measured at the same time, and which one after the
// other. What this host computes begins when all others have ended, for their times need its
// processors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace platter::transport {

struct Place {
  std::string bus{};      // bus_of(); empty: it shares none
  bool computed = false;  // by this host's processors, in place of a drive that one waits for
};

struct MostAtOnce {
  std::optional<std::size_t> drives{};  // of all kinds; nullopt: as many as there are
  std::optional<std::size_t> computed{};
  bool share_bus = false;
};

class Turns {
 public:
  Turns(std::vector<Place> places, MostAtOnce most);

  // The first of those that wait and may begin; it goes on from now.
  std::optional<std::size_t> next();
  void ended(std::size_t drive);

 private:
  enum class State : unsigned char { waits, goes_on, ended };

  bool may_begin(std::size_t drive) const;

  std::vector<Place> places_;
  MostAtOnce most_;
  std::vector<State> states_;
};

}  // namespace platter::transport
