// Remapped blocks that the finished map has no room for: drives answer about them what contradicts
// what they answered about others. Pure.
#pragma once

#include <vector>

#include "model/drive_model.h"

namespace platter::layout {

// Takes out the remaps that a valid layout cannot have (model/validate.h): those to a slot that is
// not a spare one, those that name one slot for two blocks, or one block twice. Returns their
// blocks with the reason, sorted; each is then where the map has it in the sequence, perhaps.
std::vector<model::NotUnderstood> take_out_impossible_remaps(model::Layout& layout);

// Blocks more that are not understood, by one each; what a range covers already keeps its reason.
void add_not_understood(std::vector<model::NotUnderstood>& all,
                        const std::vector<model::NotUnderstood>& blocks);

}  // namespace platter::layout
