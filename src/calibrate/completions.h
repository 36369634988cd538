// What a drive takes before the media or the bus, and what behind them: a trace tells their sum.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "statistics/robust.h"

namespace platter::calibrate {

inline constexpr const char* kMethod = "calibrated";  // of a parameter

struct CommandOverhead {
  const char* name;
  model::Parameter model::Overheads::*field;
};
// Hit after read, hit after write, miss after read, miss after write.
const std::vector<CommandOverhead>& overheads_of(bool write);
CommandOverhead completion_of(bool write);

// By how much the smallest overhead in front of the media, or of the buffer, is less than nothing:
// 0 or negative, ms.
double least_in_front(const model::Overheads& overheads, bool write);

// Two ways out of it. An overhead in front of the media cannot be negative, for a drive does not
// obey before it is asked: what is missing is taken off behind them, for all commands of the side.
// Their sums stay as they are.
void move_behind_media(model::Overheads& overheads, bool write);
// Or those that are less than nothing are nothing, and the others stay: nobody said that all
// commands of the side are faster.
void raise_to_nothing(model::Overheads& overheads, bool write);

// The one constant by which all calibrated overheads of a side, hits and misses, differ from the
// original's; nullopt if they do not agree within their errors.
std::optional<statistics::Estimate> shared_constant(const model::Overheads& original,
                                                    const model::Overheads& calibrated, bool write);

// One sentence for each kind of command to which the model gives less than no time beside seek,
// rotation and transfer.
std::vector<std::string> negative_totals(const model::Overheads& overheads);

}  // namespace platter::calibrate
