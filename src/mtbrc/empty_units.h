// Zones in which whole units (cylinders, mostly) stay empty again and again.
#pragma once

#include "model/drive_model.h"

namespace platter::mtbrc {

// The same places in the same order, but with zones whose instances are empty at a regular stride
// written as groups of that stride: whether an empty unit counts in the angles, no LBN tells, so a
// group has a step of its own. What lies before the first group and behind the last is a zone each.
model::Layout grouped_by_empty_units(const model::Layout& layout);

}  // namespace platter::mtbrc
