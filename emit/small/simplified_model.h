// A model that says less of its drive, as far as a table of few bytes needs it.
#pragma once

#include <cstddef>
#include <functional>

#include "model/drive_model.h"

namespace platter::emit_small {

struct SimplifiedModel {
  model::DriveModel model{};
  bool whole = false;  // nothing that an engine uses was left out
};

// The bytes that a model takes.
using BytesOf = std::function<std::size_t(const model::DriveModel&)>;

// Of all that takes no more than `most_bytes`: what is nearest to the drive (docs/small-table.md).
// Throws Error(unsupported) where even the least is more.
SimplifiedModel simplified_model(const model::DriveModel& whole, std::size_t most_bytes,
                                 const BytesOf& bytes_of);

}  // namespace platter::emit_small
