#include "transport/turns.h"

#include <utility>

namespace platter::transport {

Turns::Turns(std::vector<Place> places, MostAtOnce most)
    : places_(std::move(places)), most_(most), states_(places_.size(), State::waits) {}

std::optional<std::size_t> Turns::next() {
  for (std::size_t drive = 0; drive < places_.size(); ++drive) {
    if (states_[drive] != State::waits || !may_begin(drive)) continue;
    states_[drive] = State::goes_on;
    return drive;
  }
  return std::nullopt;
}

void Turns::ended(std::size_t drive) { states_[drive] = State::ended; }

bool Turns::may_begin(std::size_t drive) const {
  const Place& place = places_[drive];
  std::size_t all = 0, computed = 0;
  for (std::size_t other = 0; other < places_.size(); ++other) {
    if (place.computed && !places_[other].computed && states_[other] != State::ended) return false;
    if (states_[other] != State::goes_on) continue;
    ++all;
    computed += places_[other].computed ? 1 : 0;
    if (!most_.share_bus && !place.bus.empty() && places_[other].bus == place.bus) return false;
  }
  if (most_.drives && all >= *most_.drives) return false;
  return !place.computed || !most_.computed || computed < *most_.computed;
}

}  // namespace platter::transport
