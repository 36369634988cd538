// Under which name a registry keeps a drive.
#pragma once

#include <string>

#include "model/drive_model.h"
#include "registry/store.h"

namespace platter::registry {

// The name of this very drive's layout, whether it is there yet or not. Two drives may get the same
// name in letters: the second gets a few digits of its identity. For a writer, who holds the lock.
std::string name_in(const Store& store, const model::Identity& identity);

}  // namespace platter::registry
