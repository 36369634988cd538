// What the demerit of some requests tells: its error, and what many would show, by the few that a
// run made, with the floor, that of the model against itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "replay/result.h"

namespace platter::replay {

// One request on the drive and on the model, which got it when the drive did, ms.
struct Answered {
  double drive_ms = 0, model_ms = 0;
};

// From request `from` on (counted from 0). Where the model was still busy with the one before when
// a request came, its time counts from there: else one late answer would make all behind it late.
std::vector<Answered> answered(const Result& drive, const Result& model, std::size_t from);

// One standard error of the demerit of these requests, the upper one: what it is by chance, and
// what none of them showed (stated_demerit()). nullopt of none. Pure.
std::optional<double> demerit_error_ms(const std::vector<Answered>& requests, double revolution_ms);

struct StatedDemerit {
  double ms = 0, error_ms = 0;
  double floor_ms = 0;  // of a model that is right
};

// So many requests a demerit is stated for.
constexpr std::uint64_t kStatedRequests = 5000;

// The demerit (docs/metrics.md) between the two, as kStatedRequests would show it. A bootstrap of
// the pairs tells what so few show by chance; a part of that, as chance has it among so many, and
// what the model has against itself (`itself_ms`) are the floor. The error is what squares differ
// by, and so is not symmetric near 0: it is the upper one. What none of the requests showed may be
// missing by chance: it holds a quarter of a request that is late on the drive by `revolution_ms`,
// and a quarter of one on the model. Pure.
StatedDemerit stated_demerit(const std::vector<Answered>& requests,
                             const std::vector<double>& itself_ms, double revolution_ms,
                             std::uint64_t seed);

}  // namespace platter::replay
