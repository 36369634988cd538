// What a reader passes over, counted as it goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/stream.h"

namespace platter::trace {

class Skips {
 public:
  void add(std::string_view what, const Place& place,
           Skipped::Kind kind = Skipped::Kind::passed_over) {
    ++total_;
    for (Skipped& each : list_)
      if (each.what == what) {
        ++each.count;
        return;
      }
    list_.push_back({std::string(what), 1, place, kind});
  }
  void add_form(std::string_view what, const Place& place) {
    add(what, place, Skipped::Kind::form);
  }
  // So many events are missing here, as the tracer says; 0: it does not say how many. The first
  // places are kept each, the later ones together.
  void lose(std::uint64_t count, const Place& place);

  std::uint64_t total() const { return total_; }  // of add(), not of lose()
  std::vector<Skipped> list() const;

 private:
  std::vector<Skipped> list_, lost_;
  std::uint64_t total_ = 0;
};

// "passed over 2 discards (the first in line 7)", "1 completion (...)", between commas; empty:
// none.
std::string in_words(const std::vector<Skipped>& list);
// Of what the tracer lost, a sentence.
std::string in_words(const Skipped& lost);

// How many events a line says are lost: LOST 4242 EVENTS, [1031 EVENTS DROPPED], "Possibly lost 3
// samples"; 0: it does not say how many. nullopt: it tells of no loss.
std::optional<std::uint64_t> told_loss(std::string_view line);

}  // namespace platter::trace
